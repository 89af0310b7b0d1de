"""From scores to decisions: the same ways for every rival, and F0.5 of what was decided."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from iscore.filtering.paper import AdaptiveThreshold
from iscore.learners import Calibrated
from iscore.learners.ensemble.stacking import FixedMargin

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def at_zero(scores: Floats, liked: Bools) -> Bools:
    """Decide at the neutral score."""
    return (scores > 0.0) & _scored(scores, liked)


def adaptive(scores: Floats, liked: Bools) -> Bools:
    """Decide with iScore's thresholder, which leaves 0 as evidence grows: made for log-odds."""
    return _decided(scores, liked, AdaptiveThreshold())


def best_so_far(scores: Floats, liked: Bools) -> Bools:
    """Decide with the thresholder as in the paper, at the best cut over the past: right for scores of any scale."""
    return _decided(scores, liked, AdaptiveThreshold(prior_positives=0.0))


def log_odds(scores: Floats, liked: Bools) -> Floats:
    """Return log-odds that are learned from scores (m,) as they come, as ``Calibrated`` does; NaN before."""
    line = Calibrated(FixedMargin())
    odds = np.full(len(scores), np.nan)
    for place in np.flatnonzero(_scored(scores, liked)):
        odds[place] = line.learn_one(scores[place : place + 1], bool(liked[place]))
    return odds


def calibrated(scores: Floats, liked: Bools) -> Bools:
    """Decide with iScore's thresholder over log-odds that are learned from the scores."""
    return adaptive(log_odds(scores, liked), liked)


CUTS: dict[str, Callable[[Floats, Bools], Bools]] = {
    "at 0": at_zero,
    "adaptive": adaptive,
    "best so far": best_so_far,
    "calibrated, adaptive": calibrated,
}
"""Name → from scores (m,) and verdicts (m,), in order of arrival, to what is delivered. Each article is decided before
its verdict is known. Nothing is delivered, and no cut learned, while a score is NaN or there is no verdict of either
kind."""


def f05(delivered: Bools, liked: Bools) -> float:
    """Return F-beta with beta = 0.5; 0 when nothing was liked and delivered."""
    hits = 1.25 * float((delivered & liked).sum())
    return hits / (float(delivered.sum()) + 0.25 * float(liked.sum())) if hits else 0.0


def _scored(scores: Floats, liked: Bools) -> Bools:
    """Return which articles have a score that means something, shape (m,)."""
    likes = np.concatenate([[0], np.cumsum(liked)[:-1]])
    return (likes > 0) & (likes < np.arange(len(liked))) & ~np.isnan(scores)


def _decided(scores: Floats, liked: Bools, thresholder: AdaptiveThreshold) -> Bools:
    delivered = np.zeros(len(scores), dtype=bool)
    for place in np.flatnonzero(_scored(scores, liked)).tolist():
        score = float(scores[place])
        delivered[place] = score >= thresholder.threshold
        thresholder.learn(score, bool(liked[place]))
    return delivered
