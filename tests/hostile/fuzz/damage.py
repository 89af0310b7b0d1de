"""Inputs near valid ones: hypothesis chooses a sample and how to damage it; and how many it tries."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st


def examples(number: int) -> settings:
    """Settings for this many examples, the same each time; ``test_fuzz_longer`` tries more."""
    return settings(
        max_examples=number,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )


def damaged(samples: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Bytes, mostly a sample of which a few pieces have been replaced by others or by a piece of a sample."""
    pieces = st.binary(max_size=8) | st.sampled_from(samples).flatmap(_piece) | st.sampled_from(_TELLING)
    edits = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), pieces), min_size=1, max_size=4)
    return st.binary(max_size=64) | st.builds(_edited, st.sampled_from(samples), edits)


_TELLING = (
    *(b"0", b"-1", b"1e999", b"NaN", b"null", b"true", b'""', b"{}", b"[]", b"[[", b"{", b'"', b"'", b"&", b"<", b">"),
    *(b"\\u0000", b"\\ud800", b"\x00", b"\xff", b"\xe2\x80\xa8", b"\n", b"\r\n", b"#", b":", b"-", b"*", b"?", b"!"),
    *(b"%", b" ", b"  ", b"\t", b"9" * 30),
)


def _piece(sample: bytes) -> st.SearchStrategy[bytes]:
    return st.tuples(st.integers(0, len(sample)), st.integers(0, 40)).map(
        lambda span: sample[span[0] : span[0] + span[1]]
    )


def _edited(sample: bytes, edits: Sequence[tuple[float, int, bytes]]) -> bytes:
    for share, length, piece in edits:
        at = int(share * len(sample))
        sample = sample[:at] + piece + sample[at + length :]
    return sample
