"""Files that are damaged, empty, too large, or made to harm: one clear line, and what can be read is read."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.services.interests.formats import formats
from iscore.services.interests.formats.builder import MalformedError
from iscore.services.interests.formats.formats import FORMATS, read


def test_one_wrong_byte_does_not_spoil_the_others() -> None:
    found = read("https://a.example/1 Köln für Äpfel\nhttps://a.example/2 na".encode() + b"\xefve\n").items
    assert [item.title for item in found] == ["Köln für Äpfel", "na\ufffdve"]


@pytest.mark.parametrize(
    ("data", "titles", "problem"),
    [
        (
            b'{"items": [{"title": "One", "alternate": [{"href": "https://a.example/1"}]}, {"title": "Tw',
            ["One"],
            "ends early",
        ),
        (b'[{"url": "https://a.example/1", "title": "One"}, {"url": "https://a.example/2", "ti', ["One"], "ends early"),
        (b'<opml><body><outline text="One" xmlUrl="https://a.example/feed"/><outl', ["One"], "not well-formed"),
        (
            b"<result><entry><url>https://a.example/1</url><title>One</title><is_starred>1</is_starred></entry><ent",
            ["One"],
            "not well-formed",
        ),
        (b"TY  - JOUR\nTI  - One\nER  - \nTY  - JOUR\nTI  - Tw", ["One"], "does not end"),
        (b'url,title\nhttps://a.example/1,One\nhttps://a.example/2,"Tw', ["One", "Tw"], ""),
    ],
)
def test_damaged_file_is_read_up_to_its_damage(data: bytes, titles: list[str], problem: str) -> None:
    found = read(data)
    assert [item.title for item in found.items] == titles
    assert problem in found.problem
    assert bool(problem) == bool(found.problem)


def test_rows_without_an_address_are_passed_over() -> None:
    found = read(b"url,title\nhttps://a.example/1,One\nnowhere,Two\n,\nhttps://a.example/3,Three\n")
    assert ([item.title for item in found.items], found.skipped) == (["One", "Three"], 2)
    found = read(b"https://a.example/1 One\nno address\n")
    assert ([item.title for item in found.items], found.skipped) == (["One"], 1)


def test_progress_is_shown_while_a_file_is_read() -> None:
    shown: list[tuple[int, int, str]] = []
    rows = b"".join(b"https://a.example/%d\n" % number for number in range(450))
    read(rows, progress=lambda *step: shown.append(step))
    assert shown == [(200, 0, "reading"), (400, 0, "reading")]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "it is empty"),
        (b" \n\t", "it is empty"),
        (b"PK\x03\x04 a zip", "unpack it first"),
        (b"\x1f\x8b gzip", "unpack it first"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "it is not text"),
        (b"<svg></svg>", "neither OPML, bookmarks nor"),
        (b'{"entries": 3}', "none of the lists"),
        (b"[1, 2]", "none of the lists"),
        (b'{"items": [', "it is not JSON"),
        (b"[" * 100_000, "it is not JSON"),
        (b'{"items": [' + b"9" * 10_000 + b"]}", "it is not JSON"),
        (b'{"items": []}', "nothing to learn from in it"),
        (b"<html><body> </body></html>", "nothing to learn from in it"),
        (b"<!DOCTYPE NETSCAPE-Bookmark-file-1><title>Bookmarks</title><h1>Menu</h1>", "nothing to learn from in it"),
        (b"title,url\nNowhere,javascript:alert(1)\n", "nothing to learn from in it"),
        (b'url,title\n"' + b"x" * 11_000_000 + b'",y\n', "field larger"),
        (b"# mine\nhttps://[a.example/\nno address\n", "line 2 is not a web address"),
        (b'{"id": "user/1/state/com.google/broadcast-friends", "items": []}', "what other people shared"),
        (b"<result><entry><title>x</title></entry></result>", "nothing to learn from in it"),
        (b"TY  - JOUR\nTI  - One\n", "no reference"),
        (b"https://[a.example/\n", "line 1 is not a web address"),
        (b"\n".join(b"word%d" % number for number in range(501)), "501 keywords"),
        (b"<opml><body><outline text='x'></body></opml>", "not well-formed OPML"),
        (b"<opml><body/></opml>", "nothing to learn from in it"),
        (
            b'<!DOCTYPE opml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><opml><body>&b;</body></opml>',
            "defines its own entities",
        ),
        (b"<opml>" + b"<outline text='x'>" * 60 + b"</outline>" * 60 + b"</opml>", "nested deeper than 50"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_cannot_be_read_is_one_clear_error(data: bytes, problem: str) -> None:
    with pytest.raises(MalformedError) as error:
        read(data)
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "LARGEST", 100)
    with pytest.raises(MalformedError, match="more than"):
        read(b"https://a.example/\n" * 10)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=60, deadline=None)
@given(data=st.one_of(st.binary(max_size=300), st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace"))))
def test_no_bytes_raise_anything_else(name: str, data: bytes) -> None:
    for format_name in (name, ""):
        try:
            seeds = read(data, format_name)
        except MalformedError:
            continue
        assert all(seed.has_content for seed in seeds.items)


@pytest.mark.parametrize(
    "piece",
    [
        "<a ",
        "<a href=",
        '<a href="',
        "<a href='x' ",
        "<" * 10,
        "<a>",
        "<a b>",
        "aaaaaaaaaa",
        "a=" * 5,
        "= = = = = ",
        '<a href="https://a.example/x">',
    ],
)
def test_html_is_read_in_time_proportional_to_its_length(piece: str) -> None:
    data = ("<html><a " + piece * (200_000 // len(piece))).encode()
    began = time.process_time()
    with suppress(MalformedError):
        read(data, "html")
    assert time.process_time() - began < 3.0
