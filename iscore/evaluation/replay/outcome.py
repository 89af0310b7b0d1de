"""What became of a stream for one reader under one classifier. Everything that a report says is computed from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Decisions about the n articles that the reader has a verdict on, in order of arrival; arrays of shape (n,)."""

    stream: str
    reader: str
    classifier: str
    protocol: str
    """"full" or "delivered"."""
    liked: Flags
    """What the reader thinks, whether the filter heard of it or not."""
    scores: Floats
    """As judged at arrival, in log-odds."""
    thresholds: Floats
    """The threshold at that moment."""
    recommended: Flags
    """Score at or above threshold."""
    explored: Flags
    """Delivered though held back; nowhere in the full protocol."""
    trained: Flags
    """Whether the score is the classifier's; False while there are too few verdicts."""
    verdicts: int
    """How many verdicts the filter learned from."""
    seconds: float
    """Processor time for judging and learning, without document and stream scope."""

    @property
    def delivered(self) -> Flags:
        """What the reader got to see."""
        return self.recommended | self.explored
