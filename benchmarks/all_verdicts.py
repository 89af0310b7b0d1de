"""Every verdict known at once: the development readers of Reuters, and Hacker News.

The full protocol of ``iscore replay``: each article is scored, then its verdict is learned, delivered or not. Readers
of Hacker News like what its users liked (``popular``), and little of that can be foreseen from an article itself.
*Everything* is F0.5 of a filter that delivers all articles.

    python -m benchmarks.all_verdicts [--processes N] [--folder FOLDER]

The feature caches stay in the folder for the next run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks import results
from benchmarks.adaptive_filtering import lived, reuters_cache
from benchmarks.streams import hacker_news
from benchmarks.streams.reuters21578 import DEVELOPMENT
from iscore.evaluation.replay.feature_cache import FeatureCache
from iscore.evaluation.replay.feature_cache_build import cached_features
from iscore.evaluation.replay.outcome import Outcome
from iscore.evaluation.replay.protocol import Protocol
from iscore.evaluation.replay.stream import write_stream
from iscore.filtering.metrics import count

FIRST = 5_000
COLUMNS = [
    *("stream", "reader", "articles", "liked", "deliveries", "likes found"),
    *("F0.5", "F0.5, first 5,000", "everything, first 5,000"),
]


def row(outcome: Outcome) -> list[results.Cell]:
    """Return the figures of one reader."""
    delivered, liked = outcome.delivered, outcome.liked
    f = [
        count(delivered, liked).f_beta(),
        count(delivered[:FIRST], liked[:FIRST]).f_beta(),
        count(np.ones(len(liked[:FIRST]), dtype=np.bool_), liked[:FIRST]).f_beta(),
    ]
    counts = [len(liked), *(int(np.count_nonzero(each)) for each in (liked, delivered, delivered & liked))]
    return [outcome.stream, outcome.reader, *counts, *(round(each or 0.0, 3) for each in f)]


def rows_of(stream: FeatureCache, readers: Sequence[str], processes: int) -> list[list[results.Cell]]:
    """Return the mean of a stream's readers, and each of them."""
    rows = [row(outcome) for outcome in lived(stream, readers, Protocol("full"), processes).values()]
    columns = range(2, len(COLUMNS))
    means = [round(float(np.mean([float(each[column]) for each in rows])), 3) for column in columns]
    print(stream.stream, *means, sep="\t", file=sys.stderr, flush=True)
    return [[stream.stream, f"mean of {len(rows)}", *means], *rows]


def main() -> None:
    """Live through both streams and write ``benchmarks/results/all_verdicts``."""
    parser = argparse.ArgumentParser(description="Every verdict known at once.")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the feature caches stay")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        reuters = reuters_cache(folder)
        table = rows_of(reuters, [reader for reader in reuters.readers if reader in DEVELOPMENT], options.processes)
        path = folder / "hacker-news.jsonl"
        if not path.exists():
            write_stream(path, hacker_news())
        news = cached_features(path, folder)
        table += rows_of(news, list(news.readers), options.processes)
    results.write("all_verdicts", "Every verdict known at once", COLUMNS, table, __doc__ or "")


if __name__ == "__main__":
    main()
