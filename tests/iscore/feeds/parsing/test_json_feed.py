"""JSON Feed is read like any other feed, and other JSON is not."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from iscore.feeds.errors import NotAFeedError
from iscore.feeds.parsing.jobs import FeedJob, ParsedFeed
from iscore.feeds.parsing.known_items import HASH_SIZE
from iscore.feeds.parsing.parse import parse

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def read(feed: Any, seen: bytes = b"", **more: int) -> ParsedFeed:
    body = feed if isinstance(feed, bytes) else json.dumps(feed).encode()
    return parse(FeedJob(body, "https://x.org/feed.json", "application/feed+json", NOW, seen, **more))


def feed(*items: object, **more: object) -> dict[str, object]:
    return {"version": "https://jsonfeed.org/version/1.1", "title": "The <b>", "items": list(items), **more}


def test_every_field() -> None:
    item = {
        "id": 7,
        "url": "/posts/7?utm_source=json",
        "title": "Seven & more",
        "content_html": "<p>One <a href='x'>link</a></p><p>Two</p><img src=x>",
        "date_published": "2026-11-20T10:00:00+01:00",
        "authors": [{"name": "Ann"}, {"name": "Bo"}],
        "tags": ["a", "b", "a", 3],
        "language": "de-DE",
    }
    found = read(feed(item, home_page_url="https://x.org/", language="en"))
    (article,) = found.entries
    assert (found.title, found.site_url, found.language, found.total) == ("The <b>", "https://x.org/", "en", 1)
    assert (article.key, article.url, article.title) == ("id:7", "https://x.org/posts/7", "Seven & more")
    assert (article.text, article.links, article.pictures) == ("One link\n\nTwo", 1, 1)
    assert article.published == datetime(2026, 11, 20, 9, tzinfo=UTC)
    assert (article.author, article.categories, article.language) == ("Ann, Bo", ("a", "b"), "de")


def test_what_an_item_leaves_out_comes_from_the_feed_or_is_missing() -> None:
    (article,) = read(feed({"id": "a", "summary": "Short"}, author={"name": "Ann"}, language="fr")).entries
    assert (article.author, article.language, article.text, article.url) == ("Ann", "fr", "Short", "")
    assert article.published is None


@pytest.mark.parametrize(
    ("authors", "names"),
    [
        ({"name": "Ada"}, "Ada"),
        (["Ada", {"name": "Bo"}, {"url": "https://x.example"}, 3], "Ada, Bo"),
        ("Ada", "Ada"),
        ([{"name": "a@b.example (Ada)"}, {"name": "ADA"}], "Ada"),
        ([], "Feed"),
        ([{"name": f"A{n}"} for n in range(100_000)], ", ".join(f"A{n}" for n in range(100))),
        ({"name": 3}, "Feed"),
    ],
)
def test_authors_in_all_their_forms(authors: object, names: str) -> None:
    assert read(feed({"id": "1", "authors": authors}, author={"name": "Feed"})).entries[0].author == names


def test_known_items_are_left_out_and_changed_ones_come_again() -> None:
    before = feed({"id": "a", "title": "A"}, {"id": "b", "title": "B"})
    after = feed({"id": "c", "title": "C"}, {"id": "a", "title": "A!"}, {"id": "b", "title": "B"})
    first = read(before)
    assert len(first.items_seen) == 2 * HASH_SIZE
    assert read(before, first.items_seen).entries == ()
    assert [article.title for article in read(after, first.items_seen).entries] == ["C", "A!"]


def test_one_id_for_all_keeps_all() -> None:
    assert len(read(feed(*({"id": "x", "title": str(number)} for number in range(5)))).entries) == 5


def test_the_newest_are_kept() -> None:
    items = [{"id": day, "date_published": f"2026-11-{day:02}T00:00:00Z"} for day in range(1, 11)]
    found = read(feed(*items), max_entries=3)
    assert [article.key for article in found.entries] == ["id:8", "id:9", "id:10"]
    assert (found.total, found.dropped) == (10, 7)


@pytest.mark.parametrize(
    "body",
    [b"{", b"[]", b"{}", b'{"items": {}}', b'{"error": "login"}', b"[" * 100_000, b'{"items": [' + b"9" * 5000 + b"]"],
)
def test_other_json_is_no_feed(body: bytes) -> None:
    with pytest.raises(NotAFeedError):
        read(body)


def test_hostile_fields_are_harmless() -> None:
    item = {"id": {"a": 1}, "url": "javascript:alert(1)", "title": "a\ud800\u202eb\n", "content_html": ["x"]}
    item |= {"tags": "abc", "authors": "Ann", "date_published": 5}
    (article,) = read(feed(item, 3, None, "x", language=7, author=[])).entries
    assert (article.url, article.title, article.text, article.author) == ("", "ab", "", "Ann")
    assert article.categories == ()


@pytest.mark.parametrize(
    ("published", "modified"),
    [(1795168800, None), (1795168800000.0, None), ("someday", "2026-11-20T10:00:00Z"), (None, "20 nov. 2026 à 10h00")],
)
def test_dates_are_numbers_or_texts_of_any_form(published: object, modified: object) -> None:
    (article,) = read(feed({"id": 1, "date_published": published, "date_modified": modified})).entries
    assert article.published == datetime(2026, 11, 20, 10, tzinfo=UTC)
