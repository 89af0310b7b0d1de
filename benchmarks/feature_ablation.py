"""What each family of features gives: F0.5 of three classifiers with the family left out, and with it alone.

Full protocol: each article is judged, then its verdict is learned; adaptive threshold. The classifier sees the same
vectors as in the pipeline, with the columns of some families taken away.

    python -m benchmarks.feature_ablation [--quick]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import numpy.typing as npt

from benchmarks import results
from benchmarks.feature_vectors import STREAMS, Recording, record
from extractors import families as feature_families
from iscore.filtering.delivery.limits import is_trained
from iscore.filtering.metrics import count
from iscore.filtering.model_factory import MARGINS, make_classifier
from iscore.filtering.paper import AdaptiveThreshold

FIRST = 5000
CLASSIFIERS = ("stacking", "weighted-naive-bayes", "subset-naive-bayes")
"""The default, weights for features alone, and the selection of features alone, which is part of the default."""
STACKED = sum(MARGINS, ())
SINGLY = (*feature_families()["topic relevance"], *STACKED)
"""Features left out one by one: those that look at the topic, each in its own way, and those of the margins."""


def f05(
    vectors: npt.NDArray[np.float64],
    liked: npt.NDArray[np.bool_],
    name: str = CLASSIFIERS[0],
    features: Sequence[str] = (),
) -> tuple[float, float]:
    """Return F0.5 of a classifier over the whole stream and over the first ``FIRST`` articles.

    ``features`` names the columns, for a classifier that has to know one of them.
    """
    classifier, thresholder = make_classifier(name, features), AdaptiveThreshold()
    delivered = np.zeros(len(liked), dtype=np.bool_)
    likes = dislikes = 0
    for number, (x, interesting) in enumerate(zip(vectors, liked.tolist(), strict=True)):
        cut = thresholder.threshold if is_trained(likes, dislikes) else 0.0
        score = classifier.learn_one(x, interesting)
        delivered[number] = is_trained(likes, dislikes) and score >= cut
        thresholder.learn(score, interesting)
        likes += interesting
        dislikes += not interesting
    return count(delivered, liked).f_beta() or 0.0, count(delivered[:FIRST], liked[:FIRST]).f_beta() or 0.0


def choices() -> dict[str, list[str]]:
    """Return which features take part in each trial."""
    everything = [name for family in feature_families().values() for name in family]
    trials = {"all": everything}
    for family, members in feature_families().items():
        trials[f"without {family}"] = [name for name in everything if name not in members]
    for family, members in feature_families().items():
        trials[f"{family} alone"] = list(members)
    for left_out in dict.fromkeys(SINGLY):
        trials[f"without `{left_out}`"] = [name for name in everything if name != left_out]
    trials["without the margins over words"] = [name for name in everything if name not in STACKED]
    return trials


def outcomes(recording: Recording) -> list[tuple[float, float]]:
    """Return F0.5 of each classifier in each trial for one reader."""
    order = {name: place for place, name in enumerate(recording.names)}
    trials = [sorted(names, key=order.__getitem__) for names in choices().values()]
    return [
        f05(recording.columns(features), recording.liked, name, features) for name in CLASSIFIERS for features in trials
    ]


def main() -> None:
    """Run every trial for every reader and write the table."""
    quick = "--quick" in sys.argv
    recordings = record(every=6 if quick else 1)
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(outcomes, recordings))
    rows = []
    for place, (name, trial) in enumerate((name, trial) for name in CLASSIFIERS for trial in choices()):
        cells: list[results.Cell] = [name, trial]
        for stream in STREAMS:
            mine = [f[place] for f, r in zip(found, recordings, strict=True) if r.stream == stream]
            cells += [round(float(np.mean([values[part] for values in mine])), 3) for part in (0, 1)]
        rows.append(cells)
    columns = [
        "classifier",
        "features",
        *(f"{stream}, {part}" for stream in STREAMS for part in ("whole", f"first {FIRST:,}")),
    ]
    if quick:
        for row in rows:
            print(*row, sep="\t")
        return
    results.write("feature_ablation", "What each family of features gives", columns, rows, _notes(recordings))


def _notes(recordings: Sequence[Recording]) -> str:
    readers = {stream: sum(r.stream == stream for r in recordings) for stream in STREAMS}
    counted = ", ".join(f"{stream} {number}" for stream, number in readers.items())
    about = (__doc__ or "").strip()
    return f"{about}\n\nMeans over readers: {counted}. Until 5 likes and 5 dislikes nothing is delivered."


if __name__ == "__main__":
    main()
