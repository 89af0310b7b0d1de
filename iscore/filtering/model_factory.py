"""Make a reader's model from its parts, for the product and for replays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from extractors.base import Extractor
from iscore.filtering.model import ReaderModel
from iscore.filtering.paper import AS_IN_THE_PAPER, ColdStart
from iscore.learners import LEARNERS, Learner, Stacking

MARGINS: tuple[tuple[str, ...], ...] = (("words_cw", "names_cw"), ("language_model",))
"""The features whose sum is the second base score of stacking, and of a stacking within it: the margin of the learner
that decides best on words alone of full texts (``benchmarks/results/rivals.md``), and what does on headlines."""


def usual_rankers(classifier: str) -> str:
    """Return which of ``ranking.labelled.RANKERS`` go with a classifier."""
    return "classifier" if classifier in AS_IN_THE_PAPER else "all"


def make_classifier(name: str, features: Sequence[str]) -> Learner:
    """Return a classifier that has learned nothing, for vectors of these features.

    Raises ``KeyError`` for a name that is not in ``LEARNERS``.
    """
    classifier = LEARNERS[name]()
    learner: Learner | None = classifier
    for margin in MARGINS:
        if isinstance(learner, Stacking):
            learner.margin = tuple(features.index(name) for name in margin if name in features)
            learner = learner.learner
    return classifier


def make_reader(
    article_feature_names: Sequence[str], extractors: Mapping[str, Extractor], classifier: str, *, rankers: str = ""
) -> ReaderModel:
    """Return a model that has learned nothing.

    Parameters
    ----------
    article_feature_names
        Names of the features that are frozen at arrival, in order.
    extractors
        Extractors that have learned nothing, by registered name; they are the model's own from now on.
    classifier
        One of ``LEARNERS``. Raises ``KeyError`` for any other.
    rankers
        One of ``ranking.labelled.RANKERS``; empty for the usual ones of the classifier.
    """
    of_reader = [name for each in extractors.values() if each.scope == "reader" for name in each.features]
    names = (*article_feature_names, *of_reader)
    model = ReaderModel(article_feature_names, extractors, make_classifier(classifier, names))
    model.rankers = rankers or usual_rankers(classifier)
    if model.rankers == "classifier":  # nothing else ranks until it is trained
        model.cold_start = ColdStart(names)
    return model
