"""Late verdicts on streams that nothing was tuned on: the Italian reader, and other readers of Reuters.

The delivered protocol of ``iscore replay``. Of Reuters the readers are every sixth of those who judge, by the number of
articles that they like. The Italian stream, which has no times of arrival, has rounds of 40 articles, and verdicts a
round later.

    python -m benchmarks.late_elsewhere [FOLDER]

FeatureCache streams are kept in the folder for the next run.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import numpy as np

from benchmarks import results
from benchmarks.adaptive_filtering import CLASSIFIER
from benchmarks.streams import STREAMS
from iscore.evaluation.replay.feature_cache_build import cached_features
from iscore.evaluation.replay.metrics import summary
from iscore.evaluation.replay.protocol import DAY, Protocol
from iscore.evaluation.replay.protocol_delivered import run_delivered
from iscore.evaluation.replay.stream import write_stream

A_ROUND = 40
EVERY: dict[str, timedelta | int] = {"italian-reader": A_ROUND, "reuters-others": DAY}
"""Of each stream, how long a round is."""


def chosen(stream: str, readers: Sequence[str]) -> Sequence[str]:
    """Return the readers of a stream who take part."""
    return readers[::6] if stream == "reuters-others" else readers


def main() -> None:
    """Live through the streams and write ``benchmarks/results/late_elsewhere``."""
    table: list[list[results.Cell]] = []
    columns = ["stream", "reader", "articles", "liked", "explored", "F0.5 recommended", "F0.5 delivered"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        for name, every in EVERY.items():
            path = folder / f"{name}.jsonl"
            if not path.exists():
                write_stream(path, STREAMS[name]())
            stream = cached_features(path, folder)
            rows: list[list[results.Cell]] = []
            for reader in chosen(name, list(stream.readers)):
                protocol = Protocol("delivered", every=every)
                result = summary(run_delivered(stream, reader, CLASSIFIER, protocol).outcomes[0])
                figures = [round(f or 0.0, 3) for f in (result.f05_recommended, result.f05)]
                rows.append([name, reader, result.n, result.positives, result.explored, *figures])
                print(*rows[-1], sep="\t", flush=True)
            means = [round(float(np.mean([float(row[column]) for row in rows])), 3) for column in range(2, 7)]
            table += [*rows, [name, "mean", *means]]
    results.write("late_elsewhere", "Late verdicts elsewhere", columns, table, __doc__ or "")


if __name__ == "__main__":
    main()
