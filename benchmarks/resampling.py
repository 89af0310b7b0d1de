"""Intervals from resamples: of the articles that two filters judged, or of the readers of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

RESAMPLES = 10_000
SEED = 5
AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure, and where 95 % of the resamples have it."""

    measured: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.measured:+.4f} ({self.low:+.4f} to {self.high:+.4f})"

    def limits(self) -> str:
        """Return where the resamples are, with three decimals, for a cell of a table."""
        return f"{self.low:.3f} to {self.high:.3f}"


def of_mean(values: Sequence[float]) -> Interval:
    """Return the interval of a mean over readers, from resamples of the readers; of differences, it is a paired one.

    >>> of_mean([0.5, 0.5]).limits()
    '0.500 to 0.500'
    """
    each = np.asarray(values, dtype=np.float64)
    drawn = np.random.default_rng(SEED).integers(len(each), size=(RESAMPLES, len(each)))
    return Interval(float(each.mean()), *(float(edge) for edge in np.percentile(each[drawn].mean(axis=1), [2.5, 97.5])))


def differences(liked: Bools, ours: tuple[Floats, Bools], theirs: tuple[Floats, Bools]) -> tuple[Interval, Interval]:
    """Return the differences of AUC and of F0.5, ours minus theirs.

    Each filter is its scores (m,) and what it delivered (m,), of the same articles, of which ``liked`` (m,) tells.
    """
    weights = np.concatenate(list(_resamples(len(liked))))
    both = [
        (auc(ours[0], liked, weights) - auc(theirs[0], liked, weights), auc(ours[0], liked) - auc(theirs[0], liked))
    ]
    both.append(
        (f05(ours[1], liked, weights) - f05(theirs[1], liked, weights), f05(ours[1], liked) - f05(theirs[1], liked))
    )
    first, second = (
        Interval(float(measured), *(float(edge) for edge in np.percentile(resampled, [2.5, 97.5])))
        for resampled, measured in both
    )
    return first, second


def auc(scores: Floats, liked: Bools, weights: Floats | None = None) -> Floats:
    """Return the area under the ROC curve, a tie counting half; for each row of ``weights`` (k, m), if given, (k,)."""
    each = np.ones((1, len(liked))) if weights is None else weights
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.diff(scores[order], prepend=-np.inf) > 0.0)
    hits = np.add.reduceat(each[:, order] * liked[order], starts, axis=1)
    misses = np.add.reduceat(each[:, order] * ~liked[order], starts, axis=1)
    below = np.cumsum(misses, axis=1) - 0.5 * misses
    areas: Floats = (hits * below).sum(axis=1) / (hits.sum(axis=1) * misses.sum(axis=1))
    return areas if weights is not None else areas[0]


def f05(delivered: Bools, liked: Bools, weights: Floats | None = None) -> Floats:
    """Return F-beta with beta = 0.5; for each row of ``weights`` (k, m), if given, shape (k,)."""
    each = np.ones((1, len(liked))) if weights is None else weights
    hits = each @ (delivered & liked)
    whole = each @ delivered + 0.25 * (each @ liked)
    found: Floats = 1.25 * hits / np.maximum(whole, 1e-9)
    return found if weights is not None else found[0]


def _resamples(m: int) -> Iterator[Floats]:
    """Yield how often each of m articles is drawn, shape (AT_ONCE, m), ``RESAMPLES`` rows in all."""
    random = np.random.default_rng(SEED)
    for _ in range(RESAMPLES // AT_ONCE):
        yield random.multinomial(m, np.full(m, 1.0 / m), size=AT_ONCE).astype(np.float64)
