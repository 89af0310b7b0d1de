"""Reads and writes OPML, the format in which feed readers exchange subscriptions.

    nested folders ─► tags, the outermost first          title, else text ─► the user's name for the feed

Feed readers differ. All of this is accepted: attribute names in upper or lower case, ``url`` instead of ``xmlUrl``,
``feed:`` instead of ``https:``, one feed in several folders, folders in the attribute ``category``, ampersands and
markup that were not escaped, and what servers write before and behind the list. A document type is always refused: it
can define entities that expand without end or read other files, and no feed reader exports one.

OPML lacks interval, full text, priority and "switched off". They are attributes of our own namespace.
"""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from urllib.parse import unquote
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from iscore.core.translation import gettext
from iscore.feeds.errors import OpmlError, UrlError
from iscore.feeds.parsing.encoding import to_utf8
from iscore.feeds.parsing.html_to_text import escaped_name, feed_name, line
from iscore.feeds.subscriptions.feeds_yaml import LONGEST, SHORTEST
from iscore.feeds.urls import typed_url, url_key, without_password
from storage.records.feeds import Feed, Priority, Subscription

MAX_SIZE = 20_000_000
"""Bytes; the export of 10,000 feeds has about 3 MB."""
MAX_FEEDS = 10_000
"""Feeds that are imported. Users have some hundreds, and each costs time in every later poll. Others are counted."""
MAX_REFUSED = 100
"""Refused feeds that are named. There may be a hundred thousand."""
MAX_TAGS = 50
"""Tags of a feed. A feed may be in all folders of a list."""
MAX_DEPTH = 50
"""Levels of folders. Real lists have two or three; feeds in deeper folders are refused."""
MAX_CATEGORY = 10_000
"""Characters of the attribute ``category`` that are read."""
_NAMESPACE = "urn:iscore"
_IN_CATEGORIES = str.maketrans({",": "%2C", "/": "%2F", "%": "%25"})
_ATTRIBUTE = re.compile(rb"""=\s*(?:"[^"]*"|'[^']*')""")
_SCRAPED = re.compile(r"xpath|dotnotation|dotpath", re.IGNORECASE)
"""In FreshRSS's types of pages from which it makes feeds itself, as ``HTML+XPath`` and ``JSON+DotNotation``."""
_OPENING = re.compile(rb"<\?xml\s|<!doctype\b|<opml\b", re.IGNORECASE)
_OTHER_DOCUMENT = re.compile(rb"<(?:html|rss|feed|rdf)\b", re.IGNORECASE)
_BARE_AMPERSAND = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});)")


@dataclass(frozen=True, slots=True)
class Opml:
    """The contents of a file."""

    feeds: tuple[Subscription, ...]
    """Each feed once, in the file's order, with the tags of all its folders."""
    refused: tuple[tuple[str, str], ...]
    """URL (or name) and reason of feeds that cannot be subscribed to; the first ``MAX_REFUSED``."""
    more_refused: int = 0
    """Number of other refused feeds."""
    left_out: int = 0
    """Outlines with a URL after the first ``MAX_FEEDS`` feeds. They are not checked."""


def read_source(source: str) -> bytes:
    """Return the first ``MAX_SIZE`` + 1 bytes of a file, or of standard input for ``-``.

    Raises ``OSError``.
    """
    if source == "-":
        return sys.stdin.buffer.read(MAX_SIZE + 1)
    with Path(source).open("rb") as file:
        return file.read(MAX_SIZE + 1)


