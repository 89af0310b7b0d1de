"""Balanced Winnow: multiplicative updates of a positive model u and a negative model v.

    score = ⟨x, u⟩ - ⟨x, v⟩ - θ;   a mistake is y·score ≤ 0;   at a mistake, for all j with x_j > 0

    y > 0:  u_j ← u_j·α,   v_j ← v_j·β
    y < 0:  u_j ← u_j·β,   v_j ← v_j·α

where x has a bias feature and a sum of 1 (see ``winnow``).

Sources: Littlestone 1988; Dagan, Karov, Roth 1997; Carvalho, Cohen 2006, section 2.1.1.
"""

from __future__ import annotations

from iscore.learners.linear.linear_classifier import LinearClassifier
from iscore.learners.linear.update_rule import UpdateRule
from iscore.learners.linear.winnow import WinnowRule


class BalancedWinnow(LinearClassifier):
    """Balanced Winnow (BW), for two classes and features that are not negative.

    All features that are present change alike, whatever their values: from rows in which every feature is present it
    learns only the bias. ``QuantileBins`` codes such rows.

    An example of weight h is learned as if it came h times in a row, each time only if it is a mistake still; a
    fraction is the exponent of the last update.

    Parameters
    ----------
    alpha
        Promotion α, above 1.
    beta
        Demotion β, in (0, 1).
    theta
        Threshold θ.
    theta_plus, theta_minus
        What u and v start from, both positive.
    n_features, grow
        See ``LinearClassifier``.

    Examples
    --------
    >>> learner = BalancedWinnow()
    >>> learner.learn_many([[1, 0], [0, 1], [1, 0], [0, 1]], [True, False, True, False]).tolist()
    [0.0, 0.0, 0.625, -0.875]
    >>> learner.score_one([1.0, 0.0]) > 0.0 > learner.score_one([0.0, 1.0])
    True
    """

    NON_NEGATIVE = True

    def __init__(
        self,
        *,
        alpha: float = 1.5,
        beta: float = 0.5,
        theta: float = 1.0,
        theta_plus: float = 2.0,
        theta_minus: float = 1.0,
        n_features: int | None = None,
        grow: bool = False,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.theta = theta
        self.theta_plus = theta_plus
        self.theta_minus = theta_minus
        self.n_features = n_features
        self.grow = grow

    def _update_rule(self) -> UpdateRule:
        return WinnowRule(self.alpha, self.beta, self.theta, (self.theta_plus, self.theta_minus))
