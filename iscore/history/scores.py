"""Scores of first decisions: whether their probabilities hold, and how liked, disliked and other stories spread."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from iscore.history_views import Calibration, CalibrationBin, ScoreBin
from iscore.replay.reliability import N_BINS, reliability
from storage.history_records import Said
from storage.records import Kind

FEWEST = 30
"""Verdicts on decisions of the classifier, below which nothing is said of its scores."""
WIDTH = 1.0
"""Log-odds that a bin of scores is wide."""
WIDEST = 10.0
"""Log-odds beyond which everything falls into the outermost bins: odds of 22,000 to 1."""


def calibration(judged: Sequence[Said]) -> Calibration:
    """Set probabilities against verdicts; ``judged`` are likes and dislikes of what the classifier decided."""
    found = reliability(_scores(judged), np.array([each.kind is Kind.LIKE for each in judged], dtype=bool))
    bins = tuple(
        CalibrationBin(number / N_BINS, (number + 1) / N_BINS, int(n), _known(predicted), _known(liked))
        for number, (n, predicted, liked) in enumerate(zip(found.articles, found.posterior, found.liked, strict=True))
    )
    return Calibration(bins, int(found.articles.sum()), found.error)


def spread(judged: Sequence[Said], unsaid: Sequence[float]) -> tuple[ScoreBin, ...]:
    """Count stories by score: liked, disliked, and those of which nothing was said. Empty bins at the ends are left
    out; nothing without a story."""
    liked, disliked = (
        _counts(_scores([each for each in judged if each.kind is kind])) for kind in (Kind.LIKE, Kind.DISLIKE)
    )
    others = _counts(np.array(unsaid, dtype=np.float64))
    (filled,) = np.nonzero(liked + disliked + others)
    if not len(filled):
        return ()
    return tuple(
        ScoreBin(
            low=number * WIDTH - WIDEST,
            high=(number + 1) * WIDTH - WIDEST,
            liked=int(liked[number]),
            disliked=int(disliked[number]),
            unjudged=int(others[number]),
        )
        for number in range(int(filled[0]), int(filled[-1]) + 1)
    )


def _scores(judged: Sequence[Said]) -> npt.NDArray[np.float64]:
    return np.array([each.score for each in judged], dtype=np.float64)


def _counts(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    n_bins = round(2 * WIDEST / WIDTH)
    places = np.floor((np.clip(scores[~np.isnan(scores)], -WIDEST, WIDEST) + WIDEST) / WIDTH)
    return np.bincount(np.minimum(places.astype(np.int64), n_bins - 1), minlength=n_bins)


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
