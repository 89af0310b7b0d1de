"""Making a reader's model: the default classifier stacks the margin over words."""

from __future__ import annotations

import numpy as np
import pytest

from extractors.text.terms import N_TERMS
from iscore.core.settings import Settings
from iscore.filtering.features.computation import ArticleFeatures
from iscore.filtering.features.factory import TERM_LEARNERS, make_extractors
from iscore.filtering.model_factory import MARGINS, make_classifier, make_reader
from iscore.learners import Learner, Stacking, SubsetNaiveBayes, WeightedNaiveBayes

ARRIVAL = ArticleFeatures(make_extractors()).names


def stacked(classifier: Learner) -> tuple[list[tuple[int, ...]], Learner | None]:
    """Return the margins of a stacking, the outermost first, and the learner within all."""
    margins: list[tuple[int, ...]] = []
    learner: Learner | None = classifier
    while isinstance(learner, Stacking):
        margins.append(tuple(learner.margin))
        learner = learner.learner
    return margins, learner


@pytest.mark.parametrize(
    ("name", "levels", "within"),
    [(Settings().classifier, 2, SubsetNaiveBayes), ("stacking-weighted-naive-bayes", 1, WeightedNaiveBayes)],
)
def test_margins_over_words_are_stacked_on_naive_bayes(name: str, levels: int, within: type) -> None:
    model = make_reader(ARRIVAL, make_extractors(), name)
    margins, learner = stacked(model.classifier)
    assert margins == [tuple(model.names.index(each) for each in margin) for margin in MARGINS[:levels]]
    assert isinstance(learner, within)


def test_without_those_features_nothing_is_stacked() -> None:
    assert stacked(make_classifier("stacking", ("age", "novelty")))[0] == [(), ()]


def test_with_rare_likes_unknown_words_lower_the_score() -> None:
    learner = TERM_LEARNERS["confidence-weighted"]()
    random = np.random.default_rng(2)
    for number in range(200):
        ids = np.sort(random.choice(5000, 20, replace=False)).astype(np.int32)
        learner.learn_row(ids, np.full(20, 20**-0.5, dtype=np.float32), number % 20 == 0, 1.0)
    ids = np.arange(N_TERMS - 20, N_TERMS, dtype=np.int32)
    rows = np.array((0, 20), dtype=np.int64)
    assert learner.score_rows(rows, ids, np.full(20, 20**-0.5, dtype=np.float32))[0] < 0.0
