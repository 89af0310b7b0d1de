"""How each feature goes with interest: what the paper's Figure 2 shows.

An ``Outcome`` holds scores and no features, so whoever replays measures this on the way; ``learners.correlation`` keeps
it up online, and ``of_vectors`` computes it when the vectors are at hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from iscore.learners.naive_bayes import correlation

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

FEWEST = 30
"""Articles that have to have a feature: correlations over fewer say nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class FeatureCorrelations:
    """Pearson's correlation of every feature with the verdicts of one reader."""

    stream: str
    reader: str
    names: tuple[str, ...]
    r: Floats
    """Shape (features,), in [-1, 1]; NaN where too few articles have the feature, or it never varies."""


def of_moments(stream: str, reader: str, names: Sequence[str], moments: Floats) -> FeatureCorrelations:
    """Read the correlations off running ``moments`` (6, features), as ``learners.correlation.update`` keeps them."""
    known = (moments[0] >= FEWEST) & (moments[3] > 0.0) & (moments[4] > 0.0)
    return FeatureCorrelations(stream, reader, tuple(names), np.where(known, correlation.correlations(moments), np.nan))


def of_vectors(stream: str, reader: str, names: Sequence[str], vectors: Floats, liked: Flags) -> FeatureCorrelations:
    """Compute the correlations of ``vectors`` (n, features), NaN where missing, with ``liked`` (n,)."""
    moments = np.zeros((correlation.N_MOMENTS, len(names)))
    for x, interesting in zip(np.ascontiguousarray(vectors), liked.tolist(), strict=True):
        correlation.update(moments, x, float(interesting), 1.0)
    return of_moments(stream, reader, names, moments)
