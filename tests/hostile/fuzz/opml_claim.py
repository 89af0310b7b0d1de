"""What must hold of any file that is taken for a list of subscriptions."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from urllib.parse import urlsplit

from lxml import etree

from iscore.feeds.errors import OpmlError
from iscore.feeds.subscriptions.opml import read_opml, write_opml
from iscore.feeds.urls import check_url, url_key
from storage.records.feeds import Subscription
from tests.hostile.fuzz.refusal import refused


def opml_is_read_safely(document: bytes) -> bool:
    """Raise ``AssertionError`` if an accepted list is not safe or not given back; return whether it is accepted.

    Anything but ``OpmlError`` that comes out of here is a fault too.
    """
    try:
        found = read_opml(document)
    except OpmlError as error:
        return refused(error)
    for feed in found.feeds:
        is_a_safe_subscription(feed)
    assert len({url_key(feed.url) for feed in found.feeds}) == len(found.feeds)
    for _, reason in found.refused:
        assert _is_a_line(reason)
    opml_survives(found.feeds)
    return True


def opml_survives(feeds: Sequence[Subscription]) -> None:
    """Raise ``AssertionError`` if feeds that are written as OPML are not the same feeds afterwards."""
    written = write_opml(feeds, {})
    etree.fromstring(written.encode(), etree.XMLParser(resolve_entities=False, recover=False))
    again = read_opml(written.encode())
    assert again.refused == ()
    assert sorted(again.feeds, key=_address) == sorted(feeds, key=_address)


def is_a_safe_subscription(feed: Subscription) -> None:
    """Raise ``AssertionError`` for one that could do harm."""
    assert check_url(feed.url) == feed.url
    assert urlsplit(feed.url).scheme in ("http", "https")
    assert feed.url.isprintable()
    assert feed.interval is None or 300 <= feed.interval <= 31 * 86_400
    for text in (feed.title, *feed.tags):
        assert _is_a_line(text)
        assert len(text) <= 500
    assert len(set(feed.tags)) == len(feed.tags)
    assert "" not in feed.tags


def _is_a_line(text: str) -> bool:
    text.encode()
    return not any(unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp") or each in "\u202d\u202e" for each in text)


def _address(feed: Subscription) -> str:
    return feed.url
