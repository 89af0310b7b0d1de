"""The threshold, or cut: the probability from which articles are delivered, so that the expected F-beta is greatest.

Over articles with probabilities p, delivering the k likeliest has an expected F-beta of about

    F_k = (1 + β²) Σ_{i ≤ k} p_i / (k + β² Σ p),

and the best k delivers just what has p ≥ F* / (1 + β²): one more article helps exactly if its probability exceeds that
(Lewis 1995, "Evaluating and optimizing autonomous text classification systems"; Jansche 2007).

For β = ½ that is 0.8 · F*: high for someone whose articles are easy to tell apart, and low where little can be
predicted.
"""

from __future__ import annotations

import numpy as np

from extractors.arrays import Floats

BETA = 0.5
"""Weight of recall against precision, unless the user wants fewer or more; 0.5 counts precision twice."""
LOWEST_F, HIGHEST_F = 0.25, 0.8
"""Limits of the F-beta that a cut follows from, on leaning probabilities: these are rather high, and the cut that
follows from them alone would starve the filter or flood the user. For β = ½ the cut is within 0.2 and 0.64."""


def expected_f(probabilities: Floats, beta: float = BETA) -> float:
    """Return the largest expected F-beta over all cuts, in [0, 1]; 0 without articles."""
    if len(probabilities) == 0:
        return 0.0
    falling = np.sort(probabilities)[::-1]
    squared = beta * beta
    delivered = np.arange(1, len(falling) + 1)
    found = (1 + squared) * np.cumsum(falling) / (delivered + squared * max(float(falling.sum()), 1e-12))
    return float(found.max())


def best_cut(probabilities: Floats, beta: float = BETA) -> float:
    """Return the probability from which delivering gives the largest expected F-beta, in [0, 1 / (1 + β²)]."""
    return expected_f(probabilities, beta) / (1 + beta * beta)


def limited_cut(probabilities: Floats, beta: float = BETA) -> float:
    """Return the best cut within its limits. It falls as beta rises: whoever wants more gets no less.

    >>> round(limited_cut(np.full(10, 0.9)), 3), round(limited_cut(np.full(10, 0.9), beta=2.0), 3)
    (0.64, 0.16)
    """
    return min(max(expected_f(probabilities, beta), LOWEST_F), HIGHEST_F) / (1 + beta * beta)
