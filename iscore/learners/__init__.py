"""Learners that turn a vector of features into a score, one example at a time; ``LEARNERS`` names them."""

from __future__ import annotations

from collections.abc import Callable

from iscore.learners.balanced_winnow import BalancedWinnow
from iscore.learners.confidence_weighted import ConfidenceWeighted
from iscore.learners.extremal_feature_selection import ExtremalFeatureSelection
from iscore.learners.kernel_naive_bayes import KernelNaiveBayes
from iscore.learners.learner import Explanation, Learner
from iscore.learners.mira import Mira
from iscore.learners.modified_balanced_winnow import ModifiedBalancedWinnow
from iscore.learners.online_logistic_regression import OnlineLogisticRegression
from iscore.learners.passive_aggressive import PassiveAggressive
from iscore.learners.perceptron import Perceptron
from iscore.learners.positive_winnow import PositiveWinnow
from iscore.learners.presence_scores import chi_square, information_gain
from iscore.learners.romma import Romma
from iscore.learners.subset_naive_bayes import SubsetNaiveBayes
from iscore.learners.voted import Voted

__all__ = [
    "EXPECTED_FAILED_CHECKS",
    "LEARNERS",
    "BalancedWinnow",
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
    "Romma",
    "SubsetNaiveBayes",
    "Voted",
    "chi_square",
    "information_gain",
]

LEARNERS: dict[str, Callable[[], Learner]] = {
    "kernel-naive-bayes": KernelNaiveBayes,
    "subset-naive-bayes": SubsetNaiveBayes,
    "uncalibrated-subset-naive-bayes": lambda: SubsetNaiveBayes(calibrated=False),
}

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
