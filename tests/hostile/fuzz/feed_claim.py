"""What must hold of any bytes that a server may send for a feed."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from iscore.feeds.errors import FeedError
from iscore.feeds.parsing.jobs import PREFIX, FeedJob, ParsedFeed, feed_from_answer, feed_to_answer, lengths
from iscore.feeds.parsing.jobs import frame as write_frame
from iscore.feeds.parsing.parse import parse
from storage.records.articles import NewArticle
from tests.hostile.fuzz.refusal import refused

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\ufffe\uffff")


def feed_is_read_safely(body: bytes, content_type: str = "", url: str = "https://feeds.example.org/feed") -> bool:
    """Raise ``AssertionError`` if what is accepted is not safe or not stable; return whether it is accepted.

    Any other exception but those of ``FeedError`` that come out of here are faults too.
    """
    job = FeedJob(body, url, content_type, NOW)
    try:
        feed = parse(job)
    except FeedError as error:
        return refused(error)
    _is_safe(feed)
    assert _received(write_frame(*feed_to_answer(feed))) == feed
    assert parse(job) == feed
    again = parse(replace(job, seen=feed.items_seen))
    assert set(again.entries) <= set(feed.entries)
    assert again.entries == () or not feed.items_seen
    assert (again.total, again.items_seen) == (feed.total, feed.items_seen)
    few = parse(replace(job, max_entries=2))
    assert len(few.entries) <= 2
    assert few.total == feed.total
    return True


def _received(frame: bytes) -> ParsedFeed:
    """Take a frame apart as the process on the other side does."""
    header, rest = lengths(frame[: PREFIX.size])
    assert len(frame) == PREFIX.size + header + rest
    view = json.loads(frame[PREFIX.size : PREFIX.size + header])
    return feed_from_answer(view, frame[PREFIX.size + header :])


def _is_safe(feed: ParsedFeed) -> None:
    for text in (feed.title, feed.language):
        assert _is_a_line(text)
    assert _is_an_address(feed.site_url)
    assert feed.ttl_minutes is None or feed.ttl_minutes > 0
    assert all(0 <= hour <= 23 for hour in feed.skip_hours)
    assert all(0 <= day <= 6 for day in feed.skip_days)
    assert feed.total - feed.dropped >= len(feed.entries)
    assert len({article.key for article in feed.entries}) == len(feed.entries)
    for article in feed.entries:
        _is_a_safe_article(article)


def _is_a_safe_article(article: NewArticle) -> None:
    assert 0 < len(article.key) <= 200
    assert _is_an_address(article.url)
    for line in (article.key, article.title, article.author, *article.categories):
        assert _is_a_line(line), line
    assert len(article.title) <= 500
    assert len(article.author) <= 500
    assert len(article.categories) <= 50
    assert len(article.text) <= 200_000
    assert all(map(_is_a_line, article.text.split("\n"))), article.text
    assert article.language == "" or (len(article.language) == 2 and article.language.isascii())
    if article.published is not None:
        assert datetime(1990, 1, 1, tzinfo=UTC) <= article.published <= NOW + timedelta(days=1)
    assert article.links >= 0
    assert article.pictures >= 0


def _is_a_line(text: str) -> bool:
    """Whether a text can be encoded, is one line, and has nothing that steers what shows it."""
    text.encode()
    return not any(unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp") or each in _OVERRIDES for each in text)


def _is_an_address(url: str) -> bool:
    if not url:
        return True
    url.encode()
    parts = urlsplit(url)
    return (
        parts.scheme in ("http", "https")
        and bool(parts.hostname)
        and "@" not in parts.netloc
        and not any(each.isspace() or not each.isprintable() or each in '"<>^`{|}\\' for each in url)
    )
