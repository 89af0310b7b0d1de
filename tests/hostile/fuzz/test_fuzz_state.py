"""Any bytes in the place of a saved state are read or refused, and what is saved comes back bit for bit."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from iscore.filtering.serialization import StateError, check, pack, unpack
from tests.hostile.fuzz import seeds
from tests.hostile.fuzz.damage import damaged, examples
from tests.hostile.fuzz.state_claim import (
    COMPRESS,
    SECOND,
    state_is_read_safely,
    state_of_content_is_read_safely,
    state_survives,
)

numbers = st.one_of(
    *(
        arrays.arrays(kind, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
        for kind in ("<f8", ">f4", "<i8", "|i1", "<u2", "|b1")
    )
)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
names = st.text(min_size=1, max_size=5)
states = st.dictionaries(
    names,
    st.recursive(
        numbers | scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3)
    ),
    max_size=4,
)


@examples(13)
@given(states)
def test_a_state_comes_back_as_it_was_saved(state: dict[str, Any]) -> None:
    check(state)
    state_survives(state)


@examples(30)
@given(damaged(seeds.STATES))
def test_a_damaged_state_is_refused(data: bytes) -> None:
    state_is_read_safely(data)


@examples(30)
@given(damaged(seeds.STATE_CONTENTS))
@example(b'{"a":{"":["<i,,4",[2,2],0]}}\n')  # was a SyntaxError from numpy's own reading of types
@example(b'{"a":{"":["<i4",[24444444444444444444444,2],0]}}\n')  # was an OverflowError
@example(b'{"a":{"":["<i4",[-1],0]}}\n' + bytes(8))  # was an array of all that was left
@example(b'{"a":{"":["O",[1],0]}}\n' + bytes(8))
@example(b'{"a":{"":["<M8[s]",[1],0]}}\n' + bytes(8))
@example(b'{"a":{"":[null,[1],0]}}\n' + bytes(8))
@example(b'{"a":' + b"[" * 90_000 + b"]" * 90_000 + b"}\n")
@example(b'{"a":1' + b"0" * 5000 + b"}\n")
@example(b"[]\n")
def test_whatever_a_state_says_is_read_or_refused(content: bytes) -> None:
    state_of_content_is_read_safely(content)


@pytest.mark.parametrize("depth", [100, 300, 480, 600, 900, 980, 100_000])
def test_depth_is_no_error_of_python(depth: int) -> None:
    """Was a RecursionError; hypothesis allows for more depth than there is."""
    state_of_content_is_read_safely(b'{"a":' + b"[" * depth + b"]" * depth + b"}\n")


def test_arrays_are_no_more_than_their_bytes() -> None:
    """Each of many names stood for a copy of the same bytes."""
    places = ",".join(f'"{number}":{{"":["<f8",[10000],0]}}' for number in range(1000))
    with pytest.raises(StateError, match="no array of numbers"):
        unpack(SECOND + COMPRESS[SECOND](f"{{{places}}}\n".encode() + bytes(80_000)))


@pytest.mark.parametrize("magic", COMPRESS)
def test_a_small_state_does_not_become_a_large_one(monkeypatch: pytest.MonkeyPatch, magic: bytes) -> None:
    monkeypatch.setattr("iscore.filtering.serialization._LARGEST", 1 << 20)
    assert unpack(pack({"a": np.zeros(100_000)}))["a"].nbytes == 800_000
    bomb = magic + COMPRESS[magic](bytes(40 << 20))
    tracemalloc.start()
    with pytest.raises(StateError, match="too large"):
        unpack(bomb)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 8 << 20


def test_what_stands_behind_a_state_is_noticed() -> None:
    with pytest.raises(StateError, match="something behind it"):
        unpack(seeds.STATES[0] + b"x")
