"""Scores of first decisions: calibration, and the distributions of liked, disliked and other stories."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from iscore.services.views.history import MAX_SCORE, Calibration, CalibrationBin, ScoreBin
from storage.records.history import PastVerdict
from storage.records.users import Kind

FEWEST = 30
"""Verdicts on decisions of the classifier, below which calibration is left out."""
N_BINS = 10
"""Of probabilities, of equal width."""
WIDTH = 1.0
"""Log-odds that a bin of scores is wide."""


def unbiased(judged: Iterable[PastVerdict]) -> list[PastVerdict]:
    """Return the verdicts on stories that were recommended at once or explored.

    Of the others the user sees those that are recommended later, or that they look for: these are liked more often than
    their first score predicts. Exploration draws by that score alone.
    """
    return [each for each in judged if each.interesting or each.explore]


def calibration(judged: Sequence[PastVerdict]) -> Calibration:
    """Compare probabilities with verdicts, in bins of equal width; ``judged`` are unbiased likes and dislikes.

    The error is the calibration error of ``iscore.evaluation.replay.metrics``.
    """
    filled: list[list[tuple[float, bool]]] = [[] for _ in range(N_BINS)]
    for each in judged:
        posterior = 0.5 * (1.0 + math.tanh((each.score or 0.0) / 2))
        filled[min(int(posterior * N_BINS), N_BINS - 1)].append((posterior, each.kind is Kind.LIKE))
    bins = []
    distance = 0.0
    for number, verdicts in enumerate(filled):
        predicted = liked = None
        if verdicts:
            predicted = sum(posterior for posterior, _ in verdicts) / len(verdicts)
            liked = sum(like for _, like in verdicts) / len(verdicts)
            distance += abs(predicted - liked) * len(verdicts)
        bins.append(CalibrationBin(number / N_BINS, (number + 1) / N_BINS, len(verdicts), predicted, liked))
    return Calibration(tuple(bins), len(judged), distance / len(judged) if judged else None)


def spread(judged: Sequence[PastVerdict], unjudged_scores: Sequence[float]) -> tuple[ScoreBin, ...]:
    """Count stories by score: liked, disliked, without a verdict. Empty bins at the ends are left out."""
    liked, disliked = (
        _counts(_scores([each for each in judged if each.kind is kind])) for kind in (Kind.LIKE, Kind.DISLIKE)
    )
    others = _counts(np.array(unjudged_scores, dtype=np.float64))
    (filled,) = np.nonzero(liked + disliked + others)
    if not len(filled):
        return ()
    return tuple(
        ScoreBin(
            low=number * WIDTH - MAX_SCORE,
            high=(number + 1) * WIDTH - MAX_SCORE,
            liked=int(liked[number]),
            disliked=int(disliked[number]),
            unjudged=int(others[number]),
        )
        for number in range(int(filled[0]), int(filled[-1]) + 1)
    )


def _scores(judged: Sequence[PastVerdict]) -> npt.NDArray[np.float64]:
    return np.array([each.score for each in judged], dtype=np.float64)


def _counts(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    n_bins = round(2 * MAX_SCORE / WIDTH)
    places = np.floor((np.clip(scores[~np.isnan(scores)], -MAX_SCORE, MAX_SCORE) + MAX_SCORE) / WIDTH)
    return np.bincount(np.minimum(places.astype(np.int64), n_bins - 1), minlength=n_bins)
