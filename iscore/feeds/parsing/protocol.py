"""How the poller and the parser's process talk: frames of a length, a JSON header and raw bytes.

    4 bytes: length of the header │ 4 bytes: length of the rest │ header, JSON in UTF-8 │ the rest, raw

JSON, because the process on the other side has handled hostile input: whatever it says must be harmless to
read.
"""

from __future__ import annotations

import json
import struct
from datetime import UTC, datetime
from typing import Any

from iscore.feeds.page_jobs import FeedLink, LinksJob, PageJob, Permission, RobotsJob
from iscore.feeds.parsing.parsed_feed import ParsedFeed, ParseJob
from storage.records import NewArticle

PREFIX = struct.Struct("<II")

Header = dict[str, Any]


def frame(header: Header, *rest: bytes) -> bytes:
    """Return what ``lengths`` and ``json.loads`` take apart again."""
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return b"".join((PREFIX.pack(len(text), sum(map(len, rest))), text, *rest))


def lengths(prefix: bytes) -> tuple[int, int]:
    """Return the lengths of header and rest from a frame's first 8 bytes."""
    header, rest = PREFIX.unpack(prefix)
    return header, rest


def job_to_frame(job: ParseJob, seconds: float) -> bytes:
    """Write a job that may take so many seconds of processor time; the known hashes and the body follow the header."""
    header = {
        "url": job.url,
        "content_type": job.content_type,
        "now": job.now.timestamp(),
        "seen": len(job.seen),
        "max_entries": job.max_entries,
        "seconds": seconds,
    }
    return frame(header, job.seen, job.body)


def job_from(header: Header, rest: bytes) -> ParseJob:
    """Read a job."""
    seen = header["seen"]
    return ParseJob(
        body=rest[seen:],
        url=header["url"],
        content_type=header["content_type"],
        now=datetime.fromtimestamp(header["now"], UTC),
        seen=rest[:seen],
        max_entries=header["max_entries"],
    )


def page_job_to_frame(job: PageJob, seconds: float) -> bytes:
    """Write a job that may take so many seconds of processor time; the page follows the header."""
    return frame({"task": "page", "content_type": job.content_type, "seconds": seconds}, job.body)


def page_job_from(header: Header, rest: bytes) -> PageJob:
    """Read a job."""
    return PageJob(rest, header["content_type"])


def links_job_to_frame(job: LinksJob, seconds: float) -> bytes:
    """Write a job that may take so many seconds of processor time; the page follows the header."""
    header = {"task": "links", "content_type": job.content_type, "url": job.url, "seconds": seconds}
    return frame(header, job.body)


def links_job_from(header: Header, rest: bytes) -> LinksJob:
    """Read a job."""
    return LinksJob(rest, header["content_type"], header["url"])


def links_to_frame(links: list[FeedLink], *, last: bool) -> bytes:
    """Write an answer. ``last`` says that the process ends after it."""
    return frame({"links": [[link.url, link.title, link.declared] for link in links], "last": last})


def links_from(header: Header) -> list[FeedLink]:
    """Read an answer. Raises ``KeyError``, ``TypeError`` or ``ValueError`` when it is none."""
    return [FeedLink(str(url), str(title), bool(declared)) for url, title, declared in header["links"]]


def robots_job_to_frame(job: RobotsJob, seconds: float) -> bytes:
    """Write a job that may take so many seconds of processor time; the robots.txt follows the header."""
    return frame({"task": "robots", "agent": job.agent, "url": job.url, "seconds": seconds}, job.body)


def robots_job_from(header: Header, rest: bytes) -> RobotsJob:
    """Read a job."""
    return RobotsJob(rest, header["agent"], header["url"])


def permission_to_frame(permission: Permission, *, last: bool) -> bytes:
    """Write an answer. ``last`` says that the process ends after it."""
    return frame({"refusal": permission.refusal, "delay": permission.delay, "last": last})


def permission_from(header: Header) -> Permission:
    """Read an answer. Raises ``KeyError``, ``TypeError`` or ``ValueError`` when it is none."""
    return Permission(str(header["refusal"]), float(header["delay"]))


def feed_to_frame(feed: ParsedFeed, *, last: bool) -> bytes:
    """Write a result. ``last`` says that the process ends after it."""
    header = {
        "feed": [
            feed.title,
            feed.site_url,
            feed.language,
            feed.ttl_minutes,
            feed.skip_hours,
            feed.skip_days,
            feed.total,
            feed.dropped,
        ],
        "entries": [
            [
                article.key,
                article.url,
                article.title,
                article.author,
                article.categories,
                article.text,
                article.language,
                article.published.timestamp() if article.published else None,
                article.links,
                article.pictures,
                article.content_hash.hex(),
            ]
            for article in feed.entries
        ],
        "last": last,
    }
    return frame(header, feed.items_seen)


def feed_from(header: Header, rest: bytes) -> ParsedFeed:
    """Read a result. Raises ``KeyError``, ``TypeError`` or ``ValueError`` when it is none."""
    title, site_url, language, ttl_minutes, skip_hours, skip_days, total, dropped = header["feed"]
    return ParsedFeed(
        title=title,
        site_url=site_url,
        language=language,
        ttl_minutes=ttl_minutes,
        skip_hours=tuple(skip_hours),
        skip_days=tuple(skip_days),
        items_seen=rest,
        entries=tuple(map(_article, header["entries"])),
        total=total,
        dropped=dropped,
    )


def _article(row: list[Any]) -> NewArticle:
    key, url, title, author, categories, text, language, published, links, pictures, content_hash = row
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
    )
