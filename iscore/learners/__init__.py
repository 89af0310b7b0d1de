"""Online learners: from a vector of features to a score, one example at a time. ``LEARNERS`` has them by name.

>>> from iscore.learners import Perceptron
>>> learner = Perceptron()
>>> learner.learn_one([1.0, 0.0], True)
0.0

Names are imported when they are first used, so that ``import iscore.learners`` itself loads neither numba nor
scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iscore.learners.ensemble.calibrated import Calibrated
    from iscore.learners.ensemble.stacking import Stacking
    from iscore.learners.learner import Explanation, Learner
    from iscore.learners.linear.confidence_weighted import ConfidenceWeighted
    from iscore.learners.linear.mira import Mira
    from iscore.learners.linear.online_logistic_regression import OnlineLogisticRegression
    from iscore.learners.linear.passive_aggressive import PassiveAggressive
    from iscore.learners.linear.perceptron import Perceptron
    from iscore.learners.linear.romma import Romma
    from iscore.learners.linear.voted import Voted
    from iscore.learners.linear.winnow import BalancedWinnow, ModifiedBalancedWinnow, PositiveWinnow
    from iscore.learners.naive_bayes.kernel_naive_bayes import KernelNaiveBayes
    from iscore.learners.naive_bayes.subset_naive_bayes import SubsetNaiveBayes
    from iscore.learners.naive_bayes.weighted_naive_bayes import WeightedNaiveBayes
    from iscore.learners.preprocessing.feature_selection import ExtremalFeatureSelection, chi_square, information_gain
    from iscore.learners.preprocessing.quantile_bins import QuantileBins
    from iscore.learners.preprocessing.standard_scaler import StandardScaled
    from iscore.learners.registry import LEARNERS
    from iscore.learners.sklearn_adapter import EXPECTED_FAILED_CHECKS, as_estimator

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
    "Stacking",
    "StandardScaled",
    "SubsetNaiveBayes",
    "Voted",
    "WeightedNaiveBayes",
    "as_estimator",
    "chi_square",
    "information_gain",
]

_MODULES = {
    "EXPECTED_FAILED_CHECKS": "sklearn_adapter",
    "LEARNERS": "registry",
    "BalancedWinnow": "linear.winnow",
    "Calibrated": "ensemble.calibrated",
    "ConfidenceWeighted": "linear.confidence_weighted",
    "Explanation": "learner",
    "ExtremalFeatureSelection": "preprocessing.feature_selection",
    "KernelNaiveBayes": "naive_bayes.kernel_naive_bayes",
    "Learner": "learner",
    "Mira": "linear.mira",
    "ModifiedBalancedWinnow": "linear.winnow",
    "OnlineLogisticRegression": "linear.online_logistic_regression",
    "PassiveAggressive": "linear.passive_aggressive",
    "Perceptron": "linear.perceptron",
    "PositiveWinnow": "linear.winnow",
    "QuantileBins": "preprocessing.quantile_bins",
    "Romma": "linear.romma",
    "Stacking": "ensemble.stacking",
    "StandardScaled": "preprocessing.standard_scaler",
    "SubsetNaiveBayes": "naive_bayes.subset_naive_bayes",
    "Voted": "linear.voted",
    "WeightedNaiveBayes": "naive_bayes.weighted_naive_bayes",
    "as_estimator": "sklearn_adapter",
    "chi_square": "preprocessing.feature_selection",
    "information_gain": "preprocessing.feature_selection",
}
"""Name → the module below this package that has it."""


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    return value


def __dir__() -> list[str]:
    """Return the public names, imported or not."""
    return [*globals(), *__all__]
