"""The threshold with the best expected F-beta, for a classifier whose scores are true log-odds.

    newest scores ─► probabilities ─► cut ─► threshold, in log-odds

Where every verdict is known at once, each article's score is the one from just before its verdict, and the classifiers
bring these scores to the scale of log-odds themselves, anew with each verdict. So their probabilities say without any
verdict from which one on delivering pays (``threshold``): below even odds where little can be foreseen, and above them
where likes are easy to tell from the rest. ``AdaptiveThreshold`` looks at verdicts instead, and if scores seldom reach
even odds, it delivers next to nothing until there are hundreds of likes.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import numpy as np

from iscore.filtering.decision.calibration import sigmoid
from iscore.filtering.decision.threshold import best_cut

NEWEST = 2500
"""Scores over which the cut is best. The first ones of a stream are too sure of themselves, and the older
they are, the less they resemble what comes."""
EVERY = 20
"""Verdicts after which the threshold is computed again."""


class ExpectedThreshold:
    """Threshold on log-odds with the best expected F-beta over the newest scores.

    Parameters
    ----------
    beta
        Weight of recall against precision; 0.5 counts precision twice. Positive.

    Examples
    --------
    >>> threshold = ExpectedThreshold()
    >>> for number in range(100):
    ...     threshold.learn(-1.0 if number % 5 == 0 else -4.0, False)
    >>> threshold.decide(-1.0), threshold.decide(-4.0)
    (True, False)
    """

    def __init__(self, beta: float = 0.5) -> None:
        if not beta > 0:
            raise ValueError(f"beta must be positive, not {beta}")
        self.beta = beta
        self._scores: deque[float] = deque(maxlen=NEWEST)
        self._since = 0
        self._threshold = 0.0

    @property
    def threshold(self) -> float:
        """The threshold, in log-odds; 0 before the first ``EVERY`` verdicts, and while every probability is 0."""
        return self._threshold

    def decide(self, score: float) -> bool:
        """Whether an article of this score is interesting."""
        return score >= self._threshold

    def learn(self, score: float, interesting: bool, weight: float = 1.0) -> None:  # noqa: ARG002 -- scores say it all
        """Take in the score of an article whose verdict has come. Raises ``ValueError`` when it is NaN."""
        if math.isnan(score):
            raise ValueError("a score must be a number")
        self._scores.append(score)
        self._since += 1
        if self._since == EVERY:
            self._since = 0
            cut = best_cut(sigmoid(np.array(self._scores)), self.beta)
            self._threshold = math.log(cut / (1.0 - cut)) if cut > 0.0 else 0.0

    def state(self) -> dict[str, Any]:
        """Return everything learned."""
        return {"scores": np.array(self._scores), "since": self._since, "threshold": self._threshold}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what ``state()`` returned."""
        self._scores = deque(state["scores"].tolist(), maxlen=NEWEST)
        self._since = state["since"]
        self._threshold = state["threshold"]
