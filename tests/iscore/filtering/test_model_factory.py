"""Making a reader's model: the default classifier stacks the margin over words."""

from __future__ import annotations

import numpy as np

from extractors.text.terms import N_TERMS
from iscore.core.settings import Settings
from iscore.filtering.features.computation import ArticleFeatures
from iscore.filtering.features.factory import TERM_LEARNERS, make_extractors
from iscore.filtering.model_factory import MARGIN, make_classifier, make_reader
from iscore.learners import Stacking


def test_the_default_stacks_the_margin_over_words() -> None:
    arrival = ArticleFeatures(make_extractors()).names
    model = make_reader(arrival, make_extractors(), Settings().classifier)
    assert isinstance(model.classifier, Stacking)
    assert model.classifier.margin == tuple(model.names.index(name) for name in MARGIN)


def test_without_those_features_nothing_is_stacked() -> None:
    classifier = make_classifier("stacking", ("age", "novelty"))
    assert isinstance(classifier, Stacking)
    assert classifier.margin == ()


def test_with_rare_likes_unknown_words_lower_the_score() -> None:
    learner = TERM_LEARNERS["confidence-weighted"]()
    random = np.random.default_rng(2)
    for number in range(200):
        ids = np.sort(random.choice(5000, 20, replace=False)).astype(np.int32)
        learner.learn_row(ids, np.full(20, 20**-0.5, dtype=np.float32), number % 20 == 0, 1.0)
    ids = np.arange(N_TERMS - 20, N_TERMS, dtype=np.int32)
    rows = np.array((0, 20), dtype=np.int64)
    assert learner.score_rows(rows, ids, np.full(20, 20**-0.5, dtype=np.float32))[0] < 0.0
