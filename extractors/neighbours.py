"""What the measures of uniqueness are given: an article's likeness to each of the articles shortly before
it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The recent articles as one new article sees them; arrays have one element per recent article, in no
    order."""

    cosines: npt.NDArray[np.float64]
    """Cosine of the tf-idf vectors, in [0, 1]."""
    hours: npt.NDArray[np.float64]
    """Hours since it arrived; at least 0."""
    sources: npt.NDArray[np.int64]
    """A number for each source."""
    source: int
    """The number of the new article's own source."""
