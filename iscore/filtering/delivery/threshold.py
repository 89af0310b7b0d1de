"""The threshold: the probability from which articles are delivered, so that the expected F-beta is greatest.

Over articles with probabilities p, delivering the k likeliest has an expected F-beta of about

    F_k = (1 + β²) Σ_{i ≤ k} p_i / (k + β² Σ p),

and the best k delivers just what has p ≥ F* / (1 + β²): one more article helps exactly if its probability exceeds that
(Lewis 1995, "Evaluating and optimizing autonomous text classification systems"; Jansche 2007).

For β = ½ that is 0.8 · F*: high for someone whose articles are easy to tell apart, and low where little can be
predicted.
"""

from __future__ import annotations

import math

import numpy as np

from extractors.arrays import Floats
from iscore.filtering.delivery.tuning import BETA, ENOUGH_LIKES, HIGHEST_F, LOWEST_F, LOWEST_F_STATED
from iscore.filtering.ranking.evidence import Evidence
from iscore.filtering.ranking.ranking import Scored


def expected_f(probabilities: Floats, beta: float = BETA) -> float:
    """Return the largest expected F-beta over all thresholds, in [0, 1]; 0 without articles."""
    if len(probabilities) == 0:
        return 0.0
    falling = np.sort(probabilities)[::-1]
    squared = beta * beta
    delivered = np.arange(1, len(falling) + 1)
    found = (1 + squared) * np.cumsum(falling) / (delivered + squared * max(float(falling.sum()), 1e-12))
    return float(found.max())


def best_threshold(probabilities: Floats, beta: float = BETA) -> float:
    """Return the probability from which delivering gives the largest expected F-beta, in [0, 1 / (1 + β²)]."""
    return expected_f(probabilities, beta) / (1 + beta * beta)


def limited_threshold(probabilities: Floats, beta: float = BETA, lowest: float = LOWEST_F) -> float:
    """Return the best threshold within its limits. It falls as beta rises: a user who wants more gets no less.

    >>> round(limited_threshold(np.full(10, 0.9)), 3), round(limited_threshold(np.full(10, 0.9), beta=2.0), 3)
    (0.64, 0.16)
    """
    return min(max(expected_f(probabilities, beta), lowest), HIGHEST_F) / (1 + beta * beta)


def threshold_of(scored: Scored, evidence: Evidence) -> float:
    """Return the score from which delivering gives the best expected F over the pool and the new articles."""
    offsets = scored.offsets
    known = np.where(np.isnan(evidence.known), offsets.leaning(scored.pool), evidence.known)
    stated = evidence.has_examples or (evidence.labelled.phrases and evidence.likes >= ENOUGH_LIKES)
    lowest = LOWEST_F_STATED if stated else LOWEST_F
    probability = limited_threshold(np.concatenate([known, offsets.leaning(scored.new)]), evidence.beta, lowest)
    return offsets.threshold(math.log(probability / (1.0 - probability)))


def reached_by_at_most(count: int, shown: Floats, threshold: float) -> float:
    """Return the threshold, or a higher one that at most ``count`` of the scores ``shown`` reach."""
    if count < np.count_nonzero(shown >= threshold):
        first_left_out = float(np.partition(shown, -count - 1)[-count - 1])
        return math.nextafter(first_left_out, math.inf)
    return threshold
