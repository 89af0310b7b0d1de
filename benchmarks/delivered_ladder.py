"""Where F0.5 goes between the full and the delivered protocol, for every development reader of Reuters.

Each column takes one thing away from the last:

- *at once*: the full protocol, as ``real_streams`` has recorded it;
- *a day late*: a verdict on every article, but only the next day, and decisions by the learned threshold;
- *best cut*: verdicts on deliveries only; the scores that articles then got, cut where it is best in hindsight;
- *recommended*: the cut as it was;
- *delivered*: with what was explored.

*search* is how many articles were shown until one was liked, and *with the search alone* what the full protocol would
have if it had delivered these too, and then decided as ever, over what was left of the stream: nobody who has to search
as long can do better.

    python -m benchmarks.delivered_ladder
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from benchmarks import results
from benchmarks.adaptive_filtering import CLASSIFIER
from benchmarks.streams import reuters
from extractors.article_features import AnalysedArticle
from iscore.evaluation.replay.feature_cache import LIKED, FeatureCache
from iscore.evaluation.replay.feature_cache_build import cached_features, new_model
from iscore.evaluation.replay.metrics import summary
from iscore.evaluation.replay.outcome import Outcome
from iscore.evaluation.replay.protocol import DAY, Protocol
from iscore.evaluation.replay.protocol_delivered import polls, run_delivered
from iscore.evaluation.replay.protocol_full import run_full
from iscore.evaluation.replay.stream import write_stream
from iscore.filtering.metrics import count
from iscore.filtering.paper import THRESHOLDERS, PaperFilter, usual_thresholder


def a_day_late(stream: FeatureCache, reader: str) -> float:
    """Return F0.5 when each day begins with the verdicts on everything that the day before brought."""
    decider = PaperFilter(new_model(stream, CLASSIFIER, seed=0), THRESHOLDERS[usual_thresholder(CLASSIFIER)]())
    model = decider.model
    liked = stream.labels(reader) == LIKED
    recommended = np.zeros(len(liked), dtype=np.bool_)
    late: list[tuple[AnalysedArticle, bool]] = []
    for _, start, articles, leaders in polls(stream, DAY):
        for article, like in late:
            decider.learn(article, like)
        rows = [row for row, leader in enumerate(leaders) if leader == start + row]
        if model.trained:
            scores = model.score_many([articles[row] for row in rows])
            recommended[[start + row for row in rows]] = scores >= decider.threshold
        for row, leader in enumerate(leaders):
            recommended[start + row] = recommended[leader]
        late = [(articles[row], bool(liked[start + row])) for row in rows]
    return count(recommended, liked).f_beta() or 0.0


def searched(outcome: Outcome) -> tuple[int, int]:
    """Return how many articles were delivered before the first liked one, and the place of that."""
    found = np.flatnonzero(outcome.delivered & outcome.liked)
    first = int(found[0]) if len(found) else len(outcome.liked)
    return int(outcome.delivered[:first].sum()), first


def with_the_search_alone(full: Outcome, cost: int, first: int) -> float:
    """Return F0.5 of the full protocol's decisions from ``first`` on, and of ``cost`` articles in vain before."""
    hits = int((full.recommended & full.liked)[first:].sum())
    delivered = int(full.recommended[first:].sum()) + cost
    return 1.25 * hits / (delivered + 0.25 * int(full.liked.sum()))


def main() -> None:
    """Live through the stream three times as each reader and write ``benchmarks/results/delivered_ladder``."""
    table: list[list[results.Cell]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reuters-development.jsonl"
        write_stream(path, reuters())
        stream = cached_features(path, Path(folder))
        for reader in stream.readers:
            (full,) = run_full(stream, reader, [CLASSIFIER]).outcomes
            (outcome,) = run_delivered(stream, reader, CLASSIFIER, Protocol("delivered")).outcomes
            result = summary(outcome)
            cost, first = searched(outcome)
            figures = (
                summary(full).f05,
                a_day_late(stream, reader),
                result.f05_best_static,
                result.f05_recommended,
                result.f05,
                with_the_search_alone(full, cost, first),
            )
            table.append(
                [reader, result.positives, cost, result.explored - cost, *(round(f or 0.0, 3) for f in figures)]
            )
            print(*table[-1], sep="\t", flush=True)
    means = [round(float(np.mean([float(row[column]) for row in table])), 3) for column in range(1, 10)]
    columns = [
        *("reader", "liked", "search", "explored later"),
        *("at once", "a day late", "best cut", "recommended", "delivered", "with the search alone"),
    ]
    results.write("delivered_ladder", "From at once to late", columns, [*table, ["mean", *means]], __doc__ or "")


if __name__ == "__main__":
    main()
