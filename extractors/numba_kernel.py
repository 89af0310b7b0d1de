"""The decorator that compiles a numerical kernel to machine code and keeps its type; the only user of numba.

Kernels are plain loops over arrays. They are compiled without fastmath and never in parallel, so that a
replay gives the same bits; the machine code is cached on disk beside the module, so that only the first run
after an installation pays for compiling. With ``NUMBA_DISABLE_JIT=1`` in the environment they run as ordinary
Python, which is how they are debugged and tested.

Guard divisions: by zero they give inf or NaN when compiled and may raise when not.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np
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
    dispatcher = decorate(kernel)
    file = _cache_file(dispatcher)
    if file is not None:
        file._source_stamp = (file._source_stamp, _surroundings(kernel))
    return cast("Callable[P, R]", dispatcher)


def _surroundings(kernel: Callable[..., Any]) -> str:
    """Return a digest of what the kernel's module imports: other files' kernels, constants, named tuples.

    Numba's cache depends on the text of the kernel's own file only; without this, a new version would run the old
    machine code of every kernel that calls a changed one.
    """
    found = []
    for name, value in sorted(kernel.__globals__.items()):
        file = _cache_file(value)
        if name.startswith("__"):
            continue
        if file is not None and value.py_func.__module__ != kernel.__module__:
            found.append((name, repr(file._source_stamp)))
        elif isinstance(value, int | float | str | tuple | np.generic) and not callable(value):
            found.append((name, repr(value)))
        elif isinstance(value, type) and issubclass(value, tuple):
            found.append((name, repr(getattr(value, "_fields", ()))))
    return sha256(repr(found).encode()).hexdigest()


def _cache_file(dispatcher: Any) -> Any:
    """Return numba's cache file of a kernel, None where there is none."""
    file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    return file if hasattr(file, "_source_stamp") else None
