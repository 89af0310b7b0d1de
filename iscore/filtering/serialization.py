"""Saved state as bytes: typed arrays and plain scalars by name, never code.

The format is a line of JSON with the scalars and the place of each array, then the arrays' little-endian bytes, all
compressed. Of each array the lowest bytes of all numbers come first, then the second bytes, and so on: the highest are
much alike, and so they are in a row. Equal states give equal bytes, by which a saved model is compared with a replay.

Of the first version, by zlib and with numbers as they are, states can be read.
"""

from __future__ import annotations

import json
import math
import re
import sys
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_MAGIC = b"iscore-state-2\n"
_MAGIC_OF_FIRST = b"iscore-state-1\n"
_COMPRESSION: dict[int, int] = {
    zstd.CompressionParameter.compression_level: 1,
    zstd.CompressionParameter.checksum_flag: 1,
}
"""Fast, and damage is noticed."""
_KINDS = frozenset("biuf")
"""Booleans, integers and floats; anything else is refused, objects above all."""
_DTYPE = re.compile(r"[<|][biuf](?:1|2|4|8|16)")
_DEEPEST = 50
"""Largest depth of nested mappings and lists; saved states have four levels."""
_LARGEST = 1 << 30
"""Largest size of a decompressed state, in bytes."""


class StateError(ValueError):
    """The bytes are not a state, or one of an unknown version."""


def pack(state: Mapping[str, Any]) -> bytes:
    """Turn a nested mapping of arrays, numbers, strings, booleans and None into bytes."""
    arrays: list[bytes] = []
    header = json.dumps(_described(state, arrays), separators=(",", ":"), sort_keys=True, allow_nan=True)
    body = header.encode() + b"\n" + b"".join(arrays)
    return _MAGIC + zstd.compress(body, options=_COMPRESSION)


def check(state: Mapping[str, Any]) -> None:
    """Raise ``TypeError`` if ``state`` has values that ``pack`` or ``unpack`` cannot handle."""
    if not isinstance(state, Mapping):
        raise TypeError("a state is a mapping")
    json.dumps(_described(state, []))


def unpack(data: bytes) -> dict[str, Any]:
    """Return what ``pack`` was given; arrays are writable copies. Raises ``StateError``."""
    is_first = data.startswith(_MAGIC_OF_FIRST)
    if not is_first and not data.startswith(_MAGIC):
        raise StateError("not a saved state of this version")
    try:
        stream = zlib.decompressobj() if is_first else zstd.ZstdDecompressor()
        content = stream.decompress(memoryview(data)[len(_MAGIC) :], _LARGEST)
        if not stream.eof or stream.unused_data:
            raise ValueError("it is cut off, has something behind it, or is too large")
        header, _, arrays = content.partition(b"\n")
        pieces = _Pieces(arrays, sorted_by_byte=not is_first)
        restored = _revived(json.loads(header), pieces)
        pieces.check_end()
    except (zlib.error, zstd.ZstdError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise StateError(f"the saved state is damaged: {error}") from error
    if not isinstance(restored, dict):
        raise StateError("the saved state is damaged: no names")
    return restored


class _Pieces:
    """The bytes of the arrays, each used once: a header cannot describe more of them than there are."""

    def __init__(self, content: bytes, *, sorted_by_byte: bool) -> None:
        self._content = np.frombuffer(content, dtype=np.uint8)
        self._sorted = sorted_by_byte
        self._taken = 0

    def take(self, name: object, shape: object, offset: object) -> np.ndarray:
        """Return a writable copy of the next array. Raises ``ValueError`` when another is described."""
        if not isinstance(name, str) or not _DTYPE.fullmatch(name) or offset != self._taken:
            raise ValueError(f"no array of numbers lies at {offset!r}")
        if not isinstance(shape, list) or not all(type(size) is int and 0 <= size <= _LARGEST for size in shape):
            raise ValueError("an array has an impossible shape")
        dtype = np.dtype(name)
        count = math.prod(shape)
        own = self._content[self._taken : self._taken + count * dtype.itemsize]
        if len(own) < count * dtype.itemsize:
            raise ValueError("an array is cut off")
        self._taken += len(own)
        found = np.empty(count, dtype=dtype)
        if self._sorted:  # a byte of all numbers at a time: to transpose them all at once takes three times as long
            of_each = found.view(np.uint8).reshape(count, dtype.itemsize)
            for place, bytes_of_all in enumerate(own.reshape(dtype.itemsize, count)):
                of_each[:, place] = bytes_of_all
        else:
            found.view(np.uint8)[:] = own
        return found.reshape(shape).astype(dtype.newbyteorder("="), copy=False)

    def check_end(self) -> None:
        """Raise ``ValueError`` when bytes are left that belong to no array."""
        if self._taken != len(self._content):
            raise ValueError("some of its bytes belong to no array")


def _described(value: Any, arrays: list[bytes], depth: int = 0) -> Any:
    if depth > _DEEPEST:
        raise TypeError(f"a state may not be nested deeper than {_DEEPEST} levels")
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) and name for name in value):
            raise TypeError("the parts of a state have names")
        return {name: _described(inner, arrays, depth + 1) for name, inner in sorted(value.items())}
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in _KINDS:
            raise TypeError(f"a state may not hold an array of {value.dtype}")
        offset = sum(map(len, arrays))
        little = value.astype(value.dtype.newbyteorder("<"), copy=False)
        arrays.append(np.frombuffer(little.tobytes(), dtype=np.uint8).reshape(-1, little.itemsize).T.tobytes())
        return {"": [little.dtype.str, list(value.shape), offset]}
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_described(inner, arrays, depth + 1) for inner in value]
    raise TypeError(f"a state may not hold a {type(value).__name__}")


def _revived(value: Any, pieces: _Pieces, depth: int = 0) -> Any:
    if depth > _DEEPEST:
        raise ValueError("it is nested too deeply")
    if isinstance(value, dict):
        if "" not in value:
            return {name: _revived(inner, pieces, depth + 1) for name, inner in value.items()}
        return pieces.take(*value[""])
    if isinstance(value, list):
        return [_revived(inner, pieces, depth + 1) for inner in value]
    return value
