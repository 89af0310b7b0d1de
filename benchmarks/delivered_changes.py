"""A change of interests in life: verdicts a day late, and only on what was delivered.

The ten deciding readers of ``drifting_readers`` like one topic of Reuters in the first half, and another in the second.
They begin from *nothing*, or after an archive of 6,000 articles with *10 examples* of the old interest. *Told* is a
filter for the new interest alone, which knows nothing at the change, and has all earlier articles as its archive.

F0.5 and the share of liked articles that were found are those of the 5,000 articles after the change; everything that
was delivered counts. Behind the means is where 95 % of the resamples of readers have them.

    python -m benchmarks.delivered_changes [--folder FOLDER]

The feature cache stays in the folder for the next run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks import results
from benchmarks.adaptive_filtering import ARCHIVE, CLASSIFIER, reuters_cache
from benchmarks.drifting_readers import DECIDING, DriftingReader, Run
from benchmarks.resampling import of_mean
from iscore.evaluation.replay.feature_cache import LIKED, FeatureCache
from iscore.evaluation.replay.feature_cache_build import new_model
from iscore.evaluation.replay.protocol import Protocol
from iscore.evaluation.replay.protocol_delivered import DeliveredRun, polls

AFTER = 5_000
STARTS = {
    "nothing": Protocol("delivered"),
    "10 examples": Protocol("delivered", archive=ARCHIVE, examples=10),
}
COLUMNS = ["start", "filter", "change", "liked", "deliveries", "likes found", "F0.5", "share found", "F0.5, 95 %"]


def labels_of(stream: FeatureCache, reader: DriftingReader, change: int) -> npt.NDArray[np.int8]:
    """Return the reader's verdicts on all articles."""
    return np.concatenate([stream.labels(reader.before)[:change], stream.labels(reader.after)[change:]])


def lived(stream: FeatureCache, labels: npt.NDArray[np.int8], protocol: Protocol, change: int) -> Run:
    """Return what was delivered and liked of the ``AFTER`` articles behind the change."""
    model = new_model(stream, CLASSIFIER, seed=protocol.seed)
    run = DeliveredRun(model, labels, protocol, stream.basis_at)
    for poll in polls(stream, protocol.every):
        if poll.start >= change + AFTER:
            break
        run.step(poll)
    delivered = run.outcome(stream.stream, "", CLASSIFIER).delivered
    first = change - protocol.archive
    return Run(delivered[first : first + AFTER], labels[change : change + AFTER] == LIKED)


def row(start: str, kind: str, name: str, run: Run) -> list[results.Cell]:
    """Return the figures of one run."""
    hits = int(np.count_nonzero(run.delivered & run.liked))
    liked = int(np.count_nonzero(run.liked))
    return [start, kind, name, liked, int(run.delivered.sum()), hits, round(run.f05(), 3), round(hits / liked, 3), ""]


def mean(rows: list[list[results.Cell]]) -> list[results.Cell]:
    """Return the means of rows, with the interval of F0.5."""
    figures = [round(float(np.mean([float(each[column]) for each in rows])), 3) for column in range(3, 8)]
    between = of_mean([float(each[6]) for each in rows])
    return [*rows[0][:2], f"mean of {len(rows)}", *figures, between.limits()]


def main() -> None:
    """Live through the changes and write ``benchmarks/results/delivered_changes``."""
    parser = argparse.ArgumentParser(description="Changes of interests as people live.")
    parser.add_argument("--folder", type=Path, help="where the feature cache stays")
    options = parser.parse_args()
    means: list[list[results.Cell]] = []
    table: list[list[results.Cell]] = []
    with tempfile.TemporaryDirectory() as temporary:
        stream = reuters_cache(options.folder or Path(temporary))
        change = stream.articles // 2
        told = Protocol("delivered", archive=change)
        ways = [("nothing", "told of the change", told)]
        for start, protocol in STARTS.items():
            ways.append((start, "", protocol))
        for start, kind, protocol in ways:
            rows = []
            for reader in DECIDING:
                labels = labels_of(stream, reader, change)
                rows.append(row(start, kind, reader.name, lived(stream, labels, protocol, change)))
                print(*rows[-1], sep="\t", file=sys.stderr, flush=True)
            means.append(mean(rows))
            table += rows
            print(*means[-1], sep="\t", file=sys.stderr, flush=True)
    results.write("delivered_changes", "A change of interests as people live", COLUMNS, [*means, *table], __doc__ or "")


if __name__ == "__main__":
    main()
