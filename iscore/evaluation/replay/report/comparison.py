"""Compare classifiers: means and curves over readers, and differences with their uncertainty."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from iscore.evaluation.replay.report.findings import LONG_STREAM, SHORT_WINDOW, Finding
from iscore.evaluation.replay.windows import WINDOW

Floats = npt.NDArray[np.float64]

FEWEST_READERS = 5
"""Smallest number of readers for an interval."""
RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Difference:
    """F0.5 of a classifier minus that of the baseline, over the readers that both have."""

    readers: int
    mean: float
    low: float | None
    """Bounds of the 95 % interval; ``None`` with fewer than ``FEWEST_READERS`` readers."""
    high: float | None
    better: int
    """Readers for whom it is better by more than 0.005."""
    worse: int


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """Mean trailing F0.5 over the readers of a stream, along the articles."""

    window: int
    positions: npt.NDArray[np.int64]
    f05: Floats
    """Shape of ``positions``."""
    readers: npt.NDArray[np.int64]
    """Number of readers in each mean."""


def difference(findings: Sequence[Finding], baseline: Sequence[Finding]) -> Difference | None:
    """Compare two classifiers reader by reader; ``None`` without a reader for whom F0.5 is defined under both.

    The interval is the percentile bootstrap over readers (Efron 1979), with a fixed seed. Readers of one stream see
    the same articles, so it shows how much tastes matter, not how another stream would turn out.
    """
    theirs = {(f.summary.stream, f.summary.reader): f.summary.f05 for f in baseline}
    pairs = [(f.summary.f05, theirs.get((f.summary.stream, f.summary.reader))) for f in findings]
    gains = np.array([ours - other for ours, other in pairs if ours is not None and other is not None])
    if not len(gains):
        return None
    low = high = None
    if len(gains) >= FEWEST_READERS:
        chance = np.random.default_rng(0)
        even = np.full(len(gains), 1.0 / len(gains))
        # One resample after the other, because there may be thousands of readers.
        means = [chance.multinomial(len(gains), even) @ gains / len(gains) for _ in range(RESAMPLES)]
        low, high = (float(bound) for bound in np.quantile(means, [0.025, 0.975]))
    return Difference(
        readers=len(gains),
        mean=float(gains.mean()),
        low=low,
        high=high,
        better=int(np.count_nonzero(gains > 0.005)),
        worse=int(np.count_nonzero(gains < -0.005)),
    )


def window_of(findings: Sequence[Finding]) -> int:
    """Return the trailing window for a stream's readers, by the longest of their streams."""
    return WINDOW if max((f.summary.n for f in findings), default=0) >= LONG_STREAM else SHORT_WINDOW


def trailing(finding: Finding, window: int) -> Floats:
    """Return the F0.5 over the last ``window`` articles, which is one of the two windows of a finding."""
    return finding.trailing if window == WINDOW else finding.trailing_short


def course(findings: Sequence[Finding], window: int) -> Course:
    """Average the trailing F0.5 of readers of one stream, where at least half of them still have articles."""
    longest = max((f.positions for f in findings), key=len)
    rows = np.full((len(findings), len(longest)), np.nan)
    for row, f in zip(rows, findings, strict=True):
        row[: len(f.positions)] = trailing(f, window)
    ends = np.sort([len(f.positions) for f in findings])
    there = len(findings) - np.searchsorted(ends, np.arange(len(longest)), side="right")
    lasting = 2 * there >= len(findings)
    readers = np.count_nonzero(~np.isnan(rows), axis=0)
    return Course(window, longest[lasting], _mean(rows)[lasting], readers[lasting])


def mean_precision(findings: Sequence[Finding]) -> Floats:
    """Average precision at each recall over readers; NaN where it is undefined for all."""
    return _mean(np.array([f.precision for f in findings]))


def pooled_reliability(findings: Sequence[Finding]) -> tuple[npt.NDArray[np.int64], Floats, Floats]:
    """Pool the calibration bins of all readers: number of articles, mean posterior, share of liked articles."""
    articles = np.sum([f.reliability.articles for f in findings], axis=0)
    sums = [
        np.sum([np.nan_to_num(values) * f.reliability.articles for f, values in each], axis=0)
        for each in (
            [(f, f.reliability.posterior) for f in findings],
            [(f, f.reliability.liked) for f in findings],
        )
    ]
    there = np.where(articles > 0, articles, np.nan)
    return articles, sums[0] / there, sums[1] / there


def _mean(rows: Floats) -> Floats:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of a column without numbers the mean is NaN
        mean: Floats = np.nanmean(rows, axis=0)
    return mean
