"""Labelled streams: they round-trip, and invalid ones are refused with file and line."""

from __future__ import annotations

import gzip
import lzma
import math
import tracemalloc
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.core.errors import StreamError
from iscore.evaluation.replay.stream import Labels, content_hash, read_stream, stream_name, survey, write_stream
from iscore.evaluation.replay.stream_format import EPOCH, LabelledArticle

MARCH = datetime(2026, 3, 2, 7, 30, tzinfo=UTC)

_words = st.text(st.characters(codec="utf-8"), max_size=12)
_times = st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 -- zones are drawn


@st.composite
def _streams(draw: st.DrawFn) -> list[LabelledArticle]:
    arrivals = sorted(draw(st.lists(_times, min_size=1, max_size=6)))
    return [
        LabelledArticle(
            id=draw(_words.filter(bool)),
            arrived=arrived,
            title=draw(_words),
            text=draw(_words),
            labels=draw(st.dictionaries(_words, st.booleans(), max_size=3)),
            published=draw(st.none() | _times),
            source=draw(_words),
            url="https://www.wire.example/grid",
            site="wire.example",
            author=draw(_words),
            categories=tuple(draw(st.lists(_words, max_size=2))),
            language=draw(st.sampled_from(["", "en", "it"])),
            features=draw(st.dictionaries(_words, st.floats(allow_nan=False, allow_infinity=False), max_size=2)),
            links=draw(st.integers(0, 9)),
            pictures=draw(st.integers(0, 9)),
            tags=tuple(draw(st.lists(_words, max_size=2))),
        )
        for arrived in arrivals
    ]


@settings(max_examples=40, deadline=None)
@given(stream=_streams(), ending=st.sampled_from([".jsonl", ".jsonl.gz"]))
def test_reading_restores_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, stream: list[LabelledArticle], ending: str
) -> None:
    path = tmp_path_factory.mktemp("stream") / f"news{ending}"
    assert write_stream(path, stream) == len(stream)
    assert list(read_stream(path)) == stream
    written = path.read_bytes()
    write_stream(path, read_stream(path))
    assert path.read_bytes() == written
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_streams_are_compressed_by_the_name_of_the_file(tmp_path: Path) -> None:
    stream = [LabelledArticle(id="a", arrived=MARCH, title="Grid", text="", labels={"you": True}, published=MARCH)]
    for name, opened in (("a.jsonl", open), ("a.jsonl.gz", gzip.open), ("a.jsonl.xz", lzma.open)):
        write_stream(tmp_path / name, stream)
        assert list(read_stream(tmp_path / name)) == stream
        with opened(tmp_path / name, "rt") as file:
            assert file.read().startswith('{"id": "a", "published": "2026-03-02T07:30:00+00:00", "title": "Grid"')


def _written(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_order_is_that_of_the_lines_and_time_never_goes_back(tmp_path: Path) -> None:
    path = _written(
        tmp_path / "news.jsonl",
        '{"id": "undated", "labels": {}}',
        '{"id": "first", "published": "2026-03-02T07:30:00Z", "labels": {}}',
        "",
        '{"id": "older", "published": "2026-03-01T00:00:00+01:00", "labels": {}}',
        '{"id": "undated too", "published": null, "labels": {}}',
        '{"id": "late", "published": "2026-03-02", "arrived": "2026-03-03T07:30", "labels": {}}',
        '{"id": "early", "published": "2026-03-05", "arrived": "2026-03-04", "labels": {}}',
    )
    found = list(read_stream(path))
    assert [article.id for article in found] == ["undated", "first", "older", "undated too", "late", "early"]
    march_4 = datetime(2026, 3, 4, tzinfo=UTC)
    assert [a.arrived for a in found] == [EPOCH, MARCH, MARCH, MARCH, MARCH + timedelta(days=1), march_4]
    assert found[2].published == datetime(2026, 2, 28, 23, tzinfo=UTC)


def test_unknown_values_are_ignored_and_missing_ones_empty(tmp_path: Path) -> None:
    path = _written(
        tmp_path / "news.jsonl",
        '{"id": "a", "labels": {"you": true}, "points": 7, "title": null, "features": {"novelty": 4, "odd": null}}',
        r'{"id": "b\ud800", "labels": {}, "text": "half \ud83d a pair, \ud83d\ude00 all", "features": {"x": 1e999}}',
    )
    plain, odd = read_stream(path)
    assert (plain.title, plain.text, plain.links, plain.categories) == ("", "", 0, ())
    assert plain.features["novelty"] == 4.0
    assert math.isnan(plain.features["odd"])
    assert odd.id == "b\ufffd"
    assert odd.text == "half \ufffd a pair, 😀 all"
    assert math.isnan(odd.features["x"])


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"id": "a" 7}', "is no JSON: expecting ',' delimiter at column 12"),
        ("[1]", "is no JSON object"),
        ("[" * 100_000, "is no JSON that can be read"),
        ('{"labels": {}}', '"id" must be a text'),
        ('{"id": "", "labels": {}}', '"id" must be a text'),
        ('{"id": 7, "labels": {}}', '"id" must be a text'),
        ('{"id": "a"}', '"labels" must be an object'),
        ('{"id": "a", "labels": {"you": 1}}', "only true and false are verdicts"),
        ('{"id": "a", "labels": {}, "title": 3}', '"title" must be a text'),
        ('{"id": "a", "labels": {}, "categories": "grid"}', '"categories" must be a list of texts'),
        ('{"id": "a", "labels": {}, "links": -1}', '"links" must be a count'),
        ('{"id": "a", "labels": {}, "features": {"x": "1"}}', "only numbers and null can be"),
        ('{"id": "a", "labels": {}, "published": "soon"}', "\"published\" is no time: 'soon'"),
        ('{"id": "a", "labels": {}, "published": 17}', '"published" is no time'),
        ('{"id": "a", "labels": {}, "published": "0001-01-01T00:00:00+09:00"}', '"published" is no time'),
    ],
)
def test_invalid_lines_are_refused_with_file_and_line(tmp_path: Path, line: str, problem: str) -> None:
    path = _written(tmp_path / "news.jsonl", '{"id": "good", "labels": {}}', "", line)
    with pytest.raises(StreamError) as refused:
        list(read_stream(path))
    assert str(refused.value).startswith(f"{path}:3: ")
    assert problem in str(refused.value)
    assert refused.value.line == 3


