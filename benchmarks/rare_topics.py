"""Rare topics with ten examples: verdicts a day late, and only on what was delivered.

Ten topics of Reuters on which nothing was tuned, each with 10 to 44 liked articles among the 4,000 after an archive of
6,000 (the window of ``results/seeding.md``), a round a day. The reader begins with ten articles of the archive that
they like, once the newest ones and twice others by hash; figures are the means of the three.

Everything that was delivered counts. *Explored* are deliveries below the cut; behind the mean is where 95 % of the
resamples of readers have F0.5.

    python -m benchmarks.rare_topics [--folder FOLDER]

The feature cache stays in the folder for the next run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks import results
from benchmarks.adaptive_filtering import ARCHIVE, CLASSIFIER, STARTS, reuters_cache
from benchmarks.resampling import of_mean
from iscore.evaluation.replay.feature_cache import FeatureCache
from iscore.evaluation.replay.feature_cache_build import new_model
from iscore.evaluation.replay.outcome import Outcome
from iscore.evaluation.replay.protocol import Protocol
from iscore.evaluation.replay.protocol_delivered import DeliveredRun, polls
from iscore.filtering.metrics import count

TOPICS = ("wheat", "veg-oil", "nat-gas", "cocoa", "cpi", "rubber", "jobs", "iron-steel", "livestock", "alum")
WINDOW = 4_000
COLUMNS = [
    *("reader", "liked", "deliveries", "likes found", "explored", "likes explored"),
    *("F0.5", "F0.5 recommended", "F0.5, 95 %"),
]


def lived(stream: FeatureCache, reader: str, protocol: Protocol) -> Outcome:
    """Return what was decided until ``WINDOW`` articles after the archive; of later ones nothing was delivered."""
    model = new_model(stream, CLASSIFIER, seed=protocol.seed)
    run = DeliveredRun(model, stream.labels(reader), protocol, stream.basis_at)
    for poll in polls(stream, protocol.every):
        if poll.start >= ARCHIVE + WINDOW:
            break
        run.step(poll)
    return run.outcome(stream.stream, reader, CLASSIFIER)


def figures(outcome: Outcome) -> list[float]:
    """Return what the columns say of one draw."""
    liked = outcome.liked[:WINDOW]
    delivered, explored = outcome.delivered[:WINDOW], outcome.explored[:WINDOW]
    recommended = outcome.recommended[:WINDOW]
    return [
        *(float(np.count_nonzero(each)) for each in (liked, delivered, delivered & liked, explored, explored & liked)),
        *(count(each, liked).f_beta() or 0.0 for each in (delivered, recommended)),
    ]


def main() -> None:
    """Live through the window as each reader and write ``benchmarks/results/rare_topics``."""
    parser = argparse.ArgumentParser(description="Rare topics with ten examples.")
    parser.add_argument("--folder", type=Path, help="where the feature cache stays")
    options = parser.parse_args()
    rows: list[list[results.Cell]] = []
    with tempfile.TemporaryDirectory() as temporary:
        stream = reuters_cache(options.folder or Path(temporary))
        for topic in TOPICS:
            draws = [figures(lived(stream, topic, protocol)) for protocol in STARTS["10 examples"]]
            rows.append([topic, *(round(float(figure), 3) for figure in np.mean(draws, axis=0)), ""])
            print(*rows[-1], sep="\t", file=sys.stderr, flush=True)
    means = [round(float(np.mean([float(row[column]) for row in rows])), 3) for column in range(1, len(COLUMNS) - 1)]
    between = of_mean([float(row[-3]) for row in rows]).limits()
    table: list[list[results.Cell]] = [[f"mean of {len(rows)}", *means, between], *rows]
    results.write("rare_topics", "Rare topics with ten examples", COLUMNS, table, __doc__ or "")


if __name__ == "__main__":
    main()
