"""F0.5 of the whole pipeline on real streams, in time order: judge first, learn after, every article.

Five filters on the same features, each cut by the adaptive threshold and at even odds: two opinions (the default), the
first of them, which is naive Bayes with weighted log-ratios, naive Bayes with online feature selection, calibrated and
as in the paper, and naive Bayes over all features.

    python -m benchmarks.real_streams [--quick]
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache

from benchmarks import results
from benchmarks.streams import LabelledArticle, italian_reader, reuters
from extractors.frozen import FrozenArticle
from iscore.features import ArrivalFeatures
from iscore.measures import make_measures
from iscore.readers import make_reader

CLASSIFIERS = (
    *("two-opinions", "weighted-naive-bayes"),
    *("subset-naive-bayes", "uncalibrated-subset-naive-bayes", "kernel-naive-bayes"),
)
"""The default, its first opinion alone, the paper's with calibrated scores, the paper's, and naive Bayes over all
features."""
STREAMS = {"Reuters": reuters, "Italian reader": italian_reader}
PARTS = {"all": math.inf, "first 1,000": 1000, "first 5,000": 5000}
"""Stretches of a stream, by how many articles they hold."""


@dataclass
class Counts:
    """What became of the articles of one stretch of a stream."""

    true_positives: int = 0
    false_positives: int = 0
    false_negatives: int = 0

    def add(self, decided: bool, liked: bool) -> None:
        """Count one article."""
        self.true_positives += decided and liked
        self.false_positives += decided and not liked
        self.false_negatives += liked and not decided

    @property
    def f05(self) -> float:
        """F-beta with beta = 0.5; 0 when nothing was liked and delivered."""
        weighted = 1.25 * self.true_positives
        return weighted / (weighted + 0.25 * self.false_negatives + self.false_positives) if weighted else 0.0


@dataclass
class Outcome:
    """One reader under one classifier."""

    adaptive: dict[str, Counts] = field(default_factory=lambda: {part: Counts() for part in PARTS})
    at_even_odds: dict[str, Counts] = field(default_factory=lambda: {part: Counts() for part in PARTS})
    microseconds: float = 0.0
    articles: int = 0

    def add(self, number: int, score: float, interesting: bool, liked: bool) -> None:
        """Count the decision about article ``number`` of the stream, from 0."""
        for counts, decided in ((self.adaptive, interesting), (self.at_even_odds, score >= 0.0)):
            for part, size in PARTS.items():
                if number < size:
                    counts[part].add(decided, liked)


def run(
    documents: Sequence[LabelledArticle],
    frozen: Sequence[FrozenArticle],
    names: Sequence[str],
    proxy: str,
    classifier: str,
) -> Outcome:
    """Send a stream through one reader's model: every article with a label is judged, then learned."""
    model = make_reader(names, lambda: make_measures().extractors, classifier)
    outcome = Outcome()
    start = time.perf_counter()
    labelled = [(d, a) for d, a in zip(documents, frozen, strict=True) if proxy in d.labels]
    for number, (document, article) in enumerate(labelled):
        judgement = model.judge(article, at=document.arrived)
        liked = document.labels[proxy]
        outcome.add(number, judgement.score, judgement.interesting, liked)
        model.learn(article, liked)
    outcome.articles = len(labelled)
    outcome.microseconds = (time.perf_counter() - start) / max(len(labelled), 1) * 1e6
    return outcome


def freeze(documents: Sequence[LabelledArticle]) -> tuple[list[FrozenArticle], tuple[str, ...], float]:
    """Compute document and stream features of a stream; return them, their names and µs per article."""
    arrivals = ArrivalFeatures(make_measures().extractors)
    start = time.perf_counter()
    frozen = arrivals.freeze_many(documents)
    return frozen, arrivals.names, (time.perf_counter() - start) / len(documents) * 1e6


@cache
def _measured(stream: str) -> tuple[list[LabelledArticle], list[FrozenArticle], tuple[str, ...]]:
    documents = STREAMS[stream]()
    frozen, names, microseconds = freeze(documents)
    print(f"{stream}: {len(documents)} articles, {microseconds:.0f} µs each to measure", file=sys.stderr)
    return documents, frozen, names


def _rows(stream: str, proxy: str) -> list[list[results.Cell]]:
    """Return a row of results for each classifier of one reader."""
    documents, frozen, names = _measured(stream)
    rows: list[list[results.Cell]] = []
    for classifier in CLASSIFIERS:
        outcome = run(documents, frozen, names, proxy, classifier)
        row: list[results.Cell] = [stream, proxy, classifier, outcome.articles]
        for part in PARTS:
            row += [round(outcome.adaptive[part].f05, 3), round(outcome.at_even_odds[part].f05, 3)]
        rows.append([*row, round(outcome.microseconds)])
        print(*rows[-1], sep="\t", file=sys.stderr, flush=True)
    return rows


def main() -> None:
    """Run everything and write ``benchmarks/results/real_streams``."""
    quick = "--quick" in sys.argv
    readers = [
        (stream, proxy)
        for stream, documents in STREAMS.items()
        for proxy in list(dict.fromkeys(p for document in documents() for p in document.labels))[:: 5 if quick else 1]
    ]
    with ProcessPoolExecutor(2) as pool:
        table = [row for rows in pool.map(_rows, *zip(*readers, strict=True)) for row in rows]
    columns = ["stream", "reader", "classifier", "verdicts"]
    for part in PARTS:
        columns += [f"F0.5 {part}, adaptive", f"F0.5 {part}, even odds"]
    columns.append("µs per article")
    for stream in ("Reuters", "Italian reader"):
        for classifier in CLASSIFIERS:
            mine = [row for row in table if row[0] == stream and row[2] == classifier]
            means = [round(sum(float(row[c]) for row in mine) / len(mine), 3) for c in range(4, len(columns))]
            print("mean", stream, classifier, *means, sep="\t", file=sys.stderr)
            table.append([stream, "mean", classifier, sum(int(row[3]) for row in mine), *means])
    if not quick:
        results.write("real_streams", "The pipeline on real streams", columns, table, __doc__ or "")


if __name__ == "__main__":
    main()
