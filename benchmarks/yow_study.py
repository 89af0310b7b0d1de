"""The YOW user study: naive Bayes with and without online feature selection, and iScore's default, over ratings.

The reader likes what they gave 4 or 5; each article is judged, then its verdict is learned, in the order of the study.
There are no texts. Features, in two sets:

- with ratings: novelty, readability and authority, as the person answered together with the verdict, so that they stand
  for what a filter would have to measure; the feed's reputation; hour and weekday of the visit. "Relevant" is left out,
  being nearly the same question.
- before reading: the feed's reputation, hour and weekday alone.

The reputation is iScore's, of the verdicts before. What was seen of the person while they read is left out. `everybody`
takes all verdicts for one person's. Persons need 50 ratings. Recommending every article is what a filter must beat:
people chose what they read, and liked more than half of it.

    python -m benchmarks.yow_study
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from benchmarks import results
from benchmarks.results import Cell
from benchmarks.rival_learners.cuts import adaptive, at_zero, f05
from benchmarks.streams import LabelledArticle, yow
from benchmarks.streams.yow import EVERYBODY, RATINGS
from extractors.article_features import AnalysedArticle
from extractors.reader.reputation import SourceReputation
from extractors.text.terms import TermVector
from iscore.learners import LEARNERS

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

FEWEST = 50
TIME = ("hour", "weekday")
SETS = {"with ratings": (*RATINGS, *TIME), "before reading": TIME}
"""Ratings that take part beside the feed's reputation."""
PLAIN = "kernel-naive-bayes"
CLASSIFIERS = {
    PLAIN: "naive Bayes",
    "uncalibrated-subset-naive-bayes": "selection, as in the paper",
    "subset-naive-bayes": "selection, calibrated",
    next(iter(LEARNERS)): "iScore's default",
}
NO_TERMS = TermVector.from_bytes(b"")


def vectors(articles: Sequence[LabelledArticle], reader: str, names: Sequence[str]) -> tuple[Floats, Bools]:
    """Return the features of the articles that a reader rated, (m, 1 + names), and what they liked, (m,)."""
    feeds = SourceReputation()
    rows, liked = [], []
    for article in articles:
        if reader in article.labels:
            frozen = AnalysedArticle(article, NO_TERMS)
            ratings = [article.features.get(name, np.nan) for name in names]
            rows.append([float(feeds.extract(frozen)[0]), *ratings])
            liked.append(article.labels[reader])
            feeds.learn(frozen, liked[-1], 1.0)
    return np.array(rows), np.array(liked)


def measured(X: Floats, liked: Bools, classifier: str) -> tuple[float, float, float]:
    """Return F0.5 with the adaptive threshold and at even odds, and the AUC, of one reader."""
    from sklearn.metrics import roc_auc_score

    learner = LEARNERS[classifier]()
    scores = np.array([learner.learn_one(x, verdict) for x, verdict in zip(X, liked.tolist(), strict=True)])
    return f05(adaptive(scores, liked), liked), f05(at_zero(scores, liked), liked), float(roc_auc_score(liked, scores))


def main() -> None:
    """Measure, and write the table."""
    articles = yow()
    counts = Counter(reader for article in articles for reader in article.labels)
    people = [reader for reader, number in counts.items() if number >= FEWEST and reader != EVERYBODY]
    rows: list[list[Cell]] = []
    for chosen, names in SETS.items():
        streams = {reader: vectors(articles, reader, names) for reader in (*people, EVERYBODY)}
        found = {(c, r): measured(X, liked, c) for c in CLASSIFIERS for r, (X, liked) in streams.items()}
        plain = np.array([found[PLAIN, reader][0] for reader in people])
        for classifier, what in CLASSIFIERS.items():
            mine = np.array([found[classifier, reader] for reader in people])
            means = [round(float(mean), 3) for mean in mine.mean(axis=0)]
            better = "" if classifier == PLAIN else f"{int((mine[:, 0] > plain).sum())} of {len(people)}"
            pooled = [round(figure, 3) for figure in found[classifier, EVERYBODY]]
            rows.append([chosen, f"{what} (`{classifier}`)", *means, better, *pooled])
    everything = [f05(np.ones(len(y), dtype=bool), y) for _, y in (streams[reader] for reader in people)]
    pooled_y = streams[EVERYBODY][1]
    of_all = round(f05(np.ones(len(pooled_y), dtype=bool), pooled_y), 3)
    rows.append(["nothing", "every article", round(float(np.mean(everything)), 3), "", "", "", of_all, "", ""])
    figures = ("F0.5, adaptive", "F0.5 at even odds", "AUC")
    columns = ["features", "filter", *(f"people, {figure}" for figure in figures)]
    columns += ["people better off than with naive Bayes", *(f"everybody, {figure}" for figure in figures)]
    notes = f"{(__doc__ or '').strip()}\n\n{len(people)} people, {len(articles):,} ratings. Means over people."
    results.write("yow_study", "The YOW user study", columns, rows, notes)


if __name__ == "__main__":
    main()
