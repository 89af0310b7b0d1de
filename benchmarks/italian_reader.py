"""One real person's feeds: iScore against what they would get from simpler filters, with intervals of the differences.

533 liked and 550 disliked articles in order of arrival; each is judged, then its verdict is learned. Counted from the
50th verdict on. The rivals:

- logistic regression over tf-idf of title and description, with source and category as one word each, retrained after
  every verdict from all verdicts so far, document frequencies included (scikit-learn; C = 10 and C = 100);
- the share of likes among the verdicts on the article's category so far;
- the confidence-weighted learner over words, those of the metadata among them (`rivals.md`).

A rival's scores are cut at even odds and by iScore's thresholder. Differences are iScore's minus the rival's, with the
better of its cuts for F0.5; intervals of 95 % from 10,000 paired resamples of the articles.

    python -m benchmarks.italian_reader
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import SupportsFloat

import numpy as np
import numpy.typing as npt

from benchmarks import results
from benchmarks.feature_vectors import freeze
from benchmarks.resampling import auc, differences, f05
from benchmarks.results import Cell
from benchmarks.rival_learners import linear
from benchmarks.rival_learners.cuts import adaptive, at_zero
from benchmarks.rival_learners.words import words_of
from benchmarks.streams import LabelledArticle, italian_reader
from iscore.filtering.features.factory import make_extractors
from iscore.filtering.model_factory import make_reader
from iscore.filtering.paper import THRESHOLDERS, PaperFilter, usual_thresholder
from iscore.learners import LEARNERS

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

READER = "reader"
FROM = 49
"""Verdicts before the first that counts."""
DEFAULT = next(iter(LEARNERS))
BELIEVED = 2.0
"""Verdicts that the share of all likes counts for, in a category's share."""


def iscore(articles: Sequence[LabelledArticle]) -> tuple[Floats, Bools]:
    """Return the scores of the articles with a verdict, and what was recommended; both of shape (m,)."""
    frozen, names = freeze(articles)
    reader = make_reader(names, make_extractors(), DEFAULT)
    model = PaperFilter(reader, THRESHOLDERS[usual_thresholder(DEFAULT)]())
    decisions = []
    for article, labelled in zip(frozen, articles, strict=True):
        if READER in labelled.labels:
            decisions.append(model.decide(article))
            model.learn(article, labelled.labels[READER])
    return np.array([each.score for each in decisions]), np.array([each.interesting for each in decisions])


def retrained(articles: Sequence[LabelledArticle], liked: Bools, C: float) -> Floats:
    """Return the log-odds of logistic regression, trained anew before each article; 0 until both classes are known."""
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.linear_model import LogisticRegression

    counts = words_of(articles).counts
    found = np.zeros(len(liked))
    for known in range(1, len(liked)):
        if 0 < liked[:known].sum() < known:
            weigh = TfidfTransformer(sublinear_tf=True)
            past = weigh.fit_transform(counts[:known])
            model = LogisticRegression(C=C, solver="liblinear", random_state=0).fit(past, liked[:known])
            found[known] = model.decision_function(weigh.transform(counts[known]))[0]
    return found


def by_category(articles: Sequence[LabelledArticle], liked: Bools) -> Floats:
    """Return the log-odds of the share of likes in the article's category so far, drawn a little to that of all."""
    seen: dict[tuple[str, ...], list[float]] = defaultdict(lambda: [0.0, 0.0])
    of_all = [1.0, 1.0]
    found = np.zeros(len(liked))
    for place, (article, verdict) in enumerate(zip(articles, liked.tolist(), strict=True)):
        of_category = seen[article.categories]
        share = (of_category[1] + BELIEVED * of_all[1] / sum(of_all)) / (sum(of_category) + BELIEVED)
        found[place] = math.log(share / (1.0 - share))
        of_category[verdict] += 1.0
        of_all[verdict] += 1.0
    return found


def main() -> None:
    """Measure, and write the table."""
    articles = italian_reader()
    judged = [article for article in articles if READER in article.labels]
    liked = np.array([article.labels[READER] for article in judged])
    scores, recommended = iscore(articles)
    there = np.array([READER in article.labels for article in articles])
    margins = linear.scores(linear.over_words()["confidence-weighted"], words_of(articles).only(there).tfidf, liked)
    rivals = {
        "logistic regression, C = 10": retrained(judged, liked, 10.0),
        "logistic regression, C = 100": retrained(judged, liked, 100.0),
        "share of likes per category": by_category(judged, liked),
        "confidence-weighted on words": margins,
    }
    ours, y = recommended[FROM:], liked[FROM:]
    even = at_zero(scores, liked)[FROM:]
    rows: list[list[Cell]] = [["iScore", *_rounded(auc(scores[FROM:], y), f05(even, y), f05(ours, y)), "", ""]]
    for name, theirs in rivals.items():
        at_even_odds, by_threshold = at_zero(theirs, liked)[FROM:], adaptive(theirs, liked)[FROM:]
        better = max(at_even_odds, by_threshold, key=lambda delivered: f05(delivered, y))
        intervals = differences(y, (scores[FROM:], ours), (theirs[FROM:], better))
        figures = _rounded(auc(theirs[FROM:], y), f05(at_even_odds, y), f05(by_threshold, y))
        rows.append([name, *figures, *(str(interval) for interval in intervals)])
    columns = ["filter", "AUC", "F0.5 at even odds", "F0.5, adaptive", "AUC: iScore's lead", "F0.5: iScore's lead"]
    results.write("italian_reader", "One real reader", columns, rows, __doc__ or "")


def _rounded(*figures: SupportsFloat) -> list[Cell]:
    return [round(float(figure), 4) for figure in figures]


if __name__ == "__main__":
    main()
