"""Saved states as bytes: they round-trip, equal states are equal bytes, and nothing is ever executed."""

from __future__ import annotations

import contextlib
import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from iscore.filtering.serialization import StateError, pack, unpack
from tests.hostile.fuzz.state_claim import COMPRESS, FIRST, SECOND

ARRAYS = st.one_of(
    arrays_of.arrays(dtype, arrays_of.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4))
    for dtype in (np.float64, np.float32, np.int64, np.int32, np.uint8, np.bool_, np.dtype(">f8"), np.dtype(">i4"))
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5))
NAMES = st.text(min_size=1, max_size=6)
STATES = st.dictionaries(
    NAMES,
    st.recursive(
        st.one_of(SCALARS, ARRAYS),
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
        max_leaves=8,
    ),
    max_size=4,
)


def same(given: object, got: object) -> bool:
    if isinstance(given, dict):
        return (
            isinstance(got, dict) and given.keys() == got.keys() and all(same(given[name], got[name]) for name in given)
        )
    if isinstance(given, list):
        return isinstance(got, list) and len(given) == len(got) and all(map(same, given, got))
    if isinstance(given, np.ndarray):
        native = given.astype(given.dtype.newbyteorder("="))
        assert isinstance(got, np.ndarray)
        return native.dtype == got.dtype and native.shape == got.shape and native.tobytes() == got.tobytes()
    if isinstance(given, float) and math.isnan(given):
        return isinstance(got, float) and math.isnan(got)
    return type(given) is type(got) and given == got


@given(STATES)
def test_unpack_restores_what_was_packed(state: dict[str, object]) -> None:
    packed = pack(state)
    restored = unpack(packed)
    assert same(state, restored)
    assert pack(restored) == packed


@given(STATES)
def test_the_order_of_names_makes_no_difference(state: dict[str, object]) -> None:
    assert pack(dict(reversed(state.items()))) == pack(state)


def test_one_bit_makes_a_difference() -> None:
    assert pack({"a": np.array([0.0])}) != pack({"a": np.array([-0.0])})
    assert pack({"a": np.array([1, 2], dtype=np.int32)}) != pack({"a": np.array([1, 2], dtype=np.int64)})
    assert pack({"a": 1}) != pack({"a": 1.0})


def test_numbers_of_numpy_come_back_as_pythons() -> None:
    assert unpack(pack({"a": np.float64(0.1), "b": np.int32(3), "c": (1, 2)})) == {"a": 0.1, "b": 3, "c": [1, 2]}


def test_restored_arrays_can_be_written() -> None:
    state = unpack(pack({"a": np.zeros(3)}))
    state["a"][0] = 1.0
    assert state["a"].tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes", np.array(["text"]), np.array([object()]), 1j])
def test_other_values_than_arrays_and_scalars_are_refused(value: object) -> None:
    with pytest.raises(TypeError, match="may not hold"):
        pack({"a": value})


class Bomb:
    """Unpickling it would be seen."""

    exploded = False

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return setattr, (Bomb, "exploded", True)  # type: ignore[return-value]


def with_header(header: object, arrays: bytes = b"") -> bytes:
    """Bytes in the right form around a header of anybody's making."""
    return SECOND + COMPRESS[SECOND](json.dumps(header).encode() + b"\n" + arrays)


def in_both_versions(content: bytes) -> list[bytes]:
    """Content as it is and compressed, behind what each version begins with."""
    compressed = [magic + compress(content) for magic, compress in COMPRESS.items()]
    return [FIRST + content, SECOND + content, *compressed]


def test_states_of_the_first_version_can_be_read() -> None:
    a, b = np.array([1.5, -2.0]), np.array([[1, 2], [3, 4]], dtype=np.int32)
    header = {"a": {"": ["<f8", [2], 0]}, "b": [{"": ["<i4", [2, 2], 16]}, None], "c": 3}
    state = unpack(FIRST + COMPRESS[FIRST](json.dumps(header).encode() + b"\n" + a.tobytes() + b.tobytes()))
    assert state["a"].tolist() == [1.5, -2.0]
    assert state["b"][0].tolist() == [[1, 2], [3, 4]]
    assert state["c"] == 3
    assert pack(state).startswith(SECOND)


def test_a_pickle_is_refused_and_not_executed() -> None:
    malicious = pickle.dumps(Bomb())
    for data in (malicious, *in_both_versions(malicious)):
        with pytest.raises(StateError):
            unpack(data)
    with pytest.raises(StateError):
        unpack(with_header({"a": {"": ["|O", [1], 0]}}, malicious))
    assert Bomb.exploded is False


@pytest.mark.parametrize(
    "data",
    [
        b"",
        FIRST,
        SECOND,
        b"iscore-state-3\n" + COMPRESS[SECOND](b"{}\n"),
        FIRST + COMPRESS[SECOND](b"{}\n"),
        SECOND + COMPRESS[FIRST](b"{}\n"),
        pack({"a": np.arange(100.0)})[:-20],
        pack({"a": np.arange(100.0)})[:-1] + b"\0",  # within the checksum
        *in_both_versions(b"not json\n"),
        with_header([1, 2]),
        with_header({"a": {"": ["<f8", [3], 0]}}, b"\0" * 8),
        with_header({"a": {"": ["<f8", [1], 800]}}, b"\0" * 8),
        with_header({"a": {"": ["<f8", [-1], 0]}}, b"\0" * 20),
        with_header({"a": {"": ["<f8", [1 << 62, 4], 0]}}, b"\0" * 8),
        with_header({"a": {"": ["nonsense", [1], 0]}}, b"\0" * 8),
        with_header({"a": {"": ["<U2", [1], 0]}}, b"a\0\0\0b\0\0\0"),
        with_header({"a": {"": ["<M8[s]", [1], 0]}}, b"\0" * 8),
        with_header({"a": {"": 3}}),
        with_header({"a": {"": ["<f8", [1]]}}, b"\0" * 8),
        with_header({"a": {"": ["<f8", ["x"], 0]}}, b"\0" * 8),
        with_header({"a": {"": ["<f8", [1], -8]}}, b"\0" * 8),
    ],
)
def test_damaged_bytes_are_one_kind_of_error(data: bytes) -> None:
    with pytest.raises(StateError):
        unpack(data)


@given(st.binary(max_size=60))
def test_any_bytes_raise_nothing_but_state_errors(noise: bytes) -> None:
    packed = pack({"a": np.arange(4.0), "b": [1, {"c": None}]})
    for data in (noise, packed + noise, *in_both_versions(noise)):
        with contextlib.suppress(StateError):
            unpack(data)
