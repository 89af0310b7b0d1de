"""What must hold of reading a document in parts: nothing is lost, nothing merged, nothing changed.

    document ─► parse, knowing nothing          = what feedparser finds in the whole
             ─► parse, knowing some items       = the same less those
             ─► parse, knowing another document = the same less what that one had already given

What feedparser finds is asked of one that is untouched (``untouched_feedparser``).
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from typing import Any

from iscore.feeds.errors import FeedError
from iscore.feeds.parsing import entries
from iscore.feeds.parsing.encoding import to_utf8
from iscore.feeds.parsing.entries import entry_content, with_keys, without_duplicates
from iscore.feeds.parsing.feedparser_reader import repaired
from iscore.feeds.parsing.jobs import FeedJob, ParsedFeed
from iscore.feeds.parsing.json_feed import is_json
from iscore.feeds.parsing.known_items import HASH_SIZE, find_items
from iscore.feeds.parsing.parse import parse
from storage.records.articles import NewArticle
from tests.hostile.fuzz.untouched_feedparser import URL, UntouchedFeedparser

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
_READ_OTHERWISE = re.compile(rb":full-text|<(?:\w+:)?link[^>]*\s(?:url|uri)=")
"""Elements that feedparser does not read, or reads otherwise on purpose. What it makes of damaged and odd documents
depends on how it counts tags."""
LONGEST = 400_000
"""Bytes of a document; larger ones take feedparser too long."""


def cutting_loses_nothing(body: bytes, feedparser: UntouchedFeedparser, earlier: Sequence[bytes] = ()) -> bool:
    """Raise ``AssertionError`` if anything of the above does not hold; return whether the document could be cut.

    ``earlier`` are documents of the same feed that were read before.
    """
    if len(body) > LONGEST or is_json(to_utf8(body)):
        return False
    whole = read(body)
    document = repaired(to_utf8(body))
    if find_items(document, URL) is not None and not _READ_OTHERWISE.search(document):
        reference = feedparser.read(document)
        if reference is not None:
            _same_entries(whole, reference)
    if whole is None:
        return False
    hashes = hashes_of(whole)
    for known in _some_of(hashes, random.Random(zlib.crc32(body))):
        _less_what_is_known(whole, read(body, b"".join(known)), known)
    for before in earlier:
        _less_what_was_given(whole, body, before)
    return bool(hashes)


def read(body: bytes, seen: bytes = b"") -> ParsedFeed | None:
    """Read a document as the poller does; None when it is refused."""
    try:
        return parse(FeedJob(body, URL, "", NOW, seen, max_entries=10_000))
    except FeedError:
        return None


def hashes_of(feed: ParsedFeed) -> list[bytes]:
    """Return the hashes of a document's items, in their order."""
    return [feed.items_seen[at : at + HASH_SIZE] for at in range(0, len(feed.items_seen), HASH_SIZE)]


def _some_of(hashes: Sequence[bytes], chance: random.Random) -> Iterator[set[bytes]]:
    """Yield what may be known: all, and of a few all but each, of many three draws."""
    if hashes:
        yield set(hashes)
    if len(hashes) <= 5:
        yield from ({each for each in hashes if each != new} for new in hashes)
    else:
        yield from ({each for each in hashes if chance.random() < share} for share in (0.2, 0.5, 0.9))


def _same_entries(whole: ParsedFeed | None, reference: dict[str, Any]) -> None:
    expected = expected_articles(reference)
    found = () if whole is None else whole.entries
    compared, wanted = (list(map(_comparable, articles)) for articles in (found, expected))
    assert _texts(compared) == _texts(wanted)
    assert compared == wanted


def _comparable(article: NewArticle) -> NewArticle:
    """Leave out the author, which feedparser cuts, and references in an id, which it decodes in some places only."""
    return replace(article, key=unescape(article.key), author="", content_hash=b"")


def expected_articles(reference: dict[str, Any]) -> tuple[NewArticle, ...]:
    """Clean and identify what feedparser found."""
    feed = reference["feed"]
    drafts = [entries.draft(entry, feed, url=URL, now=NOW) for entry in reference["entries"]]
    return without_duplicates(
        replace(article, content=entry_content(draft.entry, *entries.markup(draft.entry, article, url=URL)))
        for draft, article in zip(drafts, with_keys(drafts), strict=True)
    )


def _less_what_is_known(whole: ParsedFeed, part: ParsedFeed | None, known: set[bytes]) -> None:
    assert part is not None
    expected = [article for article, hashed in zip(whole.entries, hashes_of(whole), strict=True) if hashed not in known]
    assert _texts(part.entries) == _texts(expected)
    assert part.entries == tuple(expected)
    assert (part.title, part.site_url, part.language, part.total, part.items_seen) == (
        *(whole.title, whole.site_url, whole.language, whole.total, whole.items_seen),
    )


def _less_what_was_given(whole: ParsedFeed, body: bytes, before: bytes) -> None:
    first = read(before)
    if first is None:
        return
    then = read(body, first.items_seen)
    assert then is not None
    given = {*first.entries, *then.entries}
    assert [_short(article) for article in whole.entries if article not in given] == []


def _texts(articles: Sequence[NewArticle]) -> list[tuple[str, ...]]:
    return [_short(article) for article in articles]


def _short(article: NewArticle) -> tuple[str, ...]:
    return article.key, article.url, article.title
