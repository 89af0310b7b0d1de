"""Answers of other servers: read as each writes them; nothing that they can send breaks more than the answer."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.feeds.errors import NotAReaderServerError
from iscore.feeds.remote import answers
from iscore.feeds.remote.client import _wait_until, api_address
from storage.records.connections import ReaderKind

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)
ITEM = {
    "id": "tag:google.com,2005:reader/item/000660f3c822d0f0",
    "crawlTimeMsec": "1772647200000",
    "published": 1772640000,
    "title": "Fish ＆ chips &amp; ＜peas＞",
    "canonical": [{"href": "https://news.example/fish"}],
    "summary": {"content": "<p>short</p>"},
    "content": {"content": "<p>a longer one</p>"},
    "categories": ["user/1/state/com.google/starred", "user/1/label/Dislike", "user/-/label/News", "food"],
    "origin": {"streamId": "feed/7", "htmlUrl": "javascript:alert(1)"},
    "enclosure": [{"href": "https://news.example/a.mp3", "type": "audio/mpeg", "length": 12}],
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(ITEM)), inner, max_size=4),
    max_leaves=12,
)


def test_an_item_is_read_as_servers_write_it() -> None:
    (found,) = answers.items(json.dumps({"items": [ITEM]}).encode())
    assert (found.item, found.stream, found.feed_site) == (0x660F3C822D0F0, "feed/7", "")
    assert found.title == "Fish & chips & <peas>"
    assert found.markup == "<p>a longer one</p>"
    assert (found.starred, found.liked, found.disliked, found.read) == (True, False, True, False)
    assert (found.tags, found.files) == (("food",), (("https://news.example/a.mp3", "audio/mpeg", 12),))
    assert found.arrived == NOW
    (in_folder,) = answers.items(json.dumps({"items": [ITEM]}).encode(), {"dislike"})
    assert not in_folder.disliked


def test_titles_of_feeds_are_clean() -> None:
    feed = {"id": "feed/7", "title": "The \u202e\x07 A／B", "categories": [{"label": "Top\x1b[2J"}]}
    (found,) = answers.feeds(json.dumps({"subscriptions": [feed]}).encode())
    assert (found.title, found.folders) == ("The A/B", ("Top[2J",))


@given(st.integers(-(2**63), 2**63 - 1).filter(bool))
def test_ids_come_back(item: int) -> None:
    assert answers.number(answers.long_id(item)) == answers.number(str(item)) == item


@given(
    st.dictionaries(st.sampled_from(["items", "itemRefs", "subscriptions", "tags", "continuation"]), VALUES) | VALUES
)
def test_no_answer_breaks_more_than_itself(found: Any) -> None:
    body = json.dumps(found).encode()
    for read in (answers.items, answers.feeds, answers.labels, answers.item_numbers, answers.token):
        with suppress(NotAReaderServerError):
            read(body)


@given(st.dictionaries(st.sampled_from(sorted(ITEM)), VALUES))
def test_no_item_breaks_its_feed(changed: dict[str, Any]) -> None:
    found = answers.items(json.dumps({"items": [ITEM | changed, ITEM]}).encode())
    assert len(found) in (1, 2)
    assert len(json.loads(answers.json_feed(found))["items"]) == len(found)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[" * 100_000, b'{"items": 7}', b"\xff"])
def test_what_is_no_answer_is_said_to_be_none(body: bytes) -> None:
    with pytest.raises(NotAReaderServerError):
        answers.items(body)


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("freshrss", "https://rss.example.org/", "https://rss.example.org/api/greader.php"),
        ("freshrss", "https://rss.example.org/api/", "https://rss.example.org/api/greader.php"),
        ("freshrss", "https://me@a.example/x/api/greader.php", "https://a.example/x/api/greader.php"),
        ("miniflux", "http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("greader", "https://a.example/reader/accounts/ClientLogin?x=1", "https://a.example/reader"),
    ],
)
def test_the_api_is_found_by_what_users_enter(kind: str, given: str, expected: str) -> None:
    assert api_address(ReaderKind(kind), given) == expected


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("120", 120), ("Wed, 04 Mar 2026 18:01:00 GMT", 60), ("999999999", 86_400), ("Mon, 01 Jan 2001 00:00:00 GMT", 0)],
)
def test_a_server_can_say_how_long_to_wait(value: str, seconds: int) -> None:
    assert _wait_until(value, NOW) == NOW + timedelta(seconds=seconds)


@pytest.mark.parametrize("value", ["", "soon", "-5", "1e9"])
def test_or_it_does_not(value: str) -> None:
    assert _wait_until(value, NOW) is None
