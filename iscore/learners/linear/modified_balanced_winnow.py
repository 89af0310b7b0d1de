"""Modified Balanced Winnow: multiplicative updates of a positive model u and a negative model v, with a margin.

    score = ⟨x, u⟩ - ⟨x, v⟩ - θ;   a mistake is y·score ≤ M;   at a mistake, for all j with x_j > 0

    y > 0:  u_j ← u_j·α·(1 + x_j),   v_j ← v_j·β·(1 - x_j)
    y < 0:  u_j ← u_j·β·(1 - x_j),   v_j ← v_j·α·(1 + x_j)

where x has a bias feature and a sum of 1 (see ``winnow``).

Source: Carvalho, Cohen 2006, section 2.1 and table 2.
"""

from __future__ import annotations

from iscore.learners.linear.linear_classifier import LinearClassifier
from iscore.learners.linear.update_rule import UpdateRule
from iscore.learners.linear.winnow import WinnowRule


class ModifiedBalancedWinnow(LinearClassifier):
    """Modified Balanced Winnow (MBW), for two classes and features that are not negative.

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
    margin
        M, not negative.
    theta_plus, theta_minus
        What u and v start from, both positive. With the defaults nothing is learned at score 0.
    n_features, grow
        See ``LinearClassifier``.

    Examples
    --------
    >>> learner = ModifiedBalancedWinnow()
    >>> learner.learn_many([[1, 0], [0, 1], [1, 0], [0, 1]], [True, False, True, False]).tolist()
    [0.0, 0.0, 1.40625, -1.59375]
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
        margin: float = 1.0,
        theta_plus: float = 2.0,
        theta_minus: float = 1.0,
        n_features: int | None = None,
        grow: bool = False,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.theta = theta
        self.margin = margin
        self.theta_plus = theta_plus
        self.theta_minus = theta_minus
        self.n_features = n_features
        self.grow = grow

    def _update_rule(self) -> UpdateRule:
        starts = self.theta_plus, self.theta_minus
        return WinnowRule(self.alpha, self.beta, self.theta, starts, margin=self.margin, modified=True)
