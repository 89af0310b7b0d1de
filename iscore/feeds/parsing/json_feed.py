"""Reads JSON Feed 1.0 and 1.1 (jsonfeed.org), which feedparser does not know."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from typing import Any

from iscore.feeds.errors import NotAFeedError
from iscore.feeds.parsing import dates
from iscore.feeds.parsing.entries import (
    MAX_AUTHORS,
    MAX_GUID,
    MAX_MARKUP,
    Draft,
    categories,
    content,
    enclosure,
    joined,
    language,
    person,
    text_of_markup,
    with_keys,
    without_duplicates,
)
from iscore.feeds.parsing.html_to_text import Prose, feed_name, line, plain_text
from iscore.feeds.parsing.jobs import FeedJob, ParsedFeed
from iscore.feeds.parsing.known_items import HASH_SIZE, split_hashes
from iscore.feeds.parsing.markup import Markup
from iscore.feeds.urls import canonical_url, safe_url
from storage.records.articles import Content, NewArticle

Object = Mapping[str, Any]


def is_json(document: bytes) -> bool:
    """Whether a document in UTF-8 can only be JSON."""
    return document.lstrip()[:1] in (b"{", b"[")


def parse(document: bytes, job: FeedJob) -> ParsedFeed:
    """Parse a JSON Feed. Raises ``NotAFeedError`` for any other document."""
    feed = _feed(document)
    items = [item for item in feed["items"] if isinstance(item, dict)]
    newest = dates.newest(items, job.max_entries, _date)
    hashes = _hashes(items, feed, job.url)
    drafts = [_draft(item, feed, job) for item in newest]
    articles = with_keys(drafts)
    # JSON is cheap to parse, so known items are left out after all items have their keys.
    known = split_hashes(job.seen)
    pairs = zip(articles, drafts, strict=True)
    fresh = [(article, draft) for article, draft in pairs if hashes[id(draft.entry)] not in known]
    return ParsedFeed(
        title=feed_name(_string(feed, "title")),
        site_url=safe_url(_string(feed, "home_page_url"), job.url),
        language=language(_string(feed, "language")),
        ttl_minutes=None,
        skip_hours=(),
        skip_days=(),
        items_seen=b"".join(hashes.values()),
        entries=without_duplicates(_with_contents(fresh, job)),
        total=len(items),
        dropped=len(items) - len(newest),
        icon=next(filter(None, (safe_url(_string(feed, name), job.url) for name in ("icon", "favicon"))), ""),
        hub=_hub(feed, job.url),
        self_url=safe_url(_string(feed, "feed_url"), job.url),
    )


def _feed(document: bytes) -> dict[str, Any]:
    try:
        feed = json.loads(document)
    except (ValueError, RecursionError) as error:
        raise NotAFeedError("the document is neither a feed nor valid JSON") from error
    if not isinstance(feed, dict) or not isinstance(feed.get("items"), list):
        raise NotAFeedError("the document is JSON, but not a JSON Feed: it has no list of items")
    return feed


def _hub(feed: Object, base: str) -> str:
    hubs = feed.get("hubs")
    named = [each for each in hubs if isinstance(each, dict)] if isinstance(hubs, list) else []
    known = (_string(each, "url") for each in named if _string(each, "type").lower() == "websub")
    return next(filter(None, (safe_url(url, base) for url in known)), "")


def _hashes(items: Sequence[Object], feed: Object, url: str) -> dict[int, bytes]:
    """Return the hash of each item and what it inherits, by the item's ``id()``."""
    inherited = json.dumps([url, *(feed.get(name) for name in ("language", "author", "authors"))])
    key = blake2b(inherited.encode(), digest_size=32).digest()
    return {id(item): blake2b(json.dumps(item).encode(), digest_size=HASH_SIZE, key=key).digest() for item in items}


def _draft(item: Object, feed: Object, job: FeedJob) -> Draft:
    html = _string(item, "content_html")
    text, clean = text_of_markup(html) if html else (Prose(plain_text(_string(item, "content_text")), 0, 0), None)
    if not text.text:
        text = Prose(plain_text(_string(item, "summary")), text.links, text.pictures)
    guid = item.get("id")
    guid = str(guid) if isinstance(guid, str | int | float) else ""
    links = (_string(item, "url"), _string(item, "external_url"), guid if guid.startswith("http") else "")
    names = item.get("tags")
    article = NewArticle(
        key="",
        url=canonical_url(next(filter(None, (safe_url(link, job.url) for link in links if link)), "")),
        title=line(_string(item, "title")),
        author=_author(item) or _author(feed),
        categories=categories(names if isinstance(names, list) else ()),
        text=text.text,
        language=language(_string(item, "language") or _string(feed, "language")),
        published=dates.plausible(_date(item), job.now),
        links=text.links,
        pictures=text.pictures,
        content_hash=b"",
    )
    return Draft(line(guid, MAX_GUID), article, item, clean)


def _with_contents(fresh: Sequence[tuple[NewArticle, Draft]], job: FeedJob) -> Iterator[NewArticle]:
    room = MAX_MARKUP
    for article, draft in fresh:
        markup = _string(draft.entry, "content_html")
        room -= len(markup)
        base = article.url or job.url
        yield replace(article, content=_content(draft.entry, markup if room >= 0 else "", base, draft.clean))


def _content(item: Object, markup: str, base: str, clean: Markup | None) -> Content:
    attachments = item.get("attachments")
    files = [each for each in attachments if isinstance(each, dict)] if isinstance(attachments, list) else []
    enclosures = [
        enclosure(_string(each, "url"), _string(each, "mime_type"), each.get("size_in_bytes"), base) for each in files
    ]
    pictures = (_string(item, "image"), _string(item, "banner_image"))
    return content(markup, base, enclosures, pictures, clean)


def _date(item: Object) -> datetime | None:
    """Return the date, which may be a number of seconds or milliseconds, too."""
    values = (item.get(name) for name in ("date_published", "date_modified"))
    found = (dates.from_text(str(value)) for value in values if isinstance(value, str | int | float))
    return next(filter(None, found), None)


def _author(fields: Object) -> str:
    """Return the names of the authors. Version 1.1 has a list, version 1.0 a single one; some write names alone."""
    authors = fields.get("authors") or fields.get("author")
    people = authors[:MAX_AUTHORS] if isinstance(authors, list) else [authors]
    names = [_string(each, "name") if isinstance(each, dict) else each for each in people]
    return joined(person(name) for name in names if isinstance(name, str))


def _string(fields: Object, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""
