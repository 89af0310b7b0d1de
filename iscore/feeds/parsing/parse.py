"""Parses a feed document: bytes → ``ParsedFeed``.

    bytes ─► to_utf8 ─► repaired ─► find_items ─► without_items ─► feedparser ─► draft ─► with_keys
                    └─► JSON Feed

This needs feedparser and nh3, and may take forever on malicious input. So it runs in a child process: see ``worker``
and ``parser_pool``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from iscore.feeds.errors import NotAFeedError
from iscore.feeds.parsing import dates, entries, json_feed, known_items
from iscore.feeds.parsing.encoding import to_utf8
from iscore.feeds.parsing.entries import MAX_MARKUP, Draft, entry_content, icon, with_keys, without_duplicates
from iscore.feeds.parsing.feedparser_reader import read, repaired
from iscore.feeds.parsing.html_to_text import feed_name
from iscore.feeds.parsing.jobs import FeedJob, ParsedFeed
from iscore.feeds.parsing.known_items import Item
from iscore.feeds.urls import safe_url, without_password
from storage.records.articles import NO_CONTENT, NewArticle

_PROLOGUE = 65_536
"""Bytes of a feed in which to search for the publisher's hints, unless its first item begins earlier."""
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_PERIODS = {"hourly": 60, "daily": 1440, "weekly": 10_080, "monthly": 43_200, "yearly": 525_600}
"""Minutes of each ``updatePeriod`` of the syndication module."""

