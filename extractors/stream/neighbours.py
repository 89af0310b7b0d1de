"""The recent articles that one new article resembles: what the measures of its topic's past are given."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled
from extractors.stream.nearest_articles import ONE

SAME_TOPIC: Final = 0.2
"""Cosine from which two articles have a topic in common."""

_LIMIT: Final = int(SAME_TOPIC * ONE)


@compiled
def neighbours_of(cosines: npt.NDArray[np.uint32], rows: npt.NDArray[np.int32]) -> int:
    """Write the rows whose cosine, in steps of 1/``ONE``, is at least ``SAME_TOPIC``; return how many there are.

    ``rows`` has room for one more than there are cosines.
    """
    n = 0
    for row in range(len(cosines)):
        rows[n] = row  # written over unless it counts: there is nothing for the processor to guess
        n += cosines[row] >= _LIMIT
    return n