def test_invalid_files_are_refused(tmp_path: Path) -> None:
    good = b'{"id": "a", "labels": {}}\n'
    for name, content, problem in [
        ("cut.jsonl.xz", lzma.compress(good * 999)[:-20], "is damaged"),
        ("plain.jsonl.xz", good, "is damaged"),
        ("cut.jsonl.gz", gzip.compress(good * 999)[:-20], "is damaged"),
        ("plain.jsonl.gz", good, "is damaged"),
        ("latin.jsonl", good + b'{"id": "\xe9", "labels": {}}', "is not in UTF-8"),
        ("empty.jsonl", b"\n", "has no articles"),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(StreamError, match=problem):
            survey(tmp_path / name)
    for missing in ("nothing.jsonl", "nothing.jsonl.xz"):
        with pytest.raises(StreamError, match="no such file"):
            survey(tmp_path / missing)
        with pytest.raises(StreamError, match="no such file"):
            content_hash(tmp_path / missing)


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    early, late = (
        LabelledArticle(id=name, arrived=MARCH + timedelta(days=day), title="", text="", labels={})
        for day, name in enumerate(("early", "late"))
    )
    with pytest.raises(ValueError, match="article early arrives before"):
        write_stream(tmp_path / "news.jsonl.xz", [late, early])
    assert list(tmp_path.iterdir()) == []


def test_a_survey_counts_verdicts(tmp_path: Path) -> None:
    path = _written(
        tmp_path / "news.jsonl",
        '{"id": "a", "labels": {"earn∧canada": false, "you": true}, "features": {"b": 1}}',
        '{"id": "b", "published": "2026-03-02T07:30:00Z", "labels": {"you": true}, "features": {"a": 1}}',
        '{"id": "c", "labels": {"you": false}}',
    )
    found = survey(path)
    assert found.readers == {"earn∧canada": Labels(0, 1), "you": Labels(2, 1)}
    assert (found.articles, found.first, found.last, found.texts) == (3, EPOCH, MARCH, False)
    assert found.features == ("a", "b")


def test_streams_are_named_after_their_files() -> None:
    names = ["a/reuters.jsonl.xz", "yow.jsonl", "italian.reader.gz", ".jsonl"]
    assert [stream_name(Path(name)) for name in names] == ["reuters", "yow", "italian.reader", ".jsonl"]


def test_reading_takes_no_more_memory_for_a_longer_stream(tmp_path: Path) -> None:
    def peak(articles: int) -> int:
        path = tmp_path / f"{articles}.jsonl"
        line = '{"id": "a", "labels": {"you": true}, "text": "%s"}\n' % ("word " * 400)
        path.write_text(line * articles, encoding="utf-8")
        tracemalloc.start()
        survey(path)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(10)
    assert peak(4000) < 1.2 * peak(400)
