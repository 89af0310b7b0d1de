"""The memory that a document may take: a fixed amount above what its process needs anyway.

The kernel enforces it. Memory that is not freed after a document counts too, since Python seldom returns memory;
``is_worn`` says when a fresh process is better.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import resource
except ImportError:  # a system without limits: the parent's deadline is what remains
    resource = None  # type: ignore[assignment]

_SIZES = Path("/proc/self/statm")


class MemoryLimit:
    """Limits this process to ``size`` bytes above what it has when this is made."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._base = _mapped()
        self._limit(self._base + size)

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """Lift the limit for a block, and raise it by what the block has added: an import, for instance."""
        before = _mapped()
        self._limit(None)
        try:
            yield
        finally:
            self._base += max(_mapped() - before, 0) if self._base else 0
            self._limit(self._base + self._size)

    def _limit(self, limit: int | None) -> None:
        if resource is None or not self._base:
            return
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if limit is None or (hard != resource.RLIM_INFINITY and limit > hard):
            limit = hard
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))

    def is_worn(self) -> bool:
        """Whether more than half of the memory is taken: too little may be left for a large document."""
        if self._base:
            return _mapped() - self._base > self._size // 2
        if resource is None:
            return False
        # Elsewhere the highest so far must do.
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit > 2 * self._size


def _mapped() -> int:
    """Bytes of address space in use; 0 where the system does not say."""
    if resource is None:
        return 0
    try:
        return int(_SIZES.read_text("ascii").split()[0]) * resource.getpagesize()
    except OSError:
        return 0
