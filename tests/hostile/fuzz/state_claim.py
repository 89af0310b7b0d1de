"""What must hold of any bytes that stand where a saved state is looked for, and of any state that is saved."""

from __future__ import annotations

import math
import sys
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from iscore.filtering.serialization import StateError, pack, unpack
from tests.hostile.fuzz.refusal import refused

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FIRST, SECOND = b"iscore-state-1\n", b"iscore-state-2\n"
"""What states of the two versions begin with."""
COMPRESS: dict[bytes, Callable[[bytes], bytes]] = {FIRST: zlib.compress, SECOND: zstd.compress}
"""How each version compresses."""


def state_is_read_safely(data: bytes) -> bool:
    """Raise ``AssertionError`` if an accepted state is not given back as it is; return whether it is accepted.

    Anything but ``StateError`` that comes out of here is a fault too.
    """
    try:
        state = unpack(data)
    except StateError as error:
        return refused(error)
    state_survives(state)
    return True


def state_of_content_is_read_safely(content: bytes) -> bool:
    """Take what is compressed within a state, so that damage is not found by the compression already.

    Nothing that it says of itself makes a state take more than it has bytes for.
    """
    accepted = False
    for magic, compress in COMPRESS.items():
        data = magic + compress(content)
        if state_is_read_safely(data):
            assert size_of(unpack(data)) <= 10 * len(content)
            accepted = True
    return accepted


def state_survives(state: Mapping[str, Any]) -> None:
    """Raise ``AssertionError`` if a state that is saved is not the same afterwards."""
    packed = pack(state)
    restored = unpack(packed)
    assert same(restored, state)
    assert pack(restored) == packed


def same(left: Any, right: Any) -> bool:
    """Whether two states are equal bit for bit; tuples count as lists, numbers of numpy as Python's."""
    if isinstance(right, Mapping):
        return isinstance(left, dict) and sorted(left) == sorted(right) and all(same(left[k], right[k]) for k in right)
    if isinstance(right, np.ndarray):
        return (
            isinstance(left, np.ndarray)
            and (left.dtype.kind, left.dtype.itemsize, left.shape)
            == (right.dtype.kind, right.dtype.itemsize, right.shape)
            and left.tobytes() == right.astype(right.dtype.newbyteorder("=")).tobytes()
        )
    if isinstance(right, list | tuple):
        return isinstance(left, list) and len(left) == len(right) and all(map(same, left, right))
    right = right.item() if isinstance(right, np.generic) else right
    if isinstance(right, float) and math.isnan(right):
        return isinstance(left, float) and math.isnan(left)
    return type(left) is type(right) and bool(left == right)


def size_of(value: Any) -> int:
    """Return about how many bytes a state takes."""
    if isinstance(value, dict):
        return sum(len(name) + size_of(inner) for name, inner in value.items())
    if isinstance(value, list):
        return sum(map(size_of, value))
    return value.nbytes if isinstance(value, np.ndarray) else len(value) if isinstance(value, str) else 8
