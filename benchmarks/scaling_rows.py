"""The 18 algorithms of Bollegala's Tables 2 to 4 and their grids, the three data sets, and one pass over a split.

The paper names its splits by their sizes only, but its trivial rows betray how many of each class they had: always
"ill" is right for 94 of 216 test rows of heart, always class 2 for 162 of 276 of liver, always "healthy" for 399 of 611
of diabetes. Splits here have these counts. They are the smaller part for training, against the paper's Table 1: its
figures are multiples of 1/54, 1/69 and 1/157 for training and of 1/216, 1/276 and 1/611 for testing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.streams import data_folder
from iscore.learners import OnlineLogisticRegression, PassiveAggressive
from iscore.learners.linear.linear_classifier import LinearClassifier
from iscore.learners.linear.online_logistic_regression import Scaling
from iscore.learners.linear.passive_aggressive import Variant

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

STRENGTHS = (0.0, 0.01, 0.1, 1.0, 10.0, 100.0)
AGGRESSIVENESS = (0.01, 0.1, 1.0, 10.0, 100.0)


@dataclass(frozen=True, slots=True)
class DataSet:
    """Rows with two classes, and how many of each are for training."""

    name: str
    X: Floats
    y: Bools
    train: tuple[int, int]
    """How many rows of the first and of the second class."""

    def split(self, seed: int, *, larger: bool = False) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Return which rows are for training, in random order, and which for testing; ``larger`` swaps their parts."""
        chance = np.random.default_rng(seed)
        drawn = [chance.permutation(np.flatnonzero(self.y == label)) for label in (False, True)]
        small = np.concatenate([rows[:count] for rows, count in zip(drawn, self.train, strict=True)])
        large = np.concatenate([rows[count:] for rows, count in zip(drawn, self.train, strict=True)])
        train, test = (large, small) if larger else (small, large)
        return chance.permutation(train), test


def data_sets() -> list[DataSet]:
    """Read heart, liver and diabetes."""
    folder = data_folder() / "uci"
    heart = np.loadtxt(folder / "heart.dat")
    liver = np.loadtxt(folder / "bupa.data", delimiter=",")
    diabetes = np.loadtxt(folder / "pima-indians-diabetes.data", delimiter=",")
    return [
        DataSet("heart", heart[:, :-1], heart[:, -1] == 2, (28, 26)),
        DataSet("liver", liver[:, :-1], liver[:, -1] == 2, (31, 38)),
        DataSet("diabetes", diabetes[:, :-1], diabetes[:, -1] == 1, (101, 56)),
    ]


@dataclass(frozen=True, slots=True)
class Pass:
    """What came of one pass over a training part."""

    parameters: str
    errors: Bools
    """Which training rows were judged wrongly before they were learned, shape (train,)."""
    train: float
    """Accuracy on the training part afterwards."""
    test: float
    """Accuracy on the test part."""
    constant: bool
    """Whether all of the test part is put into one class."""

    @property
    def cumulative(self) -> int:
        """How many errors were made on the way."""
        return int(self.errors.sum())


@dataclass(frozen=True, slots=True)
class Row:
    """One algorithm."""

    name: str
    letters: tuple[str, ...]
    """Which parameters are tried."""
    make: Callable[..., LinearClassifier]
    """Takes the parameters by letter, and N."""
    averaged_scores: bool = False
    """Whether the mean of all weight vectors judges, for a learner that does not keep it."""

    def passes(self, data: DataSet, train: npt.NDArray[np.intp], test: npt.NDArray[np.intp]) -> Iterator[Pass]:
        """Give one pass for every combination of parameters."""
        for values in itertools.product(*(GRIDS[letter] for letter in self.letters)):
            learner = self.make(N=len(train), **dict(zip(self.letters, values, strict=True)))
            parameters = ", ".join(f"{letter} = {value:g}" for letter, value in zip(self.letters, values, strict=True))
            judge = _mean_of_all if self.averaged_scores else _last
            before, after = judge(learner, data.X, data.y, train)
            right = (after > 0.0) == data.y
            errors = (before > 0.0) != data.y[train]
            constant = len(np.unique(after[test] > 0.0)) == 1
            yield Pass(parameters, errors, float(right[train].mean()), float(right[test].mean()), constant)


def _last(learner: LinearClassifier, X: Floats, y: Bools, train: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return the scores of training rows before they were learned, and of all rows in the end."""
    before = learner.learn_many(X[train], y[train])
    return before, learner.score_many(X)


def _mean_of_all(learner: LinearClassifier, X: Floats, y: Bools, train: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Do the same by the mean of all hypotheses, whose score is the mean of their scores."""
    before, sums = np.zeros(len(train)), np.zeros(len(X))
    for k, row in enumerate(train):
        before[k] = sums[row]
        learner.learn_one(X[row], bool(y[row]))
        sums += learner.score_many(X)
    return before, sums


def _regression(N: int, *, scaling: Scaling | None, average: bool, **letters: float) -> LinearClassifier:
    names = {"λ": "lam", "μ": "mu", "ν": "nu"}
    options: dict[str, Any] = {names[letter]: value for letter, value in letters.items()}
    return OnlineLogisticRegression(n_examples=N, scaling=scaling, average=average, **options)


def _passive_aggressive(N: int, variant: Variant, C: float) -> LinearClassifier:  # noqa: ARG001 - all take N
    return PassiveAggressive(variant=variant, C=C)


GRIDS: dict[str, tuple[float, ...]] = {"λ": STRENGTHS, "μ": STRENGTHS, "ν": STRENGTHS, "C": AGGRESSIVENESS}
FORMS: dict[str, tuple[Scaling | None, tuple[str, ...]]] = {
    "SGD": (None, ("λ",)),
    "GN": ("standard", ("λ",)),
    "FS": ("FS", ("λ", "μ", "ν")),
    "FS-1": ("FS-1", ("λ", "ν")),
    "FS-2": ("FS-2", ("λ", "μ", "ν")),
    "FS-3": ("FS-3", ("μ", "ν")),
}
PASSIVE_AGGRESSIVE: dict[str, Variant] = {"PA": "PA", "PA1": "PA-I", "PA2": "PA-II"}
ROWS = [
    *(
        Row(name + "+avg" * average, letters, partial(_regression, scaling=scaling, average=average))
        for name, (scaling, letters) in FORMS.items()
        for average in (False, True)
    ),
    *(
        Row(name + "+avg" * average, ("C",), partial(_passive_aggressive, variant=variant), averaged_scores=average)
        for name, variant in PASSIVE_AGGRESSIVE.items()
        for average in (False, True)
    ),
]
"""In the order of the paper's tables."""
