"""Real data as labelled streams: in order, labelled, and without what is known too late."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks.streams import STREAMS
from benchmarks.streams.reuters21578 import DEVELOPMENT
from benchmarks.streams.spamassassin import content
from iscore.evaluation.replay.stream import read_stream, write_stream
from iscore.evaluation.replay.stream_format import LabelledArticle

needs_data = pytest.mark.skipif("ISCORE_DATA" not in os.environ, reason="ISCORE_DATA does not say where real data is")
SIZES = {"hacker-news": 20_100, "italian-reader": 2_452, "yow": 9_016, "newsgroups": 18_846, "spamassassin": 6_046}
SIZES |= {"reuters": 21_578}


@pytest.fixture(scope="module")
def stream(request: pytest.FixtureRequest) -> tuple[str, list[LabelledArticle]]:
    """A stream's name and articles; of one stream at a time, for some are large."""
    return request.param, STREAMS[request.param]()


def of(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("stream", names, indirect=True)


@pytest.mark.long
@needs_data
@of(*SIZES)
def test_a_stream_is_in_order_and_labelled(stream: tuple[str, list[LabelledArticle]]) -> None:
    name, articles = stream
    assert len(articles) == SIZES[name]
    assert len({article.id for article in articles}) == len(articles)
    assert all(earlier.arrived <= later.arrived for earlier, later in pairwise(articles))
    assert all(article.arrived.tzinfo is not None for article in articles)
    readers = {reader for article in articles for reader in article.labels}
    for reader in readers:
        assert {article.labels[reader] for article in articles if reader in article.labels} >= {True}, reader


@pytest.mark.long
@needs_data
@of("reuters")
def test_readers_for_development_stand_first_and_apart(stream: tuple[str, list[LabelledArticle]]) -> None:
    _, articles = stream
    assert tuple(articles[0].labels)[: len(DEVELOPMENT)] == DEVELOPMENT
    assert tuple(STREAMS["reuters-development"]()[0].labels) == DEVELOPMENT
    others = STREAMS["reuters-others"]()[0].labels
    assert len(others) == 38
    assert not set(others) & set(DEVELOPMENT)


@pytest.mark.long
@needs_data
@of("newsgroups")
def test_a_post_shows_its_group_by_its_text_only(stream: tuple[str, list[LabelledArticle]]) -> None:
    for post in stream[1]:
        assert sum(post.labels.values()) == 1
        assert (post.source, post.categories, post.url, post.site) == ("", (), "", "")


@needs_data
@of("yow")
def test_the_study_has_nothing_that_was_seen_while_people_read(stream: tuple[str, list[LabelledArticle]]) -> None:
    _, articles = stream
    assert {name for article in articles for name in article.features} == {
        *("novelty", "readability", "authority"),
        *("hour", "weekday"),
    }
    assert all(len(article.labels) == 2 and len(set(article.labels.values())) == 1 for article in articles)


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nQ2Fmw6k=\n", "Café"),
        ("Content-Type: text/plain; charset=latin-1\nContent-Transfer-Encoding: quoted-printable\n\nCaf=E9\n", "Café"),
        ("Content-Type: text/html\n\n<p>Tea &amp; <b>milk</b><script>x()</script></p>\n", "Tea & milk"),
        ("Content-Type: text/plain; charset=nonsense\n\nPlain.\n", "Plain."),
        ("Content-Type: image/gif\n\nGIF89a\n", ""),
        ('Content-Type: multipart/alternative; boundary="b"\n\n--b\nContent-Type: text/html\n\n<i>marked</i>\n'
         "--b\nContent-Type: text/plain\n\nplain\n--b--\n", "plain"),
    ],
)  # fmt: skip
def test_a_message_is_read_as_text(part: str, text: str) -> None:
    assert content(f"From somebody Mon Jun 25 13:11:28 2001\nSubject: x\n{part}").text == text


@pytest.mark.long
@needs_data
@of("hacker-news", "italian-reader", "yow", "newsgroups", "spamassassin")
def test_a_stream_comes_back_from_its_file(stream: tuple[str, list[LabelledArticle]], tmp_path: Path) -> None:
    name, articles = stream[0], stream[1][:300]
    write_stream(tmp_path / f"{name}.jsonl", articles)
    assert list(read_stream(tmp_path / f"{name}.jsonl")) == articles


@pytest.mark.long
@needs_data
def test_streams_are_written_by_name(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.streams", "italian-reader", "--to", str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "2,452 articles; liked by reader 533" in run.stderr
    assert len(list(read_stream(tmp_path / "italian-reader.jsonl.xz"))) == 2_452


def test_all_streams_are_listed() -> None:
    run = subprocess.run([sys.executable, "-m", "benchmarks.streams"], capture_output=True, text=True, check=True)
    assert [line.split()[0] for line in run.stdout.splitlines()] == list(STREAMS)
    assert all(line.rstrip()[-1] in ".;" for line in run.stdout.splitlines())
