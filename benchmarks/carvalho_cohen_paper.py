"""What Carvalho and Cohen printed, and how far from it a figure is."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.stats import rankdata, t

from benchmarks.carvalho_cohen_contest import FOLDS, ONLINE, Figures, Floats

COLUMNS = (*ONLINE, "SVM", "NB")
_PRINTED = {
    "Reuters": (95.9, 93.8, 94.0, 95.5, 91.9, 96.9, 96.3, 96.2, 95.8, 90.4, 96.3, 96.7, 85.5),
    "20newsgroup": (93.7, 81.6, 86.6, 81.1, 66.9, 91.9, 73.9, 87.3, 82.7, 53.7, 67.9, 88.8, 94.4),
    "MovieReviews": (75.1, 66.8, 74.5, 28.8, 57.1, 77.2, 67.5, 68.9, 63.0, 24.8, 71.4, 78.5, 71.9),
    "Adult": (25.0, 46.7, 44.7, 13.4, 41.8, 19.6, 49.8, 49.1, 18.8, 41.0, 26.6, 41.0, 32.3),
    "Congressional": (94.2, 92.5, 93.6, 92.4, 93.3, 96.0, 94.3, 95.2, 94.3, 92.5, 95.7, 96.2, 91.7),
    "Credit": (72.1, 79.1, 74.3, 46.2, 59.3, 79.7, 78.1, 77.3, 60.0, 66.9, 59.5, 80.2, 66.8),
    "WiscBreast": (96.8, 96.4, 96.3, 97.5, 96.0, 97.2, 96.9, 96.7, 97.4, 95.7, 97.1, 96.6, 98.2),
    "Nursery": (57.0, 55.8, 69.1, 72.0, 68.3, 69.6, 80.3, 83.1, 86.3, 85.8, 86.8, 87.1, 84.4),
}
PAPER = {data: dict(zip(COLUMNS, figures, strict=True)) for data, figures in _PRINTED.items()}
DOUBTFUL = {(data, name) for data in ("Adult", "Credit", "Nursery") for name in ("SVM", "NB")}
"""Figures that are read from a damaged table."""

NEAR = 3.0
"""Points of F1 that count as the same."""


def p_value(one: Floats, other: Floats) -> float:
    """Return the p of the paired t-test over folds (foldings, folds), corrected for overlapping training parts."""
    gaps = (one - other).ravel()
    spread = gaps.var(ddof=1)
    if spread == 0.0:
        return 1.0 if gaps.mean() == 0.0 else 0.0
    score = gaps.mean() / np.sqrt((1.0 / len(gaps) + 1.0 / (FOLDS - 1)) * spread)
    return float(2.0 * t.sf(abs(score), len(gaps) - 1))


def means(found: Figures) -> dict[str, float]:
    """Return the mean F1 of each learner."""
    return {name: float(of.mean()) for name, of in found.items()}


def ranks(of: Mapping[str, float]) -> dict[str, float]:
    """Return the rank of each learner, 1 for the best."""
    return dict(zip(of, rankdata([-figure for figure in of.values()]).tolist(), strict=True))


def far(data: str, found: Figures) -> list[str]:
    """Return the learners whose mean is more than 3 points from the paper's."""
    return [name for name, paper in PAPER[data].items() if abs(means(found)[name] - paper) > NEAR]
