"""Several interests of one person, named one by one or in a single line.

Eight readers of Reuters, each of whom likes three topics on which nothing was tuned: the 24 topics by their number of
articles, every eighth. Verdicts come a day late, and only on what was delivered; the first 6,000 articles are the
archive. The reader begins with the plain names of the topics (``interests.json``), once as three interests, each with
a ranking of its own, and once as one interest, whose text is all three.

*Least found* is the share of liked articles that were delivered of the topic of which the fewest were: a person who
names three interests wants to read of all three. Behind the mean difference is where 95 % of the resamples of readers
have it.

    python -m benchmarks.several_interests [--folder FOLDER]

The feature cache stays in the folder for the next run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from functools import reduce
from pathlib import Path

import numpy as np

from benchmarks import results
from benchmarks.adaptive_filtering import ARCHIVE, CLASSIFIER, INTERESTS, reuters_cache
from benchmarks.resampling import of_mean
from benchmarks.streams.reuters21578 import DEVELOPMENT, every_reader
from iscore.evaluation.replay.feature_cache import LIKED, FeatureCache
from iscore.evaluation.replay.feature_cache_build import new_model
from iscore.evaluation.replay.metrics import summary
from iscore.evaluation.replay.outcome import Outcome
from iscore.evaluation.replay.protocol import Protocol
from iscore.evaluation.replay.protocol_delivered import DeliveredRun, polls

READERS = 8
PROTOCOL = Protocol("delivered", archive=ARCHIVE)
COLUMNS = [
    *("reader", "liked", "deliveries, one", "deliveries, named", "least found, one", "least found, named"),
    *("F0.5, one", "F0.5, named", "difference", "difference, 95 %"),
]


def disjunctions() -> list[tuple[str, ...]]:
    """Return the topics of each reader."""
    topics = [reader for reader in every_reader() if reader not in DEVELOPMENT and "∧" not in reader]
    return [tuple(topics[first::READERS]) for first in range(READERS)]


def lived(stream: FeatureCache, topics: Sequence[str], interests: Sequence[tuple[str, str]]) -> Outcome:
    """Return what was decided for a reader who likes the topics and says the interests."""
    model = new_model(stream, CLASSIFIER, seed=PROTOCOL.seed)
    labels = reduce(np.maximum, [stream.labels(topic) for topic in topics])
    run = DeliveredRun(model, labels, PROTOCOL, stream.basis_at, interests=interests)
    for poll in polls(stream, PROTOCOL.every):
        run.step(poll)
    return run.outcome(stream.stream, " ∨ ".join(topics), CLASSIFIER)


def least_found(stream: FeatureCache, topics: Sequence[str], outcome: Outcome) -> float:
    """Return the share of liked articles that were delivered, of the topic of which the fewest were."""
    return min(float(outcome.delivered[stream.labels(topic)[ARCHIVE:] == LIKED].mean()) for topic in topics)


def row(stream: FeatureCache, topics: Sequence[str]) -> list[results.Cell]:
    """Return what the table says of one reader."""
    texts = [text for reader, text in INTERESTS if reader in topics]
    both = [
        lived(stream, topics, interests)
        for interests in ([("one", ", ".join(texts))], [(text, text) for text in texts])
    ]
    one, named = (summary(outcome) for outcome in both)
    found = [round(least_found(stream, topics, outcome), 3) for outcome in both]
    f05 = [round(each.f05 or 0.0, 3) for each in (one, named)]
    deliveries = [one.delivered, named.delivered]
    return [" ∨ ".join(topics), one.positives, *deliveries, *found, *f05, round(f05[1] - f05[0], 3), ""]


def main() -> None:
    """Live through the stream as each reader and write ``benchmarks/results/several_interests``."""
    parser = argparse.ArgumentParser(description="Several interests, named one by one or in a single line.")
    parser.add_argument("--folder", type=Path, help="where the feature cache stays")
    options = parser.parse_args()
    rows: list[list[results.Cell]] = []
    with tempfile.TemporaryDirectory() as temporary:
        stream = reuters_cache(options.folder or Path(temporary))
        for topics in disjunctions():
            rows.append(row(stream, topics))
            print(*rows[-1], sep="\t", file=sys.stderr, flush=True)
    means = [round(float(np.mean([float(row[column]) for row in rows])), 3) for column in range(1, len(COLUMNS) - 1)]
    between = of_mean([float(row[-2]) for row in rows]).limits()
    table: list[list[results.Cell]] = [[f"mean of {len(rows)}", *means, between], *rows]
    results.write("several_interests", "Several interests of one person", COLUMNS, table, __doc__ or "")


if __name__ == "__main__":
    main()
