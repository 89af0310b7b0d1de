"""The learners by name, as settings and reports use them. Those that few people use are imported when one is made."""

from __future__ import annotations

from collections.abc import Callable

from iscore import learners
from iscore.learners.learner import Learner


def _scaled(learner: Learner) -> Learner:
    """Return a learner over features of any scale, by their running mean and deviation, with scores in log-odds."""
    return learners.Calibrated(learners.StandardScaled(learner))


def _binned(learner: Learner) -> Learner:
    """Return a learner over features of any kind, coded one-hot into bins, with scores in log-odds."""
    return learners.Calibrated(learners.QuantileBins(learner))


LEARNERS: dict[str, Callable[[], Learner]] = {
    "stacking": lambda: learners.Stacking(learners.Stacking(learners.SubsetNaiveBayes())),
    "stacking-weighted-naive-bayes": lambda: learners.Stacking(learners.WeightedNaiveBayes()),
    "weighted-naive-bayes": learners.WeightedNaiveBayes,
    "kernel-naive-bayes": learners.KernelNaiveBayes,
    "subset-naive-bayes": learners.SubsetNaiveBayes,
    "uncalibrated-subset-naive-bayes": lambda: learners.SubsetNaiveBayes(calibrated=False),
    "perceptron": lambda: _scaled(learners.Perceptron(bias=True)),
    "voted-perceptron": lambda: _scaled(learners.Voted(learners.Perceptron(bias=True))),
    "positive-winnow": lambda: _binned(learners.PositiveWinnow()),
    "v-positive-winnow": lambda: _binned(learners.Voted(learners.PositiveWinnow())),
    "balanced-winnow": lambda: _binned(learners.BalancedWinnow()),
    "v-balanced-winnow": lambda: _binned(learners.Voted(learners.BalancedWinnow())),
    "mbw": lambda: _binned(learners.ModifiedBalancedWinnow()),
    "v-mbw": lambda: _binned(learners.Voted(learners.ModifiedBalancedWinnow())),
    "passive-aggressive": lambda: _scaled(learners.PassiveAggressive(bias=True)),
    "v-pa": lambda: _scaled(learners.Voted(learners.PassiveAggressive(bias=True))),
    "romma": lambda: _scaled(learners.Romma(bias=True)),
    "v-romma": lambda: _scaled(learners.Voted(learners.Romma(bias=True))),
    "aggressive-romma": lambda: _scaled(learners.Romma(aggressive=True, bias=True)),
    "mira": lambda: _scaled(learners.Mira(bias=True)),
    "v-mira": lambda: _scaled(learners.Voted(learners.Mira(bias=True))),
    "confidence-weighted": lambda: _scaled(learners.ConfidenceWeighted(bias=True)),
    "confidence-weighted-variance": lambda: _scaled(learners.ConfidenceWeighted(variant="variance", bias=True)),
    "logistic-regression": lambda: learners.OnlineLogisticRegression(scaling="standard"),
    "averaged-logistic-regression": lambda: learners.OnlineLogisticRegression(scaling="standard", average=True),
}
"""Name → factory of a classifier for the pipeline, over dense vectors of features, some of them missing. The linear
learners of the papers come as compositions; by themselves they are for words."""
