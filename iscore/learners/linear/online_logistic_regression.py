"""Logistic regression by stochastic gradient in one pass, with features that are scaled while it learns.

    score = Σ_j w_j·σ_j(x_j) + b,   y = 1/(1 + exp(-score)),   t ∈ {0, 1},   η_k = η₀/(1 + k/N)

    scaling      σ_j(x)                            learned
    None         x                                 w, b
    "standard"   (x - mean_j)/sd_j                 w, b; mean and deviation as they run (equations 1 to 3)
    "FS"         1/(1 + exp(-α_j·x + β_j))         w, b, α, β  (8 to 11)
    "FS-1"       the same, α = 1                   w, b, β     (15 to 17)
    "FS-2"       α_j·x + β_j                       w, b, α, β  (20 to 23)
    "FS-3"       the same, w = 1                   b, α, β     (25 to 27)

Each of w, α, β goes down the gradient of the cross-entropy, all from the values before the step, after it was shrunk
towards 0: w ← w(1 - 2λη/N), α with μ, β with ν; b is not. k counts the examples before this one, so that the first
step has η₀. With ``average`` the score is that of the mean of all parameters over the examples.

Source: Bollegala, Feature Scaling for Online Learning of Binary Classifiers, sections 3, 4 and 6.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from iscore.learners.learner import Floats
from iscore.learners.linear import logistic_kernels as kernels
from iscore.learners.linear.kernels import Packed
from iscore.learners.linear.linear_classifier import LinearClassifier
from iscore.learners.linear.logistic_kernels import ALPHA, BETA, FS_1, FS_2, FS_3, NONE, STANDARD, W
from iscore.learners.linear.rows import Rows
from iscore.learners.linear.update_rule import UpdateRule, finite
from iscore.learners.online_classifier import probabilities

Scaling = Literal["standard", "FS", "FS-1", "FS-2", "FS-3"]
Zeros = Literal["values", "absent"]


@dataclass(kw_only=True, eq=False, repr=False)
class OnlineLogisticRegression(LinearClassifier):
    """Logistic regression for two classes; scores are log-odds.

    An example of weight h is learned as if it came h times in a row, at one learning rate; a fraction shortens the
    last step. Means and deviations of features count it once.

    A missing value adds nothing and changes nothing about its feature. A feature that has not varied is 0 under
    "standard". A value counts in the mean and deviation by which it is learned, and not yet in those by which it is
    scored. Without scaling there is no bound on the values.

    Examples
    --------
    >>> learner = OnlineLogisticRegression(scaling="standard")
    >>> X, y = [[1e6, 0.1], [3e6, 0.2], [1e6, 0.2], [3e6, 0.1]], [False, True, False, True]
    >>> learner.fit(X, y).predict(X).tolist()
    [False, True, False, True]
    >>> learner.predict_proba(X).shape
    (4, 2)
    """

    scaling: Scaling | None = None
    """How features are scaled: None, "standard" or one of the supervised forms, see above."""
    average: bool = False
    """Whether scores are by the mean of the parameters over all examples, rather than by the last ones."""
    eta0: float = 0.1
    """Learning rate η₀ of the first step, positive."""
    lam: float = 0.0
    """Regularisation of w, as those of α and β not negative and below n_examples/(2·eta0); each is divided by N."""
    mu: float = 0.0
    """Regularisation of α."""
    nu: float = 0.0
    """Regularisation of β."""
    n_examples: int = 1000
    """N, positive: how many examples are to come. The paper takes the size of the training data, which a stream does
    not have: after N examples η is half of η₀, and it goes on falling as 1/k. For one pass over a matrix give the
    number of its rows."""
    start: tuple[float, float, float] | None = None
    """(w, α, β) from which every feature starts; fixed ones are ignored. The paper does not give them. None is
    (0, 1, 0), and with "FS-3" (1, 0, 0): all models begin with y = ½ for every example. Not all starts are possible:
    from w = α = β = 0 "FS-2" never moves."""
    zeros: Zeros = "values"
    """With scaling, what a zero is, and what is not stored in a sparse row. "values": a value like any other, so that
    an example costs what all features cost, in a space that may not grow. "absent": it adds nothing to the score and
    changes nothing about its feature, so that an example costs what its own values cost; and "standard" then divides
    by the deviation, in which zeros count, and does not move by the mean."""

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class for the rows of ``X`` (m, n_features), shape (m, 2).

        ½ for both until examples of both have been learned.
        """
        return probabilities(self.decision_function(X))

    def _update_rule(self) -> UpdateRule:
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
        number = NONE if self.scaling is None else 1 + get_args(Scaling).index(self.scaling)
        whole = self.scaling is not None and self.zeros == "values"
        if whole and self.grow:
            raise ValueError("a space in which zeros are values cannot grow: use zeros='absent'")
        default = (1.0, 0.0, 0.0) if number == FS_3 else (0.0, 1.0, 0.0)
        start = np.array(default if self.start is None else self.start, dtype=np.float64)
        if start.shape != (3,) or not (np.abs(start) < kernels.MOST).all():
            raise ValueError(f"start must be three finite numbers, not {self.start}")
        if number == FS_3:
            start[W] = 1.0
        if number == FS_1:
            start[ALPHA] = 1.0
        strengths = np.array((self.lam, self.mu, self.nu), dtype=np.float64)
        strengths = strengths * kernels.LEARNED[number] / self.n_examples
        kept = np.zeros(kernels.KEPT)
        kept[kernels.FACTOR : kernels.FACTOR_SUM] = 1.0
        kept[kernels.START : kernels.START_SUM] = start
        parameters = number, whole, bool(self.average), float(self.eta0), float(self.n_examples), strengths
        return _LogisticRule(parameters, kept)


