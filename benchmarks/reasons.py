"""How good the words are that reasons name, on mixed headlines.

For each of 12 tastes the last 10 or 50 likes are known, nothing else; 3,000 headlines have arrived, or as many more as
these likes take. The product's ranking scores the 4,000 headlines after them, and of its 30 best
the words are looked at that it would name: ``typical words`` are the rule, ``largest parts`` the three that add most to
the score, as versions until 2026-11-28 named them.

A word is *good* if it is no stop word (scikit-learn's list) and no boilerplate, and at least 1.5 times as frequent in
the headlines of the subject as in the others of the whole stream. Boilerplate is what more than 30 % of the entries of
a feed have that has at least 100. ``without`` is the share of headlines for which no word is named; their reason is the
nearest like, and ``nearest right`` the share of these where the headline is of the subject.

    python -m benchmarks.reasons [--folder FOLDER]

The feature cache stays in the folder for the next run.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from benchmarks import results
from extractors.arrays import Bools, Floats, Int64s
from extractors.article import Article
from extractors.article_features import AnalysedArticle
from extractors.text.analysis import analyse, spellings
from extractors.text.terms import N_TERMS, TermBatch
from iscore.evaluation.replay.feature_cache import LIKED, FeatureCache
from iscore.evaluation.replay.feature_cache_build import cached_features, new_model
from iscore.evaluation.replay.stream import read_stream
from iscore.filtering.delivery.changes import evidence_of
from iscore.filtering.memory_log import MemoryLog
from iscore.filtering.ranking.contributions import Explainer
from iscore.filtering.ranking.labelled import Articles
from iscore.filtering.ranking.ranking import fitted
from iscore.services.learning.reasons import MOST_WORDS, can_be_named

STREAM = Path("streams") / "headlines-development.jsonl.xz"
LIKES = (10, 50)
ARCHIVE, RANKED, BEST = 3000, 4000, 30
OFTEN = 1.5
BOILERPLATE, LARGE_FEED = 0.3, 100
COLUMNS = ["rule", "likes", "good", "stop words and boilerplate", "words", "without", "nearest right"]
FORMER, RULE = "largest parts", "typical words"


class Stream(NamedTuple):
    """The headlines, and which terms say nothing."""

    cache: FeatureCache
    articles: Sequence[AnalysedArticle]
    documents: Sequence[Article]
    leads: Bools
    """Which lead a story."""
    having: Floats
    """In how many headlines each term is."""
    empty: frozenset[int]
    """Stop words and boilerplate."""


class Figures(NamedTuple):
    """Counts of one taste."""

    good: int
    empty: int
    words: int
    without: int
    right: int
    """Of those without a word."""


def read(folder: Path) -> Stream:
    """Measure the stream."""
    path = Path(os.environ["ISCORE_DATA"]) / STREAM
    cache = cached_features(path, folder)
    chunks = list(cache.chunks())
    articles = [chunk.articles[row] for chunk in chunks for row in range(len(chunk.leaders))]
    leaders = np.concatenate([chunk.leaders for chunk in chunks])
    of_feed: dict[str, list[AnalysedArticle]] = defaultdict(list)
    for each in articles:
        of_feed[each.metadata.source].append(each)
    documents = list(read_stream(path))
    stop = (
        analyse(Article(id=word, arrived=documents[0].arrived, title=word, text="", language="en"))
        for word in ENGLISH_STOP_WORDS
    )
    empty = {term for each in stop for term in each.terms.ids.tolist()}
    for entries in of_feed.values():
        if len(entries) >= LARGE_FEED:
            empty.update(np.flatnonzero(counts(entries) > BOILERPLATE * len(entries)).tolist())
    return Stream(cache, articles, documents, leaders == np.arange(len(articles)), counts(articles), frozenset(empty))


def counts(articles: Sequence[AnalysedArticle]) -> Floats:
    """Count the articles that have each term."""
    return np.bincount(np.concatenate([each.terms.ids for each in articles]), minlength=N_TERMS).astype(np.float64)


def begin(stream: Stream, liked: Bools, likes: int) -> tuple[int, MemoryLog]:
    """Return the place at which a taste has its likes, and the log there."""
    mine = np.flatnonzero(liked & stream.leads)
    end = max(ARCHIVE, int(mine[likes - 1]) + 1)
    log = MemoryLog()
    for place in np.flatnonzero(stream.leads[:end]).tolist():
        log.add_archive(place + 1, stream.articles[place])
    for place in mine[mine < end][-likes:].tolist():
        log.add_verdict(place + 1, stream.articles[place].terms, True, None)
    log.basis = stream.cache.basis_at(end)
    return end, log


def measure(stream: Stream, reader: str, likes: int) -> dict[str, Figures]:
    """Return the figures of a taste for both rules."""
    liked: Bools = stream.cache.labels(reader) == LIKED
    end, log = begin(stream, liked, likes)
    evidence = evidence_of(log, log.basis, new_model(stream.cache, "stacking", seed=0))
    later: Int64s = end + np.flatnonzero(stream.leads[end : end + RANKED])
    terms = TermBatch.of([stream.articles[place].terms for place in later.tolist()])
    fit = fitted(Articles(terms, np.full(len(later), np.nan)), evidence)
    best = later[np.argsort(-fit.rankers.articles, kind="stable")[:BEST]].tolist()
    explainer = Explainer.of(evidence, fit)
    inside = counts([stream.articles[place] for place in np.flatnonzero(liked).tolist()])
    share, elsewhere = inside / liked.sum(), (stream.having - inside) / (~liked).sum()
    found = {}
    for rule in (FORMER, RULE):
        good = empty = words = without = right = 0
        for place in best:
            article, spelled = stream.articles[place].terms, spellings(stream.documents[place])
            parts = explainer.contributions(article, math.nan).words
            order = article.ids[np.argsort(-parts, kind="stable")].tolist()
            named = order if rule == FORMER else explainer.typical.named(article, parts, liked=True)
            named = [term for term in named if can_be_named(spelled.get(term, ""))][:MOST_WORDS]
            said = [term not in stream.empty for term in named]
            good += sum(
                bool(says) and share[term] >= OFTEN * elsewhere[term] for says, term in zip(said, named, strict=True)
            )
            empty, words, without = empty + len(said) - sum(said), words + len(said), without + (not said)
            right += not said and bool(liked[place])
        found[rule] = Figures(good, empty, words, without, right)
    return found


def rows(stream: Stream) -> list[list[results.Cell]]:
    """Return the table."""
    table: list[list[results.Cell]] = []
    for likes in LIKES:
        of_tastes = [measure(stream, reader, likes) for reader in stream.cache.readers]
        for rule in (FORMER, RULE):
            sums = Figures(*np.sum([each[rule] for each in of_tastes], axis=0).tolist())
            table.append(
                [
                    rule,
                    likes,
                    round(sums.good / sums.words, 3),
                    round(sums.empty / sums.words, 3),
                    sums.words,
                    round(sums.without / (BEST * len(of_tastes)), 3),
                    round(sums.right / sums.without, 3) if sums.without else "",
                ]
            )
    return table


def main() -> None:
    """Measure and write ``benchmarks/results/reasons``."""
    parser = argparse.ArgumentParser(description="How good the words are that reasons name.")
    parser.add_argument("--folder", type=Path, help="where the feature cache stays")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        stream = read(options.folder or Path(temporary))
        results.write("reasons", "Words that reasons name", COLUMNS, rows(stream), __doc__ or "")


if __name__ == "__main__":
    main()
