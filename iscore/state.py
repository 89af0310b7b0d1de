"""Saved state as bytes: typed arrays and plain scalars by name, never code.

The form is a line of JSON, which holds the scalars and says where each array lies, and the arrays' little-endian bytes
behind it, all compressed. Equal states give equal bytes, which is how a saved model is held against a replay.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

_MAGIC = b"iscore-state-1\n"
_KINDS = frozenset("biuf")
"""Booleans, integers and floats: anything else, objects above all, is refused."""


class StateError(ValueError):
    """The bytes are no state, or a state that this version does not understand."""


def pack(state: Mapping[str, Any]) -> bytes:
    """Turn a nested mapping of arrays, numbers, strings, booleans and None into bytes."""
    arrays: list[bytes] = []
    header = json.dumps(_described(state, arrays), separators=(",", ":"), sort_keys=True, allow_nan=True)
    body = header.encode() + b"\n" + b"".join(arrays)
    return _MAGIC + zlib.compress(body, level=1)


def check(state: Mapping[str, Any]) -> None:
    """Raise ``TypeError`` if ``state`` holds what ``pack`` cannot keep, or ``unpack`` not give back."""
    if not isinstance(state, Mapping):
        raise TypeError("a state is a mapping")
    json.dumps(_described(state, []))


def unpack(data: bytes) -> dict[str, Any]:
    """Return what ``pack`` was given; arrays are writable copies. Raises ``StateError``."""
    if not data.startswith(_MAGIC):
        raise StateError("not a saved state of this version")
    try:
        header, _, arrays = zlib.decompress(data[len(_MAGIC) :]).partition(b"\n")
        restored = _revived(json.loads(header), memoryview(arrays))
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        raise StateError(f"the saved state is damaged: {error}") from error
    if not isinstance(restored, dict):
        raise StateError("the saved state is damaged: no names")
    return restored


def _described(value: Any, arrays: list[bytes]) -> Any:
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) and name for name in value):
            raise TypeError("the parts of a state have names")
        return {name: _described(inner, arrays) for name, inner in sorted(value.items())}
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in _KINDS:
            raise TypeError(f"a state may not hold an array of {value.dtype}")
        offset = sum(map(len, arrays))
        little = value.astype(value.dtype.newbyteorder("<"), copy=False)
        arrays.append(little.tobytes())
        return {"": [little.dtype.str, list(value.shape), offset]}
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_described(inner, arrays) for inner in value]
    raise TypeError(f"a state may not hold a {type(value).__name__}")


def _revived(value: Any, arrays: memoryview) -> Any:
    if isinstance(value, dict):
        if "" not in value:
            return {name: _revived(inner, arrays) for name, inner in value.items()}
        dtype_name, shape, offset = value[""]
        dtype = np.dtype(dtype_name)
        if dtype.kind not in _KINDS:
            raise ValueError(f"an array of {dtype} is not accepted")
        count = int(np.prod(shape, dtype=np.int64))
        array = np.frombuffer(arrays, dtype=dtype, count=count, offset=offset)
        return array.reshape(shape).astype(dtype.newbyteorder("="))
    if isinstance(value, list):
        return [_revived(inner, arrays) for inner in value]
    return value
