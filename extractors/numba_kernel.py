"""The decorators that compile numerical kernels to machine code and keep their types; the only user of numba.

``compiled`` is for the kernels that Python calls, ``inner`` for the functions that only kernels call: compiled without
an entry for Python, which takes as long to compile as a short loop. Both are plain loops over arrays. They are compiled
without fastmath and never in parallel, so that a replay gives the same bits. The machine code of kernels is cached on
disk beside the module, so that only the first run after an installation pays for compiling. With
``NUMBA_DISABLE_JIT=1`` in the environment they run as ordinary Python, which is how they are debugged and tested.

Guard divisions: by zero they give inf or NaN when compiled and may raise when not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np
from numba import njit
from numba.extending import register_jitable

P = ParamSpec("P")
R = TypeVar("R")

_OPTIONS: dict[str, Any] = {"fastmath": False, "error_model": "numpy", "no_cfunc_wrapper": True}

_stamps: dict[Any, str] = {}
"""A digest of everything that the machine code of a kernel, or of an inner function, is made of."""


def compiled(kernel: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel at its first call; the result is called like the original and has its type."""
    try:
        return _compiled(kernel, cache=True)
    except RuntimeError:
        # Neither the module's nor the user's cache folder can be written: compile anew in each process.
        return _compiled(kernel, cache=False)


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Let kernels call a function, which is compiled into them; called from Python, it runs as ordinary Python."""
    _stamps[function] = _stamp(function)
    register_jitable(**_OPTIONS)(function)
    return function


def _compiled(kernel: Callable[P, R], *, cache: bool) -> Callable[P, R]:
    dispatcher = njit(cache=cache, nogil=True, **_OPTIONS)(kernel)
    stamp = _stamps[dispatcher] = _stamp(kernel)
    file: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if file is not None:
        file._source_stamp = stamp
        file._load_index = partial(_index, file._load_index)
    return cast("Callable[P, R]", dispatcher)


def _index(load: Callable[[], dict[Any, Any]]) -> dict[Any, Any]:
    """Return what is cached of a kernel; nothing if a type of an argument has moved to another module since."""
    try:
        return load()
    except (AttributeError, ImportError):
        return {}


def _stamp(function: Callable[..., Any]) -> str:
    """Return a digest of the function's file and what that imports: other files' kernels, constants, named tuples.

    Numba's own stamp is that of the file only; with it, a new version would run the old machine code of every kernel
    that calls a changed one.
    """
    module = function.__module__
    found = [_file_digest(function.__code__.co_filename)]
    for name, value in sorted(function.__globals__.items()):
        if name.startswith("__"):
            continue
        if isinstance(value, int | float | str | tuple | np.generic) and not callable(value):
            found.append(f"{name} {value!r}")
        elif isinstance(value, type):
            if issubclass(value, tuple):
                found.append(f"{name} {getattr(value, '_fields', ())!r}")
        elif callable(value) and getattr(value, "__module__", module) != module and value in _stamps:
            found.append(f"{name} {_stamps[value]}")
    return sha256("\n".join(found).encode()).hexdigest()


@cache
def _file_digest(path: str) -> str:
    return sha256(Path(path).read_bytes()).hexdigest()
