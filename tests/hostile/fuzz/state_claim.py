"""What must hold of any bytes that stand where a saved state is looked for, and of any state that is saved."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from iscore.filtering.serialization import StateError, pack, unpack
from tests.hostile.fuzz.refusal import refused

MAGIC = b"iscore-state-1\n"


def state_is_read_safely(data: bytes) -> bool:
    """Raise ``AssertionError`` if an accepted state is not given back as it is; return whether it is accepted.

    Anything but ``StateError`` that comes out of here is a fault too.
    """
    try:
        state = unpack(data)
    except StateError as error:
        return refused(error)
    assert size_of(state) <= 2000 * len(data)
    state_survives(state)
    return True


def state_of_content_is_read_safely(content: bytes) -> bool:
    """Take what is compressed within a state, so that damage is not found by the compression already."""
    return state_is_read_safely(MAGIC + zlib.compress(content, 1))


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
