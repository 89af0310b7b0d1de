"""Voting, also called averaging: score by the mean of all hypotheses that a mistake-driven learner has had.

    w̄ = Σ w_i·c_i / Σ c_i,   c_i the number of examples that hypothesis i got right before its next mistake

Right is an example that changes nothing, so that of learners with a margin it is one beyond the margin. While all c_i
are 0 the newest hypothesis scores; it always decides what is learned. Winnow's u and v are averaged alike, and with
several classes the weights of each.

The sums are brought up to date only where a weight changes (``kernels``), so that an example costs what its own
values cost.

Sources: Freund, Schapire 1999; Carvalho, Cohen 2006, section 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iscore.learners.linear.linear_classifier import LinearClassifier
from iscore.learners.linear.perceptron import Perceptron
from iscore.learners.linear.update_rule import UpdateRule
from iscore.learners.online_classifier import Accepts, clone


class Voted(LinearClassifier):
    """The averaged form of a mistake-driven learner. An example of weight h that is right counts h.

    Parameters
    ----------
    learner
        Which learner; None, the default, is ``Perceptron()``. It is not changed.

    Examples
    --------
    >>> learner = Voted(Perceptron())
    >>> learner.learn_many([[1, 0], [0, 1], [1, 0], [1, 1]], [True, False, True, False]).tolist()
    [0.0, 0.0, 1.0, 0.0]
    >>> learner.score_one([1, 1])
    0.0
    """

    _averaged = True

    def __init__(self, learner: LinearClassifier | None = None) -> None:
        self.learner = learner

    @property
    def accepts(self) -> Accepts:
        """See ``OnlineClassifier``."""
        return self._given.accepts

    @property
    def n_features(self) -> int | None:  # type: ignore[override]
        """That of the learner."""
        return self._given.n_features

    @property
    def grow(self) -> bool:  # type: ignore[override]
        """That of the learner."""
        return self._given.grow

    def state(self) -> dict[str, Any]:
        """See ``Learner``. Empty before the first example."""
        state = super().state()
        return {"learner": type(self._given).__name__, "voted": state} if state else {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Learner``."""
        if state and state["learner"] != type(self._given).__name__:
            raise ValueError(f"the state is of {state['learner']}, not of {type(self._given).__name__}")
        super().restore(state["voted"] if state else {})

    @property
    def _given(self) -> LinearClassifier:
        learner = Perceptron() if self.learner is None else self.learner
        if not isinstance(learner, LinearClassifier) or isinstance(learner, Voted):
            raise ValueError(f"{learner!r} is no mistake-driven learner that could be averaged")
        return learner

    def _update_rule(self) -> UpdateRule:
        rule = clone(self._given).expect(self._n_classes)._update_rule()
        if not rule.can_be_averaged:
            raise ValueError(f"{self.learner!r} is no mistake-driven learner that could be averaged")
        return rule

    def _state_parameters(self) -> dict[str, Any]:
        return self._given._state_parameters()
