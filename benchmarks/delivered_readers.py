"""Every development reader of Reuters under late verdicts on what was delivered, beside the full protocol.

The delivered protocol of ``iscore replay``: a round a day, verdicts a day later and only on what was recommended or
explored, which count as delivered. The full protocol's figures are those of ``real_streams``.

    python -m benchmarks.delivered_readers
"""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

import numpy as np

from benchmarks import results
from benchmarks.streams import reuters
from iscore.evaluation.replay.feature_cache_build import cached_features
from iscore.evaluation.replay.metrics import summary
from iscore.evaluation.replay.protocol import Protocol
from iscore.evaluation.replay.protocol_delivered import run_delivered
from iscore.evaluation.replay.stream import write_stream

CLASSIFIER = "two-opinions"
SPAN = 2000


def full_protocol() -> dict[str, float]:
    """Return F0.5 of each reader of Reuters as ``real_streams`` has recorded it."""
    with (results.FOLDER / "real_streams.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["stream"] == "Reuters" and row["classifier"] == CLASSIFIER]
    return {row["reader"]: float(row["F0.5 all, adaptive"]) for row in rows}


def main() -> None:
    """Live through the stream as each reader and write ``benchmarks/results/delivered_readers``."""
    full = full_protocol()
    table: list[list[results.Cell]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reuters-development.jsonl"
        write_stream(path, reuters())
        stream = cached_features(path, Path(folder))
        for reader in stream.readers:
            (outcome,) = run_delivered(stream, reader, CLASSIFIER, Protocol("delivered")).outcomes
            result = summary(outcome)
            likes = outcome.liked & outcome.delivered
            quietest = min(int(outcome.delivered[at : at + SPAN].sum()) for at in range(0, len(likes) - SPAN, SPAN))
            table.append(
                [
                    reader,
                    result.positives,
                    result.verdicts,
                    result.explored,
                    quietest,
                    round(result.f05_recommended or 0.0, 3),
                    round(result.f05 or 0.0, 3),
                    full[reader],
                    round((result.f05 or 0.0) / full[reader], 3),
                ]
            )
    means = [round(float(np.mean([float(row[column]) for row in table])), 3) for column in range(1, 9)]
    table.append(["mean", *means])
    columns = [
        "reader",
        "liked",
        "verdicts",
        "explored",
        f"fewest deliveries in {SPAN:,} articles",
        "F0.5 recommended",
        "F0.5 delivered",
        "F0.5 full protocol",
        "delivered / full",
    ]
    results.write("delivered_readers", "Late verdicts, all development readers", columns, table, __doc__ or "")


if __name__ == "__main__":
    main()
