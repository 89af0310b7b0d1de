"""The linear learners of ``LEARNERS`` by themselves, over words."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from iscore.learners import LEARNERS, Calibrated, OnlineLogisticRegression, QuantileBins, StandardScaled
from iscore.learners.linear.linear_classifier import LinearClassifier
from iscore.learners.online_classifier import clone

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

CODINGS = (Calibrated, StandardScaled, QuantileBins)
"""What a composition in ``LEARNERS`` puts around a learner to make it fit for features of any scale; words need none
of it."""

RATE = 5.0
"""Of logistic regression: rows of length 1 need long steps. Of 2, 5, 10, 20 and 40, all steps alike, 5 was best."""


def over_words() -> dict[str, LinearClassifier]:
    """Return by name those learners that take sparse rows; one by kernel densities would need two of them a word."""
    found = {name: _bare(make()) for name, make in LEARNERS.items()}
    return {name: learner for name, learner in found.items() if isinstance(learner, LinearClassifier)}


def scores(learner: LinearClassifier, rows: csr_matrix, liked: Bools) -> Floats:
    """Return the score of each of the rows (m, words) before it is learned, shape (m,)."""
    found: Floats = clone(learner).learn_many(rows, liked)
    return found


def _bare(learner: Any) -> Any:
    while isinstance(learner, CODINGS):
        learner = learner.learner
    if isinstance(learner, OnlineLogisticRegression):
        return OnlineLogisticRegression(eta0=RATE, n_examples=10**9, average=learner.average)
    return learner
