"""How well scores rank, whatever the threshold: area under the ROC curve, precision at each recall, the best cut.

Scores are those of the moment of arrival, of a filter that was learning meanwhile: an article's score is compared with
that of another that was judged by a younger or older model. That is what a static threshold over the stream would see,
and it is less than the model of any one moment could rank.

A score that is not a number leaves everything here undefined. Infinite scores are at the ends of the ranking.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from iscore.filtering.metrics import BETA

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

RECALLS: Floats = np.arange(1, 101) / 100.0
"""The levels of recall at which precision is given: 0.01, 0.02 … 1."""


def auc(scores: Floats, liked: Flags) -> float | None:
    """Return the probability that a liked article has a higher score than one that is not, in [0, 1].

    Equal scores count half (Mann and Whitney 1947; Hanley and McNeil 1982), so a filter that gives all articles the
    same score has 0.5. ``None`` unless there are articles of both kinds. Shapes (n,).
    """
    positives = int(np.count_nonzero(liked))
    negatives = len(liked) - positives
    if not positives or not negatives or np.isnan(scores).any():
        return None
    ranks = rankdata(scores)
    return float((ranks[liked].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def precision_at_recalls(scores: Floats, liked: Flags, recalls: Floats = RECALLS) -> Floats:
    """Return the precision of the highest static threshold whose recall is at least each of ``recalls``.

    Shape of ``recalls``, values in [0, 1]; all NaN when nothing is liked. Nothing is interpolated, so precision may
    rise with recall. Pon, Cardenas, Buttler 2008, Figure 5.
    """
    hits, passed, _ = _cuts(scores, liked)
    if not len(hits) or hits[-1] == 0:
        return np.full(len(recalls), np.nan)
    # A hair below the level: 0.07 * 100 hits is 7.000000000000001.
    first = np.searchsorted(hits, recalls * hits[-1] - 1e-9)
    precision: Floats = hits[first] / passed[first]
    return precision


def best_cut(scores: Floats, liked: Flags, *, beta: float = BETA) -> tuple[float, float] | None:
    """Return the static threshold with the best F-beta in hindsight, and that F-beta; shapes (n,).

    Ties go to the higher threshold. An article with a score of minus infinity is never delivered; where nothing liked
    could be, the threshold is infinite and F-beta 0. ``None`` when nothing is liked or a score is not a number.
    """
    if not liked.any() or np.isnan(scores).any():
        return None
    hits, passed, cuts = _cuts(scores, liked)
    f = (1.0 + beta * beta) * hits / (passed + beta * beta * np.count_nonzero(liked))
    f[np.isneginf(cuts)] = 0.0
    best = int(np.argmax(f))
    return (float(cuts[best]), float(f[best])) if f[best] > 0.0 else (float("inf"), 0.0)


def _cuts(scores: Floats, liked: Flags) -> tuple[Floats, Floats, Floats]:
    """Return hits, deliveries and threshold of every cut between different scores, the highest first."""
    if np.isnan(scores).any():
        return np.zeros(0), np.zeros(0), np.zeros(0)
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)) if len(ordered) else np.zeros(0, dtype=int)
    hits: Floats = np.cumsum(liked[order], dtype=np.float64)[last]
    passed: Floats = last.astype(np.float64) + 1.0
    return hits, passed, ordered[last]
