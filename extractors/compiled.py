"""The one door to numba: a decorator that compiles a numerical kernel to machine code and keeps its type.

Kernels are plain loops over arrays. They are compiled without fastmath and never in parallel, so that a
replay gives the same bits; the machine code is cached on disk beside the module, so that only the first run
after an installation pays for compiling. With ``NUMBA_DISABLE_JIT=1`` in the environment they run as ordinary
Python, which is how they are debugged and tested.

Two things to know when writing one. A division by zero gives inf or NaN when compiled and may raise when not:
guard it. And numba's cache watches only the file of the kernel itself: after changing a kernel that those of
other files call, remove ``__pycache__`` in their folder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def compiled(kernel: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel at its first call; the result is called like the original and has its type."""
    try:
        return _compiled(kernel, cache=True)
    except RuntimeError:
        # Neither the module's nor the user's cache folder can be written: compile anew in each process.
        return _compiled(kernel, cache=False)


def _compiled(kernel: Callable[P, R], *, cache: bool) -> Callable[P, R]:
    decorate = njit(cache=cache, fastmath=False, nogil=True, error_model="numpy")
    return cast("Callable[P, R]", decorate(kernel))
