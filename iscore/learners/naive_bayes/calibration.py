"""Calibration of the subsets' scores: a line per subset, learned online, that turns sums of log-ratios into log-odds.

Naive Bayes counts the common evidence of correlated features once for each of them, so its sums L_k grow with k and are
overconfident. The calibrated score of subset k is

    S_k = log P(1)/P(0) + a_k L_k + b_k,

with (a_k, b_k) the running estimate of a Bayesian logistic regression of the label on L_k: a Gaussian belief,
updated by one Newton step per example (the extended Kalman filter), so there is no learning rate to choose. The belief
starts at a = 0.4, b = 0: most features of an article are correlated, and a
modest start avoids overconfident first scores.

Sources: J. Platt, "Probabilistic outputs for support vector machines", 1999, for the line; W. Penny, S. Roberts,
"Dynamic logistic regression", IJCNN 1999, for the update.
"""

from __future__ import annotations

import math

import numpy as np

from extractors.numba_kernel import compiled
from iscore.learners.learner import Floats, Ints

N_ROWS = 5
"""Per subset: slope a, intercept b, and the variances aa, ab, bb of the belief about them."""

SLOPE = 0.4
SLOPE_VARIANCE = 0.1
INTERCEPT_VARIANCE = 1.0
SMALLEST_SLOPE = 0.02
"""More evidence for interest never means less interest."""
FEWEST = 5.0
"""Examples of each class from which on lines are learned: densities of fewer are not reliable."""
LARGEST_SUM = 30.0
"""Odds of 10¹³ to 1: larger sums are no stronger evidence, and would move a line by their size alone."""


def unlearned(n_subsets: int, *, calibrated: bool) -> Floats:
    """Return the lines (5, n_subsets) before any example; uncalibrated ones leave the sums as they are."""
    lines = np.zeros((N_ROWS, n_subsets))
    lines[0] = SLOPE if calibrated else 1.0
    lines[2] = SLOPE_VARIANCE
    lines[4] = INTERCEPT_VARIANCE
    return lines


@compiled
def update(
    lines: Floats, ratios: Floats, order: Ints, prior: float, interesting: bool, weight: float, keep: float
) -> None:
    """Learn one example of ``weight``, with log-ratios (n,), into ``lines`` (5, n), modified.

    ``keep`` in (0, 1] is the part of what was known that is still believed; 1 forgets nothing.
    """
    label = 1.0 if interesting else 0.0
    total = 0.0
    for place in range(len(order)):
        total += ratios[order[place]]
        x = max(-LARGEST_SUM, min(LARGEST_SUM, total))
        a, b = lines[0, place], lines[1, place]
        aa, ab, bb = lines[2, place] / keep, lines[3, place] / keep, lines[4, place] / keep
        log_odds = max(-LARGEST_SUM, min(LARGEST_SUM, prior + a * x + b))
        posterior = 1.0 / (1.0 + math.exp(-log_odds))
        curvature = weight * max(posterior * (1.0 - posterior), 1e-4)
        to_a, to_b = aa * x + ab, ab * x + bb
        shrink = curvature / (1.0 + curvature * (x * to_a + to_b))
        aa -= shrink * to_a * to_a
        ab -= shrink * to_a * to_b
        bb -= shrink * to_b * to_b
        gain = weight * (label - posterior)
        lines[0, place] = max(a + gain * (aa * x + ab), SMALLEST_SLOPE)
        lines[1, place] = b + gain * (ab * x + bb)
        lines[2, place], lines[3, place], lines[4, place] = aa, ab, bb
