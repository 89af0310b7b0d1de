"""The one place that knows numba: plain functions over arrays, compiled at their first call and cached on
disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function to machine code, keeping its type for readers and checkers.

    No fastmath and no parallel loops: a state that is replayed must come out bit for bit the same. With
    ``NUMBA_DISABLE_JIT=1`` in the environment the function stays plain Python.
    """
    return cast("Callable[P, R]", numba.njit(cache=True)(function))
