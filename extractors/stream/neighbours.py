"""The recent articles that are similar to a new one."""

from __future__ import annotations

from typing import Final

from extractors.arrays import Int32s, UInt32s
from extractors.numba_kernel import inner
from extractors.stream.article_ring import ONE

SAME_TOPIC: Final = 0.2
"""Cosine from which two articles have a topic in common."""

_LIMIT: Final = int(SAME_TOPIC * ONE)


@inner
def neighbours_of(cosines: UInt32s, rows: Int32s) -> int:
    """Write the rows whose cosine, in steps of 1/``ONE``, is at least ``SAME_TOPIC``; return how many there are.

    ``rows`` has room for one more than there are cosines.
    """
    n = 0
    for row in range(len(cosines)):
        rows[n] = row  # overwritten unless it counts: no branch to predict
        n += cosines[row] >= _LIMIT
    return n
