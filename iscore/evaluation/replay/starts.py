"""What a filter knows of a reader before its first round: examples that they liked, or headlines that they marked."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple, cast

import numpy as np

from extractors.article_features import AnalysedArticle
from iscore.core.errors import ReplayError
from iscore.evaluation.replay.feature_cache import LIKED, FeatureCache
from iscore.evaluation.replay.protocol import Protocol
from iscore.evaluation.replay.stream_format import LabelledArticle
from iscore.services import headlines


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


def too_few_examples(cache: FeatureCache, readers: Sequence[str], protocol: Protocol) -> list[str]:
    """Return the readers who like fewer stories of the archive than there should be examples.

    Raises ``ReplayError`` for a stream that is no longer than the archive.
    """
    if protocol.archive and cache.articles <= protocol.archive:
        raise ReplayError(
            f"{cache.stream} has {cache.articles:,} articles, so an archive of {protocol.archive:,} leaves none"
        )
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
