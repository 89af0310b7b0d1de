"""Any file in the place of a labelled stream is read or refused with its line, and what is read comes back."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from iscore.core.errors import StreamError
from iscore.evaluation.replay import stream, stream_format
from iscore.evaluation.replay.stream import read_stream
from tests.hostile.fuzz import seeds
from tests.hostile.fuzz.damage import damaged, examples
from tests.hostile.fuzz.stream_claim import line_is_read_safely, stream_is_read_safely

LINES = [each for sample in seeds.STREAMS for each in sample.splitlines()]
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None))
    | st.datetimes().map(str),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
names = st.sampled_from(
    ["published", "arrived", "title", "text", "source", "url", "features", "links", "pictures", "tags", "categories"]
)
rows = st.fixed_dictionaries(
    {"id": st.text(min_size=1), "labels": st.dictionaries(st.text(), st.booleans(), max_size=3)}
).flatmap(lambda row: st.dictionaries(names, values, max_size=4).map(lambda more: {**row, **more}))


@examples(40)
@given(damaged(LINES))
@example(b'{"id": "a", "labels": {}, "links": 8888888888888888888888888888}')  # was a count that no number could hold
@example(b'{"id": "a", "labels": {}, "x": ' + b"[" * 100_000)
@example(b'{"id": "a", "labels": {}, "features": {"f": 1' + b"0" * 400 + b"}}")
@example(b'{"id": "a", "labels": {}, "links": 1' + b"0" * 5000 + b"}")
@example(b'{"id": "a", "labels": {}, "published": "0001-01-01T00:00:00+14:00"}')
@example(b'{"id": "\\ud800", "labels": {"\\udfff": true}, "url": "http://[x"}')
def test_a_damaged_line_is_read_or_refused(content: bytes) -> None:
    line_is_read_safely(content.decode("utf-8", "replace"))


@examples(13)
@given(rows)
def test_whatever_a_line_says_is_read_or_refused(row: dict[str, object]) -> None:
    line_is_read_safely(json.dumps(row))
    line_is_read_safely(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace").decode())


@examples(13)
@given(damaged([*seeds.STREAMS, *map(gzip.compress, seeds.STREAMS)]), st.sampled_from(["", ".gz", ".xz"]))
def test_a_damaged_file_is_read_or_refused(content: bytes, suffix: str) -> None:
    stream_is_read_safely(content, suffix)


@pytest.mark.parametrize("depth", [100, 300, 480, 600, 900, 980, 100_000])
def test_depth_is_no_error_of_python(depth: int) -> None:
    """Was a RecursionError; hypothesis allows for more depth than there is."""
    line_is_read_safely('{"id": "a\\u0041", "labels": {}, "x": ' + "[" * depth + "]" * depth + "}")


def test_a_line_without_end_is_not_taken_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_format, "LONGEST", 10_000)
    monkeypatch.setattr(stream, "LONGEST", 10_000)
    path = tmp_path / "bomb.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"id": "a", "labels": {}, "text": "' + b"x" * 1_000_000))
    with pytest.raises(StreamError, match=r":1: is longer than 10,000 characters"):
        list(read_stream(path))
