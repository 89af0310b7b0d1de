"""The adaptive threshold: the threshold on scores that gives the best F-beta, learned online.

For every verdict the thresholder remembers the score of the article. The threshold that would have given the best
F_beta over that past is exact and cheap to find: with ``P`` the weight of all positives,

    F_beta(t) = (1 + beta²) TP(t) / (TP(t) + FP(t) + beta² P),

so one pass over the scores from the top, counting positives and negatives, finds it. Scores are mapped onto 65,536
bins (``asinh``, which never saturates: a posterior would, at 0 and at 1), in 256 blocks; a block is only searched when
its positives without its negatives could beat the best found so far. The cost does not grow with the history.

The plain rule overfits while there is little evidence: over the first thousand articles of a stream it loses much
against deciding at even odds. Hence two steps towards the Bayes rule, the threshold at log-odds 0. The empirical
optimum is an interval, bounded below by the next lower score: its point nearest to 0 costs nothing. The rest of the way
is shrunk by ``P / (P + prior_positives)``.

Source: Pon, Cardenas, Buttler 2008, section 3 (the thresholder); the shrinkage is ours, measured in
``benchmarks/results/real_streams.md``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled

N_BINS = 1 << 16
BLOCK = 256
_REACH = 1000.0
"""Log-odds of this size and beyond share the outermost bins."""
_SCALE = math.asinh(_REACH)

Floats = npt.NDArray[np.float64]


class AdaptiveThreshold:
    """Threshold on log-odds that gave the best F-beta over past verdicts.

    Parameters
    ----------
    beta
        Weight of recall against precision; 0.5 counts precision twice. Positive.
    prior_positives
        Number of liked articles at which the threshold is half-way between 0 and the empirical optimum. 0 relies on
        the past alone.
    """

    def __init__(self, beta: float = 0.5, *, prior_positives: float = 200.0) -> None:
        if not beta > 0:
            raise ValueError(f"beta must be positive, not {beta}")
        if not prior_positives >= 0:
            raise ValueError(f"prior_positives must not be negative, not {prior_positives}")
        self.beta = beta
        self.prior_positives = prior_positives
        self._positives: Floats = np.zeros(N_BINS)
        self._negatives: Floats = np.zeros(N_BINS)
        self._block_positives: Floats = np.zeros(N_BINS // BLOCK)
        self._block_negatives: Floats = np.zeros(N_BINS // BLOCK)
        self._optimum = 0.0
        self._f_beta = 0.0
        self._weight = 0.0

    @property
    def threshold(self) -> float:
        """The threshold, in log-odds; 0 before the first positive verdict."""
        if self._weight == 0.0:
            return 0.0
        return self._optimum * (self._weight / (self._weight + self.prior_positives))

    @property
    def optimum(self) -> float:
        """The best threshold for past verdicts alone, before shrinking."""
        return self._optimum

    @property
    def best_f(self) -> float:
        """F-beta that ``optimum`` would have given over the past, in [0, 1]."""
        return self._f_beta

    def decide(self, score: float) -> bool:
        """Whether an article of this score is interesting."""
        return score >= self.threshold

    def learn(self, score: float, interesting: bool, weight: float = 1.0) -> None:
        """Learn the verdict on an article of this score. Raises ``ValueError`` when it is NaN."""
        if math.isnan(score):
            raise ValueError("a score must be a number")
        bin_ = bin_of(score)
        (self._positives if interesting else self._negatives)[bin_] += weight
        (self._block_positives if interesting else self._block_negatives)[bin_ // BLOCK] += weight
        if interesting:
            self._weight += weight
        if self._weight > 0.0:
            best, below, self._f_beta = _best_threshold(
                self._positives,
                self._negatives,
                self._block_positives,
                self._block_negatives,
                self.beta * self.beta,
                self._weight,
            )
            self._optimum = _nearest_to_neutral(best, below)

    def state(self) -> dict[str, Any]:
        """Return everything learned; only occupied bins are listed."""
        bins = np.flatnonzero((self._positives != 0.0) | (self._negatives != 0.0))
        return {
            "bins": bins.astype(np.int32),
            "positives": self._positives[bins],
            "negatives": self._negatives[bins],
            "weight": self._weight,
            "optimum": self._optimum,
            "f_beta": self._f_beta,
            "block_positives": self._block_positives.copy(),
            "block_negatives": self._block_negatives.copy(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what ``state()`` returned."""
        self._positives = np.zeros(N_BINS)
        self._negatives = np.zeros(N_BINS)
        self._positives[state["bins"]] = state["positives"]
        self._negatives[state["bins"]] = state["negatives"]
        self._block_positives = np.array(state["block_positives"])
        self._block_negatives = np.array(state["block_negatives"])
        self._weight = state["weight"]
        self._optimum = state["optimum"]
        self._f_beta = state["f_beta"]


def bin_of(score: float) -> int:
    """Return the bin, 0 … N_BINS - 1, of a score; monotone."""
    squashed = math.asinh(min(max(score, -_REACH), _REACH)) / _SCALE
    return min(int((squashed + 1.0) * (N_BINS // 2)), N_BINS - 1)


def lower_edge(bin_: int) -> float:
    """Return the smallest score of a bin."""
    return math.sinh((bin_ / (N_BINS // 2) - 1.0) * _SCALE)


def _nearest_to_neutral(best: int, below: int) -> float:
    """Choose within the interval of equally good thresholds: above bin ``below`` (-1: none), up to bin ``best``."""
    upper = lower_edge(best)
    if upper <= 0.0:
        return upper
    lower = lower_edge(below + 1)
    if lower <= 0.0:
        return 0.0
    return (lower + upper) / 2


@compiled
def _best_threshold(
    positives: Floats,
    negatives: Floats,
    block_positives: Floats,
    block_negatives: Floats,
    beta2: float,
    total: float,
) -> tuple[int, int, float]:
    """Find the bin whose lower edge is the best threshold, the next lower occupied bin (-1: none), and its F-beta."""
    n_blocks = len(block_positives)
    # The threshold below a whole block bounds the best from below, at 256 steps …
    best_f = 0.0
    true_positives = 0.0
    false_positives = 0.0
    for block in range(n_blocks - 1, -1, -1):
        true_positives += block_positives[block]
        false_positives += block_negatives[block]
        best_f = max(best_f, (1 + beta2) * true_positives / (true_positives + false_positives + beta2 * total))
    # … and only blocks that could do better or contain that threshold are searched.
    best = -1
    found = 0.0
    true_positives = 0.0
    false_positives = 0.0
    for block in range(n_blocks - 1, -1, -1):
        hits = true_positives + block_positives[block]
        if block_positives[block] > 0.0:
            bound = (1 + beta2) * hits / (hits + false_positives + beta2 * total)
            if bound >= best_f:
                above = false_positives
                hits = true_positives
                for bin_ in range((block + 1) * BLOCK - 1, block * BLOCK - 1, -1):
                    above += negatives[bin_]
                    if positives[bin_] > 0.0:
                        hits += positives[bin_]
                        f = (1 + beta2) * hits / (hits + above + beta2 * total)
                        if f > found:
                            found = f
                            best = bin_
                best_f = max(best_f, found)
        true_positives += block_positives[block]
        false_positives += block_negatives[block]
    below = best - 1
    while below >= 0 and positives[below] == 0.0 and negatives[below] == 0.0:
        block = below // BLOCK
        empty = block_positives[block] == 0.0 and block_negatives[block] == 0.0
        below = block * BLOCK - 1 if empty else below - 1
    return best, below, found