_SKIP_HOURS = re.compile(rb"<skipHours>(.{0,4000}?)</skipHours>", re.IGNORECASE | re.DOTALL)
_SKIP_DAYS = re.compile(rb"<skipDays>(.{0,2000}?)</skipDays>", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(rb">\s*(\d{1,2})\s*<")
_WORD = re.compile(rb">\s*([A-Za-z]{6,9})\s*<")


def parse(job: FeedJob) -> ParsedFeed:
    """Parse a feed. Raises ``NotAFeedError`` if it is not one, or is so damaged that no entry can be read."""
    job = replace(job, url=without_password(job.url))  # this is the base of public links
    document = to_utf8(job.body, job.content_type)
    if not document.strip(b"\0 \t\r\n"):
        raise NotAFeedError("the document is empty")
    if json_feed.is_json(document):
        return json_feed.parse(document, job)
    items = known_items.find_items(document, job.url)
    if items is None and (mended := repaired(document)) != document:
        document = mended
        items = known_items.find_items(document, job.url)
    return _whole(document, job) if items is None else _in_parts(document, items, job)


def _in_parts(document: bytes, items: tuple[Item, ...], job: FeedJob) -> ParsedFeed:
    """Parse a well-formed document without its known items and without those beyond the limit."""
    newest = dates.newest(items, job.max_entries, lambda item: dates.from_text(item.date))
    distinct = known_items.have_distinct_identities(items)
    known = known_items.split_hashes(job.seen) if distinct else frozenset()
    wanted = {item for item in newest if item.hash not in known}
    found = read(known_items.without_items(document, [item for item in items if item not in wanted]))
    if len(found.entries) != len(wanted) or not all(_has_identity(entry) for entry in found.entries):
        # feedparser sees other entries than expat did: an item within an item, or one of another module.
        return _whole(document, job)
    return _feed(
        found,
        job,
        _drafts(found, job),
        prologue=document[: items[0].start if items else _PROLOGUE],
        items_seen=b"".join(item.hash for item in items) if distinct else b"",
        total=len(items),
        dropped=len(items) - len(newest),
    )


def _whole(document: bytes, job: FeedJob) -> ParsedFeed:
    """Parse a whole document with all its entries, each time it has changed."""
    found = read(document)
    if not found.entries and not found.version:
        from iscore.feeds.parsing.pages import not_a_feed  # loaded only here

        raise NotAFeedError(not_a_feed(job.body, job.content_type, job.url))
    if not found.entries and found.bozo_exception:
        raise NotAFeedError(f"the feed is damaged and has no readable entry ({_cause(found)})")
    drafts = _drafts(found, job)
    newest = dates.newest(drafts, job.max_entries, lambda draft: draft.article.published)
    return _feed(
        found,
        job,
        newest,
        prologue=document[:_PROLOGUE],
        items_seen=b"",
        total=len(drafts),
        dropped=len(drafts) - len(newest),
    )


def _drafts(found: Any, job: FeedJob) -> list[Draft]:
    inherited = _inherited(found)
    if found.version.startswith("atom"):
        for link in (link for entry in found.entries for link in entry.get("links", ())):
            link["href"] = safe_url(link.get("href", ""), job.url)  # in RSS, files are relative to the article's page
    return [entries.draft(entry, inherited, url=job.url, now=job.now) for entry in found.entries]


def _inherited(found: Any) -> Any:
    """Return the feed's fields that are defaults for its entries."""
    feed = found.feed
    return {"authors": feed.get("authors") or feed.get("editors"), "language": feed.get("language")}


def _feed(
    found: Any,
    job: FeedJob,
    drafts: list[Draft],
    *,
    prologue: bytes,
    items_seen: bytes,
    total: int,
    dropped: int,
) -> ParsedFeed:
    feed = found.feed
    link = feed.get("link")
    code = feed.get("language")
    site_url = safe_url(link, job.url) if isinstance(link, str) else ""
    return ParsedFeed(
        title=feed_name(entries.title(feed)),
        site_url=site_url,
        language=entries.language(code) if isinstance(code, str) else "",
        ttl_minutes=_ttl_minutes(feed),
        skip_hours=_skip_hours(prologue),
        skip_days=_skip_days(prologue),
        items_seen=items_seen,
        entries=without_duplicates(_with_contents(drafts, job.url)),
        total=total,
        dropped=dropped,
        icon=icon(feed, job.url),
        hub=_related(feed, "hub", job.url),
        self_url=_related(feed, "self", job.url),
    )


def _with_contents(drafts: list[Draft], url: str) -> Iterator[NewArticle]:
    """Yield the articles with their contents. The drafts are in the order of the document."""
    room = MAX_MARKUP
    for draft, article in zip(drafts, with_keys(drafts), strict=True):
        markup, base = entries.markup(draft.entry, article, url=url)
        room -= len(markup)
        content = entry_content(draft.entry, markup if room >= 0 else "", base, draft.clean)
        yield article if content == NO_CONTENT else replace(article, content=content)


def _has_identity(entry: Any) -> bool:
    return bool(entry.get("id") or entry.get("link"))


def _cause(found: Any) -> str:
    message, _, place = str(found.bozo_exception).partition(": ")
    return ", ".join(filter(None, (message, place.partition(",")[0])))


def _ttl_minutes(feed: Mapping[str, Any]) -> int | None:
    """Return how many minutes the document stays fresh, by ``ttl`` or the syndication module; None without either."""
    ttl = _positive(feed.get("ttl"))
    if ttl is not None:
        return ttl
    period = _PERIODS.get(str(feed.get("sy_updateperiod", "")).strip().lower())
    return None if period is None else period // (_positive(feed.get("sy_updatefrequency")) or 1) or 1


def _skip_hours(prologue: bytes) -> tuple[int, ...]:
    """Return the hours, UTC, 0 to 23, in which not to fetch. The old specification writes 24 for midnight."""
    found = _SKIP_HOURS.search(prologue)
    return tuple(sorted({int(hour) % 24 for hour in _NUMBER.findall(found[1]) if int(hour) <= 24})) if found else ()


def _skip_days(prologue: bytes) -> tuple[int, ...]:
    """Return the days of the week on which not to fetch; Monday is 0."""
    found = _SKIP_DAYS.search(prologue)
    names = {day.decode("ascii").lower() for day in _WORD.findall(found[1])} if found else set()
    return tuple(number for number, name in enumerate(_DAYS) if name in names)


def _related(feed: Mapping[str, Any], relation: str, base: str) -> str:
    """Return the address (http or https) of the feed's first link with a relation; empty if there is none."""
    found = (each for each in feed.get("links", ()) if relation in str(each.get("rel", "")).lower().split())
    return next(filter(None, (safe_url(str(each.get("href", "")), base) for each in found)), "")


def _positive(value: object) -> int | None:
    try:
        number = int(str(value).strip())
    except ValueError:
        return None
    return number if number > 0 else None