class _LogisticRule(UpdateRule):
    can_be_averaged = False

    def __init__(self, parameters: Packed, kept: Floats) -> None:
        self._number, self.has_all_rows, self._average = parameters[:3]
        super().__init__(kernels.learn, parameters, columns=(2, 5, 6, 6, 6, 6)[self._number], start=kept)

    def score(self, model: Packed, rows: Rows, scores: Floats) -> None:
        """See ``UpdateRule``."""
        kernels.score(model, tuple(rows), scores, self.parameters)

    def weights(self, model: Packed, numbers: Floats) -> Floats:
        """See ``UpdateRule``: w, or α with "FS-3"."""
        return self._parameter(model, numbers, ALPHA if self._number == FS_3 else W)

    def parts(self, model: Packed, x: Floats, numbers: Floats) -> tuple[float, Floats]:
        """See ``UpdateRule``."""
        kept = model[1]
        prior = kept[kernels.BIAS_SUM] / kept[kernels.EXAMPLES] if self._average else kept[kernels.BIAS]
        present = (np.abs(x) <= kernels.MOST) & (self.has_all_rows | (x != 0.0))
        return float(prior), np.where(present, self._contributions(model, finite(x), numbers), 0.0)

    def _contributions(self, model: Packed, x: Floats, numbers: Floats) -> Floats:
        w = self._parameter(model, numbers, W)
        if self._number == NONE:
            return w * x
        if self._number == STANDARD:
            return w * kernels.scaled_values(numbers, x, model[1][kernels.EXAMPLES], self.has_all_rows)
        alpha, beta = self._parameter(model, numbers, ALPHA), self._parameter(model, numbers, BETA)
        if self._number in (FS_2, FS_3):
            return w * (alpha * x + beta)
        return w * 0.5 * (1.0 + np.tanh(0.5 * (alpha * x - beta)))

    def _parameter(self, model: Packed, numbers: Floats, which: int) -> Floats:
        """Return w, α or β at rows of the table, as they score, shape (k,)."""
        return kernels.parameters(numbers, model[1], which, self._average)
