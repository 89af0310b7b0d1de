"""The experiment of Pon, Cardenas and Buttler 2008: naive Bayes against naive Bayes with online feature selection.

The paper has 43 proxy readers over 35,256 articles of 2006, which are not to be had; here are 18 readers of Reuters
(topics, and topics at places), one real reader's Italian feeds, and Hacker News with the popular stories as interest.
Everything else is the paper's: every article is judged, then its verdict is learned; all features at once against the
top-k subset with the best F0.5 so far; an adaptive threshold that trusts the past alone; the measures of Figures 3 to
5. Feature sets: those of the paper's time (``PAPERS``: topic relevancy, reputation of the source, uniqueness,
freshness, writing style, speech events, subjectivity and polarity), and all that there are today. Densities: Weka's,
which the paper had, and ours. While there are fewer than five likes or dislikes the product's cold start decides, the
same for all.

These configurations were committed before the first run and not changed after it. Two arms came later, to test why
selection lost: the subsets' scores are on scales of their own, so a cut learned on the scores of one subset meets those
of another; ``calibrated`` puts them all on one scale. ``default`` is the product's own classifier and thresholder, on
all features.

    python -m benchmarks.paper_experiment [--quick]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from benchmarks import results
from benchmarks.feature_vectors import Recording, record
from iscore.evaluation.replay.metrics import Summary, mean, summary
from iscore.evaluation.replay.outcome import Outcome
from iscore.filtering.delivery.limits import is_trained
from iscore.filtering.paper import AdaptiveThreshold, ColdStart
from iscore.learners import LEARNERS, KernelNaiveBayes, Learner, SubsetNaiveBayes

PAPERS = (
    *("rocchio", "erocchio", "mtt", "language_model"),
    "source_reputation",
    *("novelty", "anomaly_mean", "anomaly_cluster", "freshness", "rare_phrases"),
    *("writing_style", "speech_events", "speech_events_objective", "speech_events_subjective"),
    *("subjectivity", "polarity", "intensity"),
)
"""The features that Pon, Cardenas, Buttler and Critchlow name, 2007 and 2008."""
WEKAS_FLOOR = 1e-9
"""Next to none: Weka's densities fall to 1e-75."""
SHOWN = {
    "f05": "F0.5",
    "precision": "precision",
    "recall": "recall",
    "f05_first_5000": "F0.5 first 5,000",
    "f05_first_1000": "F0.5 first 1,000",
    "f05_even_odds": "F0.5 cut at even odds",
    "f05_best_static": "F0.5 best static cut in hindsight",
    "auc": "AUC",
}
TRUSTING = 0.0
"""The paper's thresholder: the best cut of the past, however short that is."""


@dataclass(frozen=True, slots=True)
class Filter:
    """One arm of the experiment."""

    name: str
    papers_features: bool
    make: Callable[[], Learner]
    prior_positives: float


def _plain(densities: str) -> Learner:
    return KernelNaiveBayes() if densities == "our" else KernelNaiveBayes(bandwidth="weka", floor=WEKAS_FLOOR)


def _selecting(densities: str) -> Learner:
    if densities == "our":
        return SubsetNaiveBayes(calibrated=False)
    return SubsetNaiveBayes(calibrated=False, bandwidth="weka", floor=WEKAS_FLOOR)


def filters() -> list[Filter]:
    """Return every arm: pairs without and with selection, and the product's default."""
    arms = []
    for papers, densities in product((True, False), ("Weka's", "our")):
        features = "paper's features" if papers else "all features"
        setting = f"{features}, {densities} densities"
        arms.append(Filter(f"naive Bayes, {setting}", papers, partial(_plain, densities), TRUSTING))
        arms.append(Filter(f"with selection, {setting}", papers, partial(_selecting, densities), TRUSTING))
        if densities == "our":
            calibrated = f"with selection, calibrated, {setting}"
            arms.append(Filter(calibrated, papers, SubsetNaiveBayes, TRUSTING))
    default = AdaptiveThreshold().prior_positives
    return [*arms, Filter("default", False, LEARNERS["weighted-naive-bayes"], default)]


def live(recording: Recording, arm: Filter) -> Outcome:
    """Send one reader's articles through an arm: judge, then learn."""
    names = tuple(name for name in recording.names if not arm.papers_features or name in PAPERS)
    vectors, n = recording.columns(names), len(recording.liked)
    classifier, thresholder = arm.make(), AdaptiveThreshold(prior_positives=arm.prior_positives)
    cold = ColdStart(names)
    scores, thresholds, trained = np.empty(n), np.zeros(n), np.zeros(n, dtype=np.bool_)
    likes = 0
    began = time.process_time()
    for number, (x, liked) in enumerate(zip(vectors, recording.liked.tolist(), strict=True)):
        trained[number] = is_trained(likes, number - likes)
        if trained[number]:
            thresholds[number] = thresholder.threshold
        else:
            scores[number] = cold.score_many(x[np.newaxis], likes, number - likes)[0]
        score = classifier.learn_one(x, liked)
        thresholder.learn(score, liked)
        if trained[number]:
            scores[number] = score
        likes += liked
    return Outcome(
        stream=recording.stream,
        reader=recording.reader,
        classifier=arm.name,
        protocol="full",
        liked=recording.liked,
        scores=scores,
        thresholds=thresholds,
        recommended=scores >= thresholds,
        explored=np.zeros(n, dtype=np.bool_),
        trained=trained,
        verdicts=n,
        seconds=time.process_time() - began,
    )


def _lives(recording: Recording) -> list[Outcome]:
    return [live(recording, arm) for arm in filters()]


def _cells(found: Sequence[Summary], plain: Sequence[Summary] | None) -> list[results.Cell]:
    """Return the means over readers, and how much better F0.5 is than without selection, in percent."""
    means = mean(found)
    cells: list[results.Cell] = ["" if means[part] is None else round(means[part] or 0.0, 3) for part in SHOWN]
    if plain is None:
        return [*cells, "", "", ""]
    plain_means = mean(plain)
    gains = [100 * ((means[part] or 0.0) / (plain_means[part] or 1.0) - 1) for part in ("f05", "f05_even_odds")]
    better = sum((each.f05 or 0.0) > (other.f05 or 0.0) for each, other in zip(found, plain, strict=True))
    return [*cells, *(f"{gain:+.1f} %" for gain in gains), f"{better} of {len(found)}"]


def main() -> None:
    """Run every arm for every reader, write the table."""
    quick = "--quick" in sys.argv
    recordings = record(every=6 if quick else 1)
    with ProcessPoolExecutor(2) as pool:
        lives = [outcome for outcomes in pool.map(_lives, recordings) for outcome in outcomes]
    columns = [
        "stream",
        "filter",
        *SHOWN.values(),
        *(f"against no selection, {cut}" for cut in ("adaptive", "even odds")),
    ]
    columns.append("readers better")
    table: list[list[results.Cell]] = []
    for stream in dict.fromkeys(each.stream for each in lives):
        by_arm = {
            arm.name: [summary(each) for each in lives if each.stream == stream and each.classifier == arm.name]
            for arm in filters()
        }
        for name, found in by_arm.items():
            without = name.replace("with selection, ", "naive Bayes, ").replace("calibrated, ", "")
            plain = by_arm[without] if without != name else None
            table.append([stream, name, *_cells(found, plain)])
    if quick:
        for row in table:
            print(*row, sep="\t")
        return
    notes = (__doc__ or "").strip()
    results.write("paper_experiment", "Naive Bayes with and without online feature selection", columns, table, notes)


if __name__ == "__main__":
    main()
