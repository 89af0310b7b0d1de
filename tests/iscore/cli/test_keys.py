"""Keys out of the bytes of a terminal."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.cli.keys import Keys


def keys_of(*pieces: bytes) -> list[str]:
    """Return the keys of bytes that come in these pieces, and then nothing."""
    keys = Keys()
    found = [key for piece in pieces for key in keys.feed(piece)]
    return [*found, *keys.flush()]


@pytest.mark.parametrize(
    ("pieces", "found"),
    [
        ((b"ld?",), ["l", "d", "?"]),
        ((b"\x1b[A\x1bOB\x1b[C\x1bOD",), ["up", "down", "right", "left"]),
        ((b"\x1b[5~\x1b[6~\x1b[H\x1bOF",), ["page up", "page down", "home", "end"]),
        ((b"\x1b", b"[", b"A", b"l"), ["up", "l"]),
        ((b"\r\n\x7f\x08",), ["enter", "enter", "backspace", "backspace"]),
        ((b"\x15\x04\x0c",), ["delete line", "end of input", "redraw"]),
        ((b"\x1b",), ["escape"]),
        ((b"\x1b\x1b",), ["escape", "escape"]),
        ((b"\x1b\x1b[A",), ["escape", "up"]),
        ((b"l\x1b[15;5~d\x1b[1;2Ps",), ["l", "d", "s"]),  # keys that mean nothing here
        ((b"\x1bl",), []),  # Alt and l is not l
        ((b"\x1b[" + b"9" * 100 + b"ld",), ["d"]),
        (("é電".encode()[:3], "é電".encode()[3:]), ["é", "電"]),
        ((b"\xffl",), ["\ufffd", "l"]),
        ((b"\x00\x01l",), ["l"]),
        ((b"l\x1b[200~ldldld\x1b[A\r", b"ld\x1b[20", b"1~d"), ["l", "d"]),
        ((b"\x1b[200~" + b"l" * 5000, b"\x1b[201~d"), ["d"]),
    ],
)  # fmt: skip
def test_bytes_as_keys(pieces: tuple[bytes, ...], found: list[str]) -> None:
    assert keys_of(*pieces) == found


@given(st.binary(max_size=60), st.lists(st.integers(0, 60), max_size=5))
def test_how_bytes_are_cut_makes_no_difference(data: bytes, cuts: list[int]) -> None:
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    pieces = [data[start:end] for start, end in pairwise(places)]
    assert keys_of(*pieces) == keys_of(data)
