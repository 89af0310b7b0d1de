"""Sorting within kernels: compiling numpy's takes seconds."""

from __future__ import annotations

from extractors.arrays import Int32s
from extractors.numba_kernel import inner


@inner
def sort(values: Int32s) -> None:
    """Sort in ascending order, in place (Shell 1959, with Knuth's gaps: 1, 4, 13, 40, …)."""
    gap = 1
    while gap < len(values):
        gap = 3 * gap + 1
    while gap > 1:
        gap //= 3
        for i in range(gap, len(values)):
            value, at = values[i], i
            while at >= gap and values[at - gap] > value:
                values[at] = values[at - gap]
                at -= gap
            values[at] = value
