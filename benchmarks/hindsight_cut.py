"""How much a threshold could add: F0.5 of the default's scores at even odds, by the adaptive cut, and in hindsight.

Full protocol, the development readers of Reuters. *In hindsight* is the best single cut for all of a reader's stream,
which nobody can know before its end; per cent are those above even odds.

    python -m benchmarks.hindsight_cut [FOLDER]

The feature cache stays in the folder for the next run.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks import results
from benchmarks.adaptive_filtering import CLASSIFIER
from benchmarks.streams import reuters
from iscore.evaluation.replay.feature_cache_build import cached_features
from iscore.evaluation.replay.metrics import summary
from iscore.evaluation.replay.protocol_full import run_full
from iscore.evaluation.replay.stream import write_stream
from iscore.evaluation.replay.windows import part

FIRST = 1_000


def main() -> None:
    """Live through the stream as each reader and write ``benchmarks/results/hindsight_cut``."""
    rows: list[tuple[str, int, list[float]]] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        path = folder / "reuters-development.jsonl"
        if not path.exists():
            write_stream(path, reuters())
        stream = cached_features(path, folder)
        for reader in stream.readers:
            (outcome,) = run_full(stream, reader, [CLASSIFIER]).outcomes
            whole, first = summary(outcome), summary(part(outcome, 0, FIRST))
            figures = [whole.f05_even_odds, whole.f05, whole.f05_best_static, first.f05_even_odds, first.f05]
            rows.append((reader, whole.positives, [figure or 0.0 for figure in figures]))
            print(*rows[-1], sep="\t", file=sys.stderr, flush=True)
    likes = float(np.mean([liked for _, liked, _ in rows]))
    means = np.mean([figures for _, _, figures in rows], axis=0).tolist()
    table: list[list[results.Cell]] = []
    for reader, liked, figures in [*rows, ("mean", round(likes, 1), means)]:
        even, adaptive, hindsight, *early = figures
        row: list[results.Cell] = [reader, liked, *(round(figure, 3) for figure in (even, adaptive, hindsight))]
        row += [round(100 * (f / even - 1), 1) + 0.0 for f in (adaptive, hindsight)]
        table.append([*row, *(round(figure, 3) for figure in early)])
    columns = [
        *("reader", "liked", "at even odds", "adaptive", "in hindsight", "adaptive, %", "in hindsight, %"),
        *(f"first {FIRST:,}, {name}" for name in ("at even odds", "adaptive")),
    ]
    results.write("hindsight_cut", "What a threshold could add", columns, table, __doc__ or "")


if __name__ == "__main__":
    main()
