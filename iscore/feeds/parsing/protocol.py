"""The protocol between the poller and the parser processes: frames of a length, a JSON header and raw bytes.

    4 bytes: length of the header │ 4 bytes: length of the body │ header, JSON in UTF-8 │ the body, raw

JSON, because the process on the other side has handled hostile input: its answers must be harmless to read.
"""

from __future__ import annotations

import json
import struct
from dataclasses import fields
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

from iscore.feeds.parsing.jobs import FeedJob, Job, LinksJob, PageJob, ParsedFeed, PictureJob, RobotsJob
from storage.records.articles import NewArticle
from storage.records.contents import Content, Enclosure

PREFIX = struct.Struct("<II")

Header = dict[str, Any]

_JOBS: dict[str, type[Job]] = {kind.__name__: kind for kind in (FeedJob, PageJob, LinksJob, RobotsJob, PictureJob)}


def frame(header: Header, body: bytes = b"") -> bytes:
    """Return the bytes of a message."""
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return b"".join((PREFIX.pack(len(text), len(body)), text, body))


def lengths(prefix: bytes) -> tuple[int, int]:
    """Return the lengths of header and body from a frame's first 8 bytes."""
    header, body = PREFIX.unpack(prefix)
    return header, body


def job_to_frame(job: Job, seconds: float) -> bytes:
    """Write a job that may take that many seconds of processor time."""
    header: Header = {"job": type(job).__name__, "seconds": seconds}
    for field in fields(job):
        value = getattr(job, field.name)
        if field.name != "body":
            header[field.name] = value.hex() if isinstance(value, bytes) else value
    if isinstance(job, FeedJob):
        header["now"] = job.now.timestamp()
    return frame(header, job.body)


def job_from(header: Header, body: bytes) -> Job:
    """Read a job."""
    values = {name: value for name, value in header.items() if name not in ("job", "seconds")}
    if header["job"] == FeedJob.__name__:
        values["now"] = datetime.fromtimestamp(values["now"], UTC)
        values["seen"] = bytes.fromhex(values["seen"])
    return _JOBS[header["job"]](body=body, **values)


def feed_to_answer(feed: ParsedFeed) -> tuple[Header, bytes]:
    """Return the header and body of a parsed feed.

    The body has what is long: the hashes of its items, then each article's text and HTML. The header has their lengths.
    """
    long = [(article.text.encode(), article.content.html.encode()) for article in feed.entries]
    header = {
        "items_seen": len(feed.items_seen),
        "feed": [
            feed.title,
            feed.site_url,
            feed.language,
            feed.ttl_minutes,
            feed.skip_hours,
            feed.skip_days,
            feed.total,
            feed.dropped,
            feed.icon,
            feed.hub,
            feed.self_url,
        ],
        "entries": [
            [
                article.key,
                article.url,
                article.title,
                article.author,
                article.categories,
                len(text),
                article.language,
                article.published.timestamp() if article.published else None,
                article.links,
                article.pictures,
                article.content_hash.hex(),
                len(html),
                [[each.url, each.type, each.length] for each in article.content.enclosures],
                article.content.thumbnail,
            ]
            for article, (text, html) in zip(feed.entries, long, strict=True)
        ],
    }
    return header, b"".join((feed.items_seen, *(part for parts in long for part in parts)))


def feed_from_answer(header: Header, body: bytes) -> ParsedFeed:
    """Read a parsed feed. Raises ``KeyError``, ``TypeError`` or ``ValueError`` when the answer is not one."""
    title, site_url, language, ttl_minutes, skip_hours, skip_days, *others = header["feed"]
    total, dropped, icon, hub, self_url = others
    rest = BytesIO(body)
    return ParsedFeed(
        title=title,
        site_url=site_url,
        language=language,
        ttl_minutes=ttl_minutes,
        skip_hours=tuple(skip_hours),
        skip_days=tuple(skip_days),
        items_seen=rest.read(header["items_seen"]),
        entries=tuple(_article(row, rest) for row in header["entries"]),
        total=total,
        dropped=dropped,
        icon=icon,
        hub=hub,
        self_url=self_url,
    )


def _article(row: list[Any], rest: BytesIO) -> NewArticle:
    key, url, title, author, categories, text_length, language, published, links, pictures, content_hash, *content = row
    html_length, enclosures, thumbnail = content
    text, html = rest.read(text_length).decode(), rest.read(html_length).decode()
    return NewArticle(
        key=key,
        url=url,
        title=title,
        author=author,
        categories=tuple(categories),
        text=text,
        language=language,
        published=None if published is None else datetime.fromtimestamp(published, UTC),
        links=links,
        pictures=pictures,
        content_hash=bytes.fromhex(content_hash),
        content=Content(html, tuple(Enclosure(*each) for each in enclosures), thumbnail),
    )
