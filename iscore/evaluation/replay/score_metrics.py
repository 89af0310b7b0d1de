"""Metrics of scores, whatever the threshold: how well they rank, and how well they are calibrated.

Scores are those at arrival, of a filter that went on learning: an article's score is compared with the score of another
by an earlier or later model. That is what a fixed threshold over the stream would see, and it ranks less well than the
model of any one moment.

For the calibration a score is taken as log-odds, so the posterior is 1 / (1 + e^-score): of the articles with 80 %,
eight in ten should be liked. It is measured only on scores of the classifier; those of the cold start rank, and claim
no probability. For a classifier whose scores are margins it shows how far they are from log-odds.

A score that is NaN leaves everything here undefined. Infinite scores are at the ends of the ranking.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from iscore.filtering.metrics import BETA
from iscore.learners.online_classifier import probabilities

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

N_BINS = 10
FEWEST_IN_BIN = 100
"""Articles of a bin that are needed to say how far its posterior is from the truth."""
_LARGEST_LOG_ODDS = 36.0
"""Log-odds beyond which double precision cannot tell the posterior from 0 or 1; log-loss stays finite."""
RECALLS: Floats = np.arange(1, 101) / 100.0
"""Levels of recall: 0.01, 0.02 … 1."""


def auc(scores: Floats, liked: Flags) -> float | None:
    """Return the probability that a liked article has a higher score than one that is not, in [0, 1].

    Equal scores count half (Mann and Whitney 1947; Hanley and McNeil 1982), so a filter that gives all articles the
    same score has 0.5. ``None`` unless there are articles of both kinds. Shapes (n,).
    """
    positives = int(np.count_nonzero(liked))
    negatives = len(liked) - positives
    if not positives or not negatives or np.isnan(scores).any():
        return None
    _, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[place]
    return float((ranks[liked].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def precision_at_recalls(scores: Floats, liked: Flags, recalls: Floats = RECALLS) -> Floats:
    """Return the precision of the highest static threshold whose recall is at least each of ``recalls``.

    Shape of ``recalls``, values in [0, 1]; all NaN when nothing is liked. Nothing is interpolated, so precision may
    rise with recall. Pon, Cardenas, Buttler 2008, Figure 5.
    """
    hits, passed, _ = _static_thresholds(scores, liked)
    if not len(hits) or hits[-1] == 0:
        return np.full(len(recalls), np.nan)
    # Slightly below the level: 0.07 * 100 hits is 7.000000000000001.
    first = np.searchsorted(hits, recalls * hits[-1] - 1e-9)
    precision: Floats = hits[first] / passed[first]
    return precision


def best_static_threshold(scores: Floats, liked: Flags, *, beta: float = BETA) -> tuple[float, float] | None:
    """Return the static threshold with the best F-beta in hindsight, and that F-beta; shapes (n,).

    Ties go to the higher threshold. An article with a score of minus infinity is never delivered; if no liked
    article can be, the threshold is infinite and F-beta 0. ``None`` when nothing is liked or a score is not a number.
    """
    if not liked.any() or np.isnan(scores).any():
        return None
    hits, passed, thresholds = _static_thresholds(scores, liked)
    f = (1.0 + beta * beta) * hits / (passed + beta * beta * np.count_nonzero(liked))
    f[np.isneginf(thresholds)] = 0.0
    best = int(np.argmax(f))
    return (float(thresholds[best]), float(f[best])) if f[best] > 0.0 else (float("inf"), 0.0)


def _static_thresholds(scores: Floats, liked: Flags) -> tuple[Floats, Floats, Floats]:
    """Return hits, deliveries and threshold for every threshold between different scores, the highest first."""
    if np.isnan(scores).any():
        return np.zeros(0), np.zeros(0), np.zeros(0)
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)) if len(ordered) else np.zeros(0, dtype=int)
    hits: Floats = np.cumsum(liked[order], dtype=np.float64)[last]
    passed: Floats = last.astype(np.float64) + 1.0
    return hits, passed, ordered[last]


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """Posteriors against what was liked, in bins of equal width over [0, 1]; arrays of shape (bins,)."""

    articles: npt.NDArray[np.int64]
    """Number of articles with their posterior in the bin; the last bin includes 1."""
    posterior: Floats
    """Mean posterior in the bin; NaN when it is empty."""
    liked: Floats
    """Share of liked articles in the bin; NaN when it is empty."""
    brier: float | None
    """Mean squared distance of posterior and verdict (Brier 1950), in [0, 1]; 0 is best."""
    log_loss: float | None
    """Mean negative log-likelihood of the verdicts in nats, 0 or more; scores count up to ±36."""
    error: float | None
    """Expected calibration error: distance of share and posterior, averaged over bins by their articles, in [0, 1]
    (Naeini, Cooper, Hauskrecht 2015). The three are ``None`` without articles."""


def reliability(scores: Floats, liked: Flags, *, bins: int = N_BINS) -> Reliability:
    """Measure the calibration of log-odds; shapes (n,). A score that is not a number leaves everything undefined."""
    if np.isnan(scores).any():
        scores, liked = scores[:0], liked[:0]
    clipped = np.clip(scores, -_LARGEST_LOG_ODDS, _LARGEST_LOG_ODDS)
    posterior = probabilities(clipped)[:, 1]
    bin_ = np.minimum((posterior * bins).astype(np.int64), bins - 1)
    articles = np.bincount(bin_, minlength=bins)
    there = np.where(articles > 0, articles, np.nan)
    mean = np.bincount(bin_, posterior, minlength=bins) / there
    share = np.bincount(bin_, liked, minlength=bins) / there
    if not len(scores):
        return Reliability(articles, mean, share, None, None, None)
    return Reliability(
        articles=articles,
        posterior=mean,
        liked=share,
        brier=float(np.mean((posterior - liked) ** 2)),
        log_loss=float(np.mean(np.logaddexp(0.0, np.where(liked, -clipped, clipped)))),
        error=float(np.nansum(np.abs(share - mean) * articles) / len(scores)),
    )


def largest_gap(scores: Floats, liked: Flags) -> float | None:
    """Return the largest distance of mean posterior and share of liked articles in a bin; shapes (n,).

    Bins are a tenth wide. The first, and bins of fewer than ``FEWEST_IN_BIN`` articles, do not count; ``None`` when no
    other is left.
    """
    found = reliability(scores, liked)
    enough = found.articles >= FEWEST_IN_BIN
    enough[0] = False
    return float(np.abs(found.posterior - found.liked)[enough].max()) if enough.any() else None
