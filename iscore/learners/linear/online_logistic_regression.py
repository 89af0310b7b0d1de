"""Logistic regression by stochastic gradient in one pass, with features that are scaled while it learns.

    score = Σ_j w_j·σ_j(x_j) + b,   y = 1/(1 + exp(-score)),   t ∈ {0, 1},   η_k = η₀/(1 + k/N)

    scaling      σ_j(x)                            learned
    None         x                                 w, b
    "standard"   (x - mean_j)/sd_j                 w, b; mean and deviation as they run (equations 1 to 3)
    "FS"         1/(1 + exp(-α_j·x + β_j))         w, b, α, β  (8 to 11)
    "FS-1"       the same, α = 1                   w, b, β     (15 to 17)
    "FS-2"       α_j·x + β_j                       w, b, α, β  (20 to 23)
    "FS-3"       the same, w = 1                   b, α, β     (25 to 27)

Each of w, α, β goes down the gradient of the cross-entropy, all from the values before the step, after it was drawn
towards 0: w ← w(1 - 2λη/N), α with μ, β with ν; b is not. k counts the examples before this one, so that the first
step has η₀. With ``average`` the score is that of the mean of all parameters over the examples.

Source: Bollegala, Feature Scaling for Online Learning of Binary Classifiers, sections 3, 4 and 6.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from iscore.learners.learner import Explanation
from iscore.learners.linear import logistic_parameters as kept_as
from iscore.learners.linear import logistic_steps as steps
from iscore.learners.linear.linear_model import LinearClassifier
from iscore.learners.linear.logistic_parameters import ALPHA, BETA, FS_1, FS_2, FS_3, NONE, STANDARD, W
from iscore.learners.linear.rows import Rows

Floats = npt.NDArray[np.float64]
Scaling = Literal["standard", "FS", "FS-1", "FS-2", "FS-3"]
Zeros = Literal["values", "absent"]


class OnlineLogisticRegression(LinearClassifier):
    """Logistic regression for two classes; scores are log-odds.

    An example of weight h is learned as if it came h times in a row, at one learning rate; a fraction shortens the
    last step. Means and deviations of features count it once.

    Parameters
    ----------
    scaling
        How features are scaled: None, "standard" or one of the supervised forms, see above.
    average
        Whether the mean of the parameters over all examples judges, rather than the last ones.
    eta0
        Learning rate η₀ of the first step, positive.
    lam, mu, nu
        Regularisation of w, α and β, not negative and below n_examples/(2·eta0); each is divided by N.
    n_examples
        N, positive: how many examples are to come. The paper takes the size of the training data, which nobody knows
        of a stream: after N examples η is half of η₀, and it goes on falling as 1/k. For one pass over a matrix give
        the number of its rows.
    start
        (w, α, β) from which every feature starts; fixed ones are ignored. The paper leaves them open. None, the
        default, is (0, 1, 0), and with "FS-3" (1, 0, 0): all models begin with y = ½ for every example. Not all
        starts are possible: from w = α = β = 0 "FS-2" never moves.
    zeros
        With scaling, what a zero is, and what is not stored in a sparse row. "values", the default: a value like any
        other, so that an example costs what all features cost, in a space that may not grow. "absent": it adds
        nothing to the score and teaches nothing about its feature, so that an example costs what its own values
        cost; and "standard" then divides by the deviation, in which zeros count, and does not move by the mean.
    n_features, grow
        See ``LinearClassifier``.

    A missing value adds nothing and teaches nothing about its feature. A feature that has not varied is 0 under
    "standard". A value counts in the mean and deviation by which it is learned, and not yet in those by which it is
    judged. Without scaling values of any size are followed wherever they lead.
    """

    COLUMNS: ClassVar[int] = 6

    _number: int = NONE
    _whole: bool = False
    """Whether every example has all features."""

    def __init__(
        self,
        *,
        scaling: Scaling | None = None,
        average: bool = False,
        eta0: float = 0.1,
        lam: float = 0.0,
        mu: float = 0.0,
        nu: float = 0.0,
        n_examples: int = 1000,
        start: tuple[float, float, float] | None = None,
        zeros: Zeros = "values",
        n_features: int | None = None,
        grow: bool = False,
    ) -> None:
        self.scaling = scaling
        self.average = average
        self.eta0 = eta0
        self.lam = lam
        self.mu = mu
        self.nu = nu
        self.n_examples = n_examples
        self.start = start
        self.zeros = zeros
        self.n_features = n_features
        self.grow = grow

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class for the rows of ``X`` (m, n_features), shape (m, 2).

        ½ for both until examples of both have been learned.
        """
        scores = self.decision_function(X)
        odds = np.exp(-np.abs(scores))
        likely, unlikely = 1.0 / (1.0 + odds), odds / (1.0 + odds)
        liked = np.where(scores > 0.0, likely, unlikely)
        return np.column_stack([np.where(scores > 0.0, unlikely, likely), liked])

    def _start(self) -> Floats:
        if self.scaling is not None and self.scaling not in get_args(Scaling):
            raise ValueError(f"scaling must be None or one of {get_args(Scaling)}, not {self.scaling!r}")
        if self.zeros not in get_args(Zeros):
            raise ValueError(f"zeros must be one of {get_args(Zeros)}, not {self.zeros!r}")
        if not 0.0 < self.eta0 < math.inf:
            raise ValueError(f"eta0 must be positive and finite, not {self.eta0}")
        if not self.n_examples > 0:
            raise ValueError(f"n_examples must be positive, not {self.n_examples}")
        for name in ("lam", "mu", "nu"):
            value = getattr(self, name)
            if not 0.0 <= 2.0 * self.eta0 * value < self.n_examples:
                raise ValueError(f"{name} must be from 0 to below n_examples/(2·eta0), not {value}")
        self._number = NONE if self.scaling is None else 1 + get_args(Scaling).index(self.scaling)
        self._whole = self.scaling is not None and self.zeros == "values"
        if self._whole and self.grow:
            raise ValueError("a space in which zeros are values cannot grow: use zeros='absent'")
        start = np.array(self._default_start() if self.start is None else self.start, dtype=np.float64)
        if start.shape != (3,) or not (np.abs(start) < kept_as.MOST).all():
            raise ValueError(f"start must be three finite numbers, not {self.start}")
        if self._number == FS_3:
            start[W] = 1.0
        if self._number == FS_1:
            start[ALPHA] = 1.0
        strengths = np.array((self.lam, self.mu, self.nu), dtype=np.float64)
        self._strengths = strengths * kept_as.LEARNED[self._number] / self.n_examples
        kept = np.zeros(kept_as.KEPT)
        kept[kept_as.FACTOR : kept_as.FACTOR_SUM] = 1.0
        kept[kept_as.START : kept_as.START_SUM] = start
        return kept

    def _default_start(self) -> tuple[float, float, float]:
        return (1.0, 0.0, 0.0) if self._number == FS_3 else (0.0, 1.0, 0.0)

    def _columns(self) -> int:
        return (2, 5, 6, 6, 6, 6)[self._number]

    def _has_all_rows(self) -> bool:
        return self._whole or super()._has_all_rows()

    def _score(self, table: Floats, rows: Rows, scores: Floats) -> None:
        steps.scores_of(table, self._bias, *rows, scores, self._number, self._whole, bool(self.average))

    def _learn(self, table: Floats, rows: Rows, signs: Floats, weights: Floats, scores: Floats) -> int:
        return steps.learn(
            table,
            self._bias,
            *rows,
            signs,
            weights,
            scores,
            self._number,
            self._whole,
            bool(self.average),
            float(self.eta0),
            float(self.n_examples),
            self._strengths,
        )

    # Explanations

    def explain_one(self, x: Any) -> Explanation:
        """See ``Learner``. ``x`` is a vector of length n_features; ranks are by the size of w, of α with "FS-3"."""
        explanation = super().explain_one(x)
        values = np.asarray(x, dtype=np.float64)
        there = (np.abs(values) <= kept_as.MOST) & (self._whole | (values != 0.0))
        return replace(explanation, contributions=np.where(there, explanation.contributions, 0.0))

    def _weights(self, numbers: Floats) -> Floats:
        return self._parameter(numbers, ALPHA if self._number == FS_3 else W)

    def _parts(self, x: Floats, numbers: Floats) -> tuple[float, Floats]:
        kept = self._bias
        prior = kept[kept_as.BIAS_SUM] / kept[kept_as.EXAMPLES] if self.average else kept[kept_as.BIAS]
        w = self._parameter(numbers, W)
        if self._number == NONE:
            return float(prior), w * x
        if self._number == STANDARD:
            return float(prior), w * kept_as.standardised(numbers, x, kept[kept_as.EXAMPLES], self._whole)
        alpha, beta = self._parameter(numbers, ALPHA), self._parameter(numbers, BETA)
        if self._number in (FS_2, FS_3):
            return float(prior), w * (alpha * x + beta)
        return float(prior), w * 0.5 * (1.0 + np.tanh(0.5 * (alpha * x - beta)))

    def _parameter(self, numbers: Floats, which: int) -> Floats:
        """Return w, α or β at rows of the table, as they score, shape (k,)."""
        return kept_as.parameters(numbers, self._bias, which, bool(self.average))
