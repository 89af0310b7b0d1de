"""F0.5 of the whole pipeline on real streams, in time order: judge first, learn after, every article.

Six filters on the same features, each cut by the adaptive threshold and at even odds: stacking (the default), stacking
with weighted log-ratios (the former default), naive Bayes with these alone, naive Bayes with online feature selection,
calibrated and as in the paper, and naive Bayes over all features.

    python -m benchmarks.real_streams [--quick]
"""

from __future__ import annotations

import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks import results
from benchmarks.streams import italian_reader, reuters
from iscore.evaluation.replay.feature_cache import FeatureCache
from iscore.evaluation.replay.feature_cache_build import cached_features
from iscore.evaluation.replay.metrics import summary
from iscore.evaluation.replay.protocol_full import run_full
from iscore.evaluation.replay.stream import write_stream
from iscore.evaluation.replay.windows import part

CLASSIFIERS = (
    *("stacking", "stacking-weighted-naive-bayes", "weighted-naive-bayes"),
    *("subset-naive-bayes", "uncalibrated-subset-naive-bayes", "kernel-naive-bayes"),
)
"""The default, the former one, its first opinion alone, the paper's with calibrated scores (part of the default),
the paper's, and naive Bayes over all features."""
STREAMS = {"Reuters": reuters, "Italian reader": italian_reader}
PARTS: dict[str, int | None] = {"all": None, "first 1,000": 1000, "first 5,000": 5000}
"""Stretches of a stream, by how many articles they hold; None for all."""


def _rows(stream: FeatureCache, name: str, reader: str) -> list[list[results.Cell]]:
    """Return a row of results for each classifier of one reader."""
    rows: list[list[results.Cell]] = []
    for outcome in run_full(stream, reader, CLASSIFIERS).outcomes:
        row: list[results.Cell] = [name, reader, outcome.classifier, len(outcome.liked)]
        for size in PARTS.values():
            of = summary(part(outcome, 0, size))
            row += [round(of.f05 or 0.0, 3), round(of.f05_even_odds or 0.0, 3)]
        rows.append([*row, round(outcome.seconds / len(outcome.liked) * 1e6)])
        print(*rows[-1], sep="\t", file=sys.stderr, flush=True)
    return rows


def main() -> None:
    """Run everything and write ``benchmarks/results/real_streams``."""
    quick = "--quick" in sys.argv
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(2) as pool:
        waiting = []
        for name, articles in STREAMS.items():
            path = Path(folder) / f"{name}.jsonl"
            write_stream(path, articles())
            stream = cached_features(path, Path(folder))
            readers = list(stream.readers)[:: 5 if quick else 1]
            waiting += [pool.submit(_rows, stream, name, reader) for reader in readers]
        table = [row for each in waiting for row in each.result()]
    columns = ["stream", "reader", "classifier", "verdicts"]
    for stretch in PARTS:
        columns += [f"F0.5 {stretch}, adaptive", f"F0.5 {stretch}, even odds"]
    columns.append("µs per article")
    for streamed in ("Reuters", "Italian reader"):
        for classifier in CLASSIFIERS:
            mine = [row for row in table if row[0] == streamed and row[2] == classifier]
            means = [round(sum(float(row[c]) for row in mine) / len(mine), 3) for c in range(4, len(columns))]
            print("mean", streamed, classifier, *means, sep="\t", file=sys.stderr)
            table.append([streamed, "mean", classifier, sum(int(row[3]) for row in mine), *means])
    if not quick:
        results.write("real_streams", "The pipeline on real streams", columns, table, __doc__ or "")


if __name__ == "__main__":
    main()
