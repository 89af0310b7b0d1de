"""The recent articles that one new article resembles: what the measures of its topic's past are given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

SAME_TOPIC = 0.2
"""Cosine from which two articles have a topic in common."""


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """Recent articles that have a topic in common with the new one; arrays have one element per article, in no
    order."""

    cosines: npt.NDArray[np.float64]
    """Cosine of the tf-idf vectors, in [``SAME_TOPIC``, 1]."""
    hours: npt.NDArray[np.float64]
    """Hours since it arrived; at least 0."""
    sources: npt.NDArray[np.int64]
    """A number for each source."""
    source: int
    """The number of the new article's own source."""
