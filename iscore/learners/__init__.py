"""Learners that turn a vector of features into a score, one example at a time; ``LEARNERS`` names them."""

from __future__ import annotations

from collections.abc import Callable

from iscore.learners.ensemble.calibrated import Calibrated
from iscore.learners.ensemble.stacking import TwoOpinions
from iscore.learners.learner import Explanation, Learner
from iscore.learners.linear.balanced_winnow import BalancedWinnow
from iscore.learners.linear.confidence_weighted import ConfidenceWeighted
from iscore.learners.linear.mira import Mira
from iscore.learners.linear.modified_balanced_winnow import ModifiedBalancedWinnow
from iscore.learners.linear.online_logistic_regression import OnlineLogisticRegression
from iscore.learners.linear.passive_aggressive import PassiveAggressive
from iscore.learners.linear.perceptron import Perceptron
from iscore.learners.linear.positive_winnow import PositiveWinnow
from iscore.learners.linear.romma import Romma
from iscore.learners.linear.voted import Voted
from iscore.learners.naive_bayes.kernel_naive_bayes import KernelNaiveBayes
from iscore.learners.naive_bayes.subset_naive_bayes import SubsetNaiveBayes
from iscore.learners.naive_bayes.weighted_naive_bayes import WeightedNaiveBayes
from iscore.learners.preprocessing.extremal_feature_selection import ExtremalFeatureSelection
from iscore.learners.preprocessing.presence_scores import chi_square, information_gain
from iscore.learners.preprocessing.quantile_bins import QuantileBins
from iscore.learners.preprocessing.standard_scaler import Standardised

__all__ = [
    "EXPECTED_FAILED_CHECKS",
    "LEARNERS",
    "BalancedWinnow",
    "Calibrated",
    "ConfidenceWeighted",
    "Explanation",
    "ExtremalFeatureSelection",
    "KernelNaiveBayes",
    "Learner",
    "Mira",
    "ModifiedBalancedWinnow",
    "OnlineLogisticRegression",
    "PassiveAggressive",
    "Perceptron",
    "PositiveWinnow",
    "QuantileBins",
    "Romma",
    "Standardised",
    "SubsetNaiveBayes",
    "TwoOpinions",
    "Voted",
    "WeightedNaiveBayes",
    "chi_square",
    "information_gain",
]


def _scaled(learner: Learner) -> Learner:
    """Return a learner over features of any scale, by their running mean and deviation, with scores in log-odds."""
    return Calibrated(Standardised(learner))


def _binned(learner: Learner) -> Learner:
    """Return a learner over features of any kind, coded one-hot into bins, with scores in log-odds."""
    return Calibrated(QuantileBins(learner))


LEARNERS: dict[str, Callable[[], Learner]] = {
    "two-opinions": TwoOpinions,
    "weighted-naive-bayes": WeightedNaiveBayes,
    "kernel-naive-bayes": KernelNaiveBayes,
    "subset-naive-bayes": SubsetNaiveBayes,
    "uncalibrated-subset-naive-bayes": lambda: SubsetNaiveBayes(calibrated=False),
    "perceptron": lambda: _scaled(Perceptron(bias=True)),
    "voted-perceptron": lambda: _scaled(Voted(Perceptron(bias=True))),
    "positive-winnow": lambda: _binned(PositiveWinnow()),
    "v-positive-winnow": lambda: _binned(Voted(PositiveWinnow())),
    "balanced-winnow": lambda: _binned(BalancedWinnow()),
    "v-balanced-winnow": lambda: _binned(Voted(BalancedWinnow())),
    "mbw": lambda: _binned(ModifiedBalancedWinnow()),
    "v-mbw": lambda: _binned(Voted(ModifiedBalancedWinnow())),
    "passive-aggressive": lambda: _scaled(PassiveAggressive(bias=True)),
    "v-pa": lambda: _scaled(Voted(PassiveAggressive(bias=True))),
    "romma": lambda: _scaled(Romma(bias=True)),
    "v-romma": lambda: _scaled(Voted(Romma(bias=True))),
    "aggressive-romma": lambda: _scaled(Romma(aggressive=True, bias=True)),
    "mira": lambda: _scaled(Mira(bias=True)),
    "v-mira": lambda: _scaled(Voted(Mira(bias=True))),
    "confidence-weighted": lambda: _scaled(ConfidenceWeighted(bias=True)),
    "confidence-weighted-variance": lambda: _scaled(ConfidenceWeighted(variant="variance", bias=True)),
    "logistic-regression": lambda: OnlineLogisticRegression(scaling="standard"),
    "averaged-logistic-regression": lambda: OnlineLogisticRegression(scaling="standard", average=True),
}
"""Name → maker of a classifier for the pipeline: over dense vectors of features, some of them missing. The linear
learners of the papers come as compositions; by themselves they are for words."""

_ORDER_MATTERS = (
    "a mistake-driven learner depends on the order of the examples, which the check shuffles, and what an example "
    "teaches depends on what was learned before: its second copy is no mistake any more"
)
_WEIGHTS = {
    "check_sample_weight_equivalence_on_dense_data": _ORDER_MATTERS,
    "check_sample_weight_equivalence_on_sparse_data": _ORDER_MATTERS,
}
_TWO_FEATURES = {
    "check_classifiers_train": (
        "the paper's learner has no bias and follows every example all the way, so that in one pass over two dense "
        "features, of classes that overlap, the last examples decide; bias=True or voting mends it"
    )
}
_RATES = dict.fromkeys(
    _WEIGHTS,
    "the learning rate falls from example to example, and what an example teaches depends on what was learned before: "
    "the check shuffles the examples, and takes a weight of 2 for two examples at two rates",
)

EXPECTED_FAILED_CHECKS: dict[str, dict[str, str]] = {
    "Calibrated": {
        "check_sample_weight_equivalence_on_dense_data": (
            "the line is learned from scores of examples before they are learned: the second copy of a row has another "
            "score than the first, and the check shuffles the rows besides"
        )
    },
    "ConfidenceWeighted": _WEIGHTS,
    "ExtremalFeatureSelection": _WEIGHTS,
    "Mira": _WEIGHTS | _TWO_FEATURES,
    "ModifiedBalancedWinnow": _WEIGHTS,
    "OnlineLogisticRegression": _RATES,
    "PassiveAggressive": _WEIGHTS,
    "Perceptron": _WEIGHTS,
    "Romma": _WEIGHTS | _TWO_FEATURES,
    "SubsetNaiveBayes": {
        "check_sample_weight_equivalence_on_dense_data": (
            "the subset is chosen by decisions on examples before they are learned: of a row that comes twice the "
            "second copy is decided by a learner that knows the first, and the check shuffles the rows besides"
        )
    },
    "Voted": _WEIGHTS,
}
"""Checks of scikit-learn that cannot hold: name of the class → name of the check → reason."""
