"""What a filter knows of a reader before its first round: examples, marked headlines, or interests in words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from extractors.article_features import AnalysedArticle
from extractors.text.frequencies import Frequencies
from extractors.text.meaning import Encoder
from iscore.core.errors import ReplayError
from iscore.evaluation.replay.feature_cache import LIKED, FeatureCache
from iscore.evaluation.replay.feature_cache_build import load_stream_extractors
from iscore.evaluation.replay.protocol import Protocol
from iscore.evaluation.replay.stream_format import LabelledArticle
from iscore.filtering.features.computation import ArticleFeatures
from iscore.services.reading import headlines


class Archived(NamedTuple):
    """An article of the archive that leads a story."""

    place: int
    """In the stream."""
    article: AnalysedArticle


def examples(liked: Sequence[Archived], count: int, draw: int) -> list[Archived]:
    """Choose the ``count`` newest liked articles, or for a ``draw`` above 0 others by hash, in order of arrival."""
    if draw == 0:
        return list(liked[-count:])

    def hash_of(each: Archived) -> bytes:
        name = cast(LabelledArticle, each.article.metadata).id
        return blake2b(f"{draw} {name}".encode(), digest_size=8).digest()

    return sorted(sorted(liked, key=hash_of)[:count], key=lambda each: each.place)


def headline_page(archive: Sequence[Archived]) -> list[Archived]:
    """Choose the headlines that the product would show."""
    newest = archive[-headlines.NEWEST :]
    vectors = [each.article.terms for each in newest]
    return [newest[place] for place in headlines.chosen(vectors, [each.article.metadata.source for each in newest])]


def interests_of(file: Path) -> tuple[tuple[str, str], ...]:
    """Read a JSON object, reader → list of texts, as pairs. Raises ``ReplayError``."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        pairs = tuple((reader, text) for reader, texts in found.items() for text in texts)
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise ReplayError(f"{file}: {error}; a file of interests is a JSON object, reader → list of texts") from error
    if not pairs or not all(isinstance(text, str) and text.strip() for _, text in pairs):
        raise ReplayError(f"{file}: interests are texts that are not empty, in a JSON object, reader → list of texts")
    return pairs


def phrase(text: str, words: Frequencies, language: str, now: datetime) -> AnalysedArticle:
    """Measure an interest in the reader's words, which are as rare as they are in the archive."""
    document = LabelledArticle(id="interest", arrived=now, title=text, text="", labels={}, language=language)
    arrivals = ArticleFeatures(load_stream_extractors(texts=True).extractors, Encoder.installed())
    (article,) = arrivals.analyse_many([document])
    terms = article.terms
    return replace(article, terms=replace(terms, weights=words.weigh(terms.ids, terms.counts)))


def left_out(cache: FeatureCache, readers: Sequence[str], protocol: Protocol) -> list[str]:
    """Return the readers who like fewer stories of the archive than there should be examples, or have no interest.

    Raises ``ReplayError`` for a stream that is no longer than the archive.
    """
    if protocol.archive and cache.articles <= protocol.archive:
        raise ReplayError(
            f"{cache.stream} has {cache.articles:,} articles, so an archive of {protocol.archive:,} leaves none"
        )
    if protocol.interests:
        return [reader for reader in readers if reader not in dict(protocol.interests)]
    if not protocol.examples:
        return []
    leads = np.concatenate(
        [chunk.leaders == np.arange(len(chunk.leaders)) + chunk.start for chunk in cache.chunks(protocol.archive)]
    )
    n = protocol.archive
    return [
        reader
        for reader in readers
        if np.count_nonzero(leads[:n] & (cache.labels(reader)[:n] == LIKED)) < protocol.examples
    ]
