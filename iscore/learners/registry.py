"""The learners by name, as settings and reports use them."""

from __future__ import annotations

from collections.abc import Callable

from iscore.learners.ensemble.calibrated import Calibrated
from iscore.learners.ensemble.stacking import Stacking
from iscore.learners.learner import Learner
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
from iscore.learners.preprocessing.quantile_bins import QuantileBins
from iscore.learners.preprocessing.standard_scaler import StandardScaled


def _scaled(learner: Learner) -> Learner:
    """Return a learner over features of any scale, by their running mean and deviation, with scores in log-odds."""
    return Calibrated(StandardScaled(learner))


def _binned(learner: Learner) -> Learner:
    """Return a learner over features of any kind, coded one-hot into bins, with scores in log-odds."""
    return Calibrated(QuantileBins(learner))


LEARNERS: dict[str, Callable[[], Learner]] = {
    "two-opinions": Stacking,
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
"""Name → factory of a classifier for the pipeline, over dense vectors of features, some of them missing. The linear
learners of the papers come as compositions; by themselves they are for words."""
