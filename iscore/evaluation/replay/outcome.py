"""The outcome of a replay: the decisions of one classifier about one reader's articles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from iscore.learners.naive_bayes import correlation

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

FEWEST = 30
"""Smallest number of articles with a feature for which its correlation is given."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Decisions about the n articles that the reader has a verdict on, in order of arrival; arrays of shape (n,)."""

    stream: str
    reader: str
    classifier: str
    protocol: str
    """"full" or "delivered"."""
    liked: Flags
    """The reader's verdict, whether the filter learned it or not."""
    scores: Floats
    """At arrival, in log-odds."""
    thresholds: Floats
    """The threshold at that moment."""
    recommended: Flags
    """Score at or above threshold."""
    explored: Flags
    """Delivered although below the threshold; nowhere in the full protocol."""
    trained: Flags
    """Whether the score is the classifier's; False while there are too few verdicts."""
    verdicts: int
    """Number of verdicts that the filter learned."""
    seconds: float
    """Processor time for scoring and learning, without document and stream features."""

    @property
    def delivered(self) -> Flags:
        """Whether the reader saw the article."""
        return self.recommended | self.explored


@dataclass(frozen=True, slots=True, eq=False)
class FeatureCorrelations:
    """Pearson's correlation of every feature with the verdicts of one reader: the paper's Figure 2."""

    stream: str
    reader: str
    names: tuple[str, ...]
    r: Floats
    """Shape (features,), in [-1, 1]; NaN where too few articles have the feature, or it never varies."""

    @classmethod
    def of_moments(cls, stream: str, reader: str, names: Sequence[str], moments: Floats) -> FeatureCorrelations:
        """Make them from running ``moments`` (6, features), as ``correlation.update`` updates them."""
        known = (moments[0] >= FEWEST) & (moments[3] > 0.0) & (moments[4] > 0.0)
        return cls(stream, reader, tuple(names), np.where(known, correlation.correlations(moments), np.nan))


@dataclass(frozen=True, slots=True)
class ReaderOutcomes:
    """What the replay of one reader gives."""

    outcomes: tuple[Outcome, ...]
    """One per classifier."""
    problems: dict[str, str]
    """Why extractors failed, by name: their features were missing then."""
    correlations: FeatureCorrelations | None = None
    """None in the delivered protocol, in which the verdicts depend on the classifier."""