def read_opml(document: bytes) -> Opml:
    """Read a list. Raises ``OpmlError``."""
    if len(document) > MAX_SIZE:
        raise OpmlError(gettext("is larger than %(size)s MB", size=MAX_SIZE // 1_000_000))
    document, junk = _without_junk(document)
    document = to_utf8(document)
    try:
        reader = _parsed(document)
    except expat.ExpatError:
        try:
            reader = _parsed(_repaired(document))  # repairs keep the line numbers
        except expat.ExpatError as error:
            problem = gettext(
                "is not well-formed XML (%(problem)s); correct that line, or export it again",
                problem=expat.ErrorString(error.code),
            )
            raise OpmlError(problem, junk.count(b"\n") + error.lineno) from error
    return Opml(tuple(reader.feeds.values()), tuple(reader.refused), reader.more_refused, reader.left_out)


def write_opml(feeds: Sequence[Subscription], known: Mapping[str, Feed]) -> str:
    """Write a list. Each feed is in the folder of its first tag, and has all its tags as categories.

    ``known``: the fetched feeds by URL, for their sites, and for their titles where the user has set none. Reading the
    list again gives the same feeds, ordered by folder, if no such title was needed.
    """
    folders: dict[str, list[Subscription]] = {}
    for feed in feeds:
        folders.setdefault(feed.tags[0] if feed.tags else "", []).append(feed)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<opml version="2.0" xmlns:iscore="{_NAMESPACE}">',
        "  <head><title>Feeds followed with iScore</title></head>",
        "  <body>",
    ]
    for folder, members in folders.items():
        indent = "    "
        if folder:
            name = quoteattr(escaped_name(folder))
            lines.append(f"    <outline text={name} title={name}>")
            indent = "      "
        lines += [indent + _outline(feed, known.get(feed.url)) for feed in members]
        if folder:
            lines.append("    </outline>")
    return "\n".join([*lines, "  </body>", "</opml>", ""])


def _outline(feed: Subscription, known: Feed | None) -> str:
    title = escaped_name(line(feed.title or (known.title if known else "")) or feed.url)
    values = {"type": "rss", "text": title, "title": title, "xmlUrl": feed.url}
    site = line(without_password(known.site_url)) if known is not None else ""
    if site.startswith(("https://", "http://")):
        values["htmlUrl"] = site
    if feed.tags:
        values["category"] = ",".join("/" + tag.translate(_IN_CATEGORIES) for tag in feed.tags)
    if feed.interval is not None:
        values["iscore:interval"] = str(feed.interval)
    if feed.fulltext:
        values["iscore:fulltext"] = "true"
    if not feed.enabled:
        values["iscore:enabled"] = "false"
    if feed.priority is not Priority.FILTERED:
        values["iscore:priority"] = str(feed.priority)
    return "<outline " + " ".join(f"{key}={quoteattr(value)}" for key, value in values.items()) + "/>"


def _without_junk(document: bytes) -> tuple[bytes, bytes]:
    """Split off what is before the list, such as a warning of PHP; blanks and byte order marks stay."""
    opening = _OPENING.search(document)
    junk = document[: opening.start()] if opening is not None else b""
    if not junk.removeprefix(codecs.BOM_UTF8).strip() or _OTHER_DOCUMENT.search(junk):
        return document, b""
    return document[len(junk) :], junk


def _repaired(document: bytes) -> bytes:
    """Escape ampersands, and markup in attributes, which feed readers often leave unescaped."""
    document = _BARE_AMPERSAND.sub(b"&amp;", document)
    return _ATTRIBUTE.sub(lambda found: found[0].replace(b"<", b"&lt;"), document)


def _parsed(document: bytes) -> _Reader:
    reader = _Reader()
    parser = expat.ParserCreate(encoding="utf-8")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(document, True)
    except expat.ExpatError:
        if not reader.is_complete:  # else it is junk behind the list
            raise
    return reader


def _refuse_doctype(name: str, *_: object) -> None:
    if name.lower() == "html":
        raise OpmlError(gettext("is a web page; export your subscriptions as OPML from your feed reader"))
    raise OpmlError(
        gettext("has a document type, which can hide harmful entities; remove the line that begins with <!DOCTYPE")
    )


class _Reader:
    """Collects feeds while expat parses the file."""

    def __init__(self) -> None:
        self.feeds: dict[str, Subscription] = {}
        """By ``url_key``."""
        self.refused: list[tuple[str, str]] = []
        self.more_refused = self.left_out = 0
        self.is_complete = False
        self._depth = 0
        self._folders: list[tuple[str, ...]] = []

    def start(self, element: str, attributes: dict[str, str]) -> None:
        if self._depth == 0 and element.lower() != "opml":
            raise OpmlError(
                gettext(
                    "is not OPML but <%(element)s>; export your subscriptions as OPML from your feed reader",
                    element=line(element, 40),
                )
            )
        self._depth += 1
        if element.lower() != "outline":
            return
        if len(self._folders) >= MAX_DEPTH or len(self.feeds) >= MAX_FEEDS:
            self._folders.append(())
            self._count({key.lower(): value for key, value in attributes.items()})
            return
        values = {key.lower(): value for key, value in attributes.items()}
        title = feed_name(values.get("title", "")) or feed_name(values.get("text", ""))
        url = _url(values)
        if url:
            self._feed(url, title, values)
            title = ""  # a feed is not a folder, even if it contains outlines
        elif values.get("type", "").lower() == "include":
            self._refuse(
                title or line(without_password(values.get("url", "")), 80),
                gettext("it is a link to another list; import that list"),
            )
        self._folders.append((title,) if title else ())

    def end(self, element: str) -> None:
        self._depth -= 1
        self.is_complete = self._depth == 0
        if element.lower() == "outline":
            self._folders.pop()

    def _count(self, values: Mapping[str, str]) -> None:
        """Count a feed without checking it."""
        url = _url(values)
        if not url:
            return
        if len(self.feeds) >= MAX_FEEDS:
            self.left_out += 1
        else:
            reason = gettext("it is in more than %(number)s levels of folders", number=MAX_DEPTH)
            self._refuse(line(without_password(url), 80), reason)

    def _refuse(self, name: str, reason: str) -> None:
        if len(self.refused) < MAX_REFUSED:
            self.refused.append((name, reason))
        else:
            self.more_refused += 1

    def _feed(self, url: str, title: str, values: Mapping[str, str]) -> None:
        if _SCRAPED.search(values.get("type", "")):
            reason = gettext("it is a page that FreshRSS reads, not a feed")
            self._refuse(title or line(without_password(url), 80), reason)
            return
        try:
            url = typed_url(url)
        except UrlError as error:
            self._refuse(
                title or line(without_password(url), 80), gettext("the address %(problem)s", problem=error.problem)
            )
            return
        same = url_key(url)
        known = self.feeds.get(same)
        if known is not None and len(known.tags) >= MAX_TAGS:
            return
        tags = dict.fromkeys(known.tags if known is not None else ())
        tags |= dict.fromkeys(tag for names in self._folders for tag in names)
        tags |= dict.fromkeys(_categories(values.get("category", "")))
        chosen = tuple(islice(tags, MAX_TAGS))
        if known is not None:
            self.feeds[same] = replace(known, tags=chosen)
            return
        self.feeds[same] = Subscription(
            url=url,
            title="" if title == url else title,
            tags=chosen,
            interval=_interval(values.get("iscore:interval", "")),
            fulltext=values.get("iscore:fulltext") == "true",
            enabled=values.get("iscore:enabled") != "false",
            priority=_priority(values.get("iscore:priority", "")),
        )


def _url(values: Mapping[str, str]) -> str:
    """Return the URL of a feed; empty for a folder, a link, or another list."""
    url = values.get("xmlurl", "").strip()
    if not url and values.get("type", "").lower() in ("rss", "atom", "feed"):
        url = values.get("url", "").strip()
    scheme, colon, rest = url.partition(":")
    if colon and scheme.lower() == "feed":
        return "https:" + rest if rest.startswith("//") else rest
    return url


def _categories(text: str) -> list[str]:
    """Return the names in ``/Technology/Linux,/daily``, in which commas and slashes are percent-encoded."""
    found = (line(unquote(part)) for path in text[:MAX_CATEGORY].split(",") for part in path.split("/"))
    return [name for name in found if name]


def _priority(text: str) -> Priority:
    return Priority(text) if text in list(Priority) else Priority.FILTERED


def _interval(text: str) -> int | None:
    seconds = int(text) // 60 * 60 if re.fullmatch(r"[0-9]{1,7}", text) else 0
    return seconds if SHORTEST <= seconds <= LONGEST else None
