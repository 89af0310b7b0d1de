"""Make a reader's model from its parts, for the product and for replays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from extractors.base import Extractor
from iscore.filtering.decision.adaptive_threshold import AdaptiveThreshold
from iscore.filtering.decision.expected_threshold import ExpectedThreshold
from iscore.filtering.drift_adaptation import DriftAdaptiveModel
from iscore.filtering.model import ReaderModel, Thresholder
from iscore.learners import LEARNERS, Learner, Stacking

MARGIN = ("words_cw", "names_cw")
"""The features whose sum is the second base score of stacking: the margin of the learner that, on words alone, decides
best (``benchmarks/results/rivals.md``)."""

THRESHOLDERS: dict[str, Callable[[], Thresholder]] = {"expected": ExpectedThreshold, "past": AdaptiveThreshold}
"""Name → factory of what finds the threshold where every verdict is known: the best for what is expected of articles,
or the best for past verdicts, as in the paper."""
AS_IN_THE_PAPER = ("subset-naive-bayes", "uncalibrated-subset-naive-bayes", "kernel-naive-bayes")
"""Classifiers that rank alone, and where every verdict is known at the threshold of the paper."""


def usual_thresholder(classifier: str) -> str:
    """Return the name of the thresholder that goes with a classifier."""
    return "past" if classifier in AS_IN_THE_PAPER else "expected"


def usual_rankers(classifier: str) -> str:
    """Return which of ``decision.labelled.RANKERS`` go with a classifier."""
    return "classifier" if classifier in AS_IN_THE_PAPER else "all"


def make_classifier(name: str, features: Sequence[str]) -> Learner:
    """Return a classifier that has learned nothing, for vectors of these features.

    Raises ``KeyError`` for a name that is not in ``LEARNERS``.
    """
    classifier = LEARNERS[name]()
    if isinstance(classifier, Stacking):
        classifier.set_params(margin=tuple(features.index(name) for name in MARGIN if name in features))
    return classifier


def make_reader(
    article_feature_names: Sequence[str],
    make_extractors: Callable[[], Mapping[str, Extractor]],
    classifier: str,
    *,
    follow_changes: bool = False,
    thresholder: str = "",
    rankers: str = "",
) -> ReaderModel:
    """Return a model that has learned nothing.

    Parameters
    ----------
    article_feature_names
        Names of the features that are frozen at arrival, in order.
    make_extractors
        Makes extractors that have learned nothing, by registered name.
    classifier
        One of ``LEARNERS``. Raises ``KeyError`` for any other.
    follow_changes
        Whether the model adapts to changes of interest (``iscore.filtering.drift_adaptation``).
    thresholder
        One of ``THRESHOLDERS``; empty for the usual one of the classifier.
    rankers
        One of ``decision.labelled.RANKERS``; empty for the usual ones of the classifier.
    """
    extractors = make_extractors()
    of_reader = [name for each in extractors.values() if each.scope == "reader" for name in each.features]
    make = partial(make_classifier, classifier, (*article_feature_names, *of_reader))
    make_thresholder = THRESHOLDERS[thresholder or usual_thresholder(classifier)]
    model = (
        DriftAdaptiveModel(article_feature_names, make_extractors, make, make_thresholder)
        if follow_changes
        else ReaderModel(article_feature_names, extractors, make(), make_thresholder())
    )
    model.rankers = rankers or usual_rankers(classifier)
    return model
