"""What Pon, Cardenas and Buttler 2008 do where every verdict is known: for the full protocol and the library.

    article ─► classifier (until it is trained, the cold start) ─► score ─► thresholder ─► interesting or not
                   ▲                                                            ▲
                   └──────────────────────── verdict ───────────────────────────┘

``AdaptiveThreshold`` finds the threshold on scores that gives the best F-beta over past verdicts. With ``P`` the weight
of all positives,

    F_beta(t) = (1 + beta²) TP(t) / (TP(t) + FP(t) + beta² P),

so one pass over the scores from the top, counting positives and negatives, finds it. Scores are mapped onto 65,536
bins (``asinh``, which never saturates: a posterior would, at 0 and at 1), in 256 blocks; a block is only searched when
its positives without its negatives could beat the best found so far. The cost does not grow with the history.

The plain rule overfits while there is little evidence: over the first thousand articles of a stream it loses much
against deciding at even odds. Hence two steps towards the Bayes rule, the threshold at log-odds 0. The empirical
optimum is an interval, bounded below by the next lower score: its point nearest to 0 costs nothing. The rest of the way
is shrunk by ``P / (P + prior_positives)``.

``ExpectedThreshold`` needs no verdicts: where scores are true log-odds, the newest of them say from which one on
delivering pays.

Source: section 3 of the paper (the thresholder); the shrinkage is ours, measured in
``benchmarks/results/real_streams.md``.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from extractors.article_features import AnalysedArticle
from extractors.numba_kernel import compiled
from iscore.filtering.delivery.decide import Decision
from iscore.filtering.delivery.threshold import best_threshold
from iscore.filtering.model import ReaderModel
from iscore.filtering.ranking.calibration import sigmoid

N_BINS = 1 << 16
BLOCK = 256
_REACH = 1000.0
"""Log-odds of this size and beyond share the outermost bins."""
_SCALE = math.asinh(_REACH)

NEWEST = 2500
"""Scores over which the expected threshold is best. The first ones of a stream are too sure of themselves, and the
older they are, the less they resemble what comes."""
EVERY = 20
"""Verdicts after which it is computed again."""
TOPIC_WEIGHT = 8.0
"""Log-odds for a cosine of 1 in the cold start. Articles on one topic have a cosine of 0.2 to 0.5 to their mean, others
below 0.05."""

Floats = npt.NDArray[np.float64]


AS_IN_THE_PAPER = ("subset-naive-bayes", "uncalibrated-subset-naive-bayes", "kernel-naive-bayes")
"""Classifiers that rank alone, and where every verdict is known at the threshold of the paper."""


class Thresholder(Protocol):
    """Decides from a score, and learns the threshold from verdicts."""

    @property
    def threshold(self) -> float:
        """The threshold, on the scale of the scores."""

    def decide(self, score: float) -> bool:
        """Whether an article of this score is interesting."""

    def learn(self, score: float, interesting: bool, weight: float = 1.0) -> None:
        """Learn the verdict on an article of this score."""

    def state(self) -> dict[str, Any]:
        """Return everything learned."""

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what ``state()`` returned."""


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


class ExpectedThreshold:
    """Threshold on log-odds with the best expected F-beta over the newest scores.

    Below even odds where little can be foreseen, and above them where likes are easy to tell from the rest. If scores
    seldom reach even odds, ``AdaptiveThreshold`` delivers next to nothing until there are hundreds of likes.

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
            best = best_threshold(sigmoid(np.array(self._scores)), self.beta)
            self._threshold = math.log(best / (1.0 - best)) if best > 0.0 else 0.0

    def state(self) -> dict[str, Any]:
        """Return everything learned."""
        return {"scores": np.array(self._scores), "since": self._since, "threshold": self._threshold}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what ``state()`` returned."""
        self._scores = deque(state["scores"].tolist(), maxlen=NEWEST)
        self._since = state["since"]
        self._threshold = state["threshold"]


class ColdStart:
    """Score articles by a few features of known meaning, until there are enough verdicts for the classifier.

    The score is, as log-odds, what little is known: how often the user has liked anything so far; how much closer the
    article is to liked articles than to the recent stream (with likes only, the stream itself thereby is the other
    class); how the source's reputation differs from that of an unknown one. After an import of liked items the topic
    counts from the first article on.

    Parameters
    ----------
    names
        Names of the features, in the order of the vectors that will be scored. Features that are not among them do not
        count.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._rocchio = _index(names, "rocchio")
        self._anomaly = _index(names, "anomaly_mean")
        self._source = _index(names, "source_reputation")

    def score_many(self, vectors: Floats, likes: int, dislikes: int, *, imported: bool = False) -> Floats:
        """Return log-odds for vectors of shape (articles, features); ``imported``: topics are known before verdicts."""
        share = liked_share(likes, dislikes)
        scores = np.full(len(vectors), _logit(share))
        if likes + dislikes == 0 and not imported:
            return scores
        to_liked = _column(vectors, self._rocchio, 0.0)
        to_stream = 1.0 - _column(vectors, self._anomaly, 1.0)
        scores += TOPIC_WEIGHT * (to_liked - to_stream)
        reputation = np.clip(_column(vectors, self._source, share), 0.01, 0.99)
        return scores + np.log(reputation / (1.0 - reputation)) - _logit(share)


def liked_share(likes: int, dislikes: int) -> float:
    """Return how often the user likes anything, in (0, 1), shrunk towards one half."""
    return (likes + 1) / (likes + dislikes + 2)


THRESHOLDERS: dict[str, Callable[[], Thresholder]] = {"expected": ExpectedThreshold, "past": AdaptiveThreshold}
"""Name → factory of what finds the threshold where every verdict is known: the best for what is expected of articles,
or the best for past verdicts, as in the paper."""


def usual_thresholder(classifier: str) -> str:
    """Return the name of the thresholder that goes with a classifier."""
    return "past" if classifier in AS_IN_THE_PAPER else "expected"


class PaperFilter:
    """Decides from the classifier's score alone, and learns the threshold from every verdict."""

    def __init__(self, model: ReaderModel, thresholder: Thresholder) -> None:
        self.model = model
        self.thresholder = thresholder
        self._cold_start = ColdStart(model.names)

    @property
    def threshold(self) -> float:
        """The learned threshold, 0 until the classifier scores."""
        return self.thresholder.threshold if self.model.trained else 0.0

    def decide(self, article: AnalysedArticle, *, at: datetime | None = None) -> Decision:
        """Score one article and compare it with the learned threshold; changes nothing."""
        model = self.model
        vector = model.vector(article)
        if model.trained:
            score = float(model.classifier.score_one(vector))
        else:
            known = {"imported": model.imported > 0}
            score = float(self._cold_start.score_many(vector[np.newaxis], model.likes, model.dislikes, **known)[0])
        return Decision(score, score, self.threshold, score >= self.threshold, False, model.names, vector, at)

    def learn(self, article: AnalysedArticle, interesting: bool, *, weight: float = 1.0) -> float:
        """Learn one verdict; return the score that the classifier gave just before."""
        score = self.model.learn(article, interesting, weight=weight)
        self.thresholder.learn(score, interesting, weight)
        return score


def _index(names: Sequence[str], name: str) -> int | None:
    return names.index(name) if name in names else None


def _column(vectors: Floats, index: int | None, missing: float) -> Floats:
    if index is None:
        return np.full(len(vectors), missing)
    return np.nan_to_num(vectors[:, index], nan=missing)


def _logit(probability: float) -> float:
    return math.log(probability / (1 - probability))
