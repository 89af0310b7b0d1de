"""Lists of subscriptions as feed readers exchange them: OPML.

    folders within folders ─► tags, the outermost first          title, else text ─► the person's name for the feed

Readers differ in how they write it, and what they write is read: names of attributes in any case, ``url`` in place of
``xmlUrl``, ``feed:`` in place of ``https:``, one feed in several folders, folders in the attribute ``category``,
ampersands and markup that were not escaped. A document type is refused, whatever it says: entities are defined there,
those that grow without end and those that are read from elsewhere, and no reader exports one.

What OPML has no word for (interval, full text, switched off) stands in attributes of a namespace of ours.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape, unescape
from itertools import islice
from pathlib import Path
from urllib.parse import unquote
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from iscore.feeds.errors import OpmlError, UrlError
from iscore.feeds.parsing.encoding import to_utf8
from iscore.feeds.parsing.html_to_text import LONGEST_LINE, line
from iscore.feeds.subscriptions.feeds_yaml import LONGEST, SHORTEST
from iscore.feeds.urls import check_url, url_key, without_password
from storage.records import Subscription

MAX_SIZE = 20_000_000
"""Bytes; the export of 10,000 feeds has about 3 MB."""
MOST_FEEDS = 10_000
"""Feeds that are taken over; people have some hundreds, and each one costs every later poll. Others are counted."""
MOST_NAMED = 100
"""Refused ones that are named; a list may have a hundred thousand, which nobody reads."""
MOST_TAGS = 50
"""Tags of a feed, which may stand in as many folders as a list has."""
DEEPEST = 50
"""Folders within folders; real ones have two or three levels. What lies deeper is refused."""
LONGEST_CATEGORY = 10_000
"""Characters of an attribute ``category`` that are looked at."""
_NAMESPACE = "urn:iscore"
_IN_CATEGORIES = str.maketrans({",": "%2C", "/": "%2F", "%": "%25"})
_ATTRIBUTE = re.compile(rb"""=\s*(?:"[^"]*"|'[^']*')""")
_BARE_AMPERSAND = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});)")


@dataclass(frozen=True, slots=True)
class Opml:
    """What a file lists."""

    feeds: tuple[Subscription, ...]
    """Each once, in the file's order; of one that stands in several folders the tags are united."""
    refused: tuple[tuple[str, str], ...]
    """Address (or name) and reason of what cannot be followed; of the first ``MOST_NAMED``."""
    more_refused: int = 0
    """How many there are beside those."""
    left_out: int = 0
    """Outlines with an address that came when there were ``MOST_FEEDS``; nobody has looked at them."""


def read_source(source: str) -> bytes:
    """Return the beginning of a file, or of standard input for ``-``: what a list may have, and one byte more.

    Raises ``OSError``.
    """
    if source == "-":
        return sys.stdin.buffer.read(MAX_SIZE + 1)
    with Path(source).open("rb") as file:
        return file.read(MAX_SIZE + 1)


def read_opml(document: bytes) -> Opml:
    """Read a list. Raises ``OpmlError``."""
    if len(document) > MAX_SIZE:
        raise OpmlError(f"is larger than {MAX_SIZE // 1_000_000} MB")
    document = to_utf8(document)
    try:
        reader = _parsed(document)
    except expat.ExpatError:
        try:
            reader = _parsed(_repaired(document))  # its lines are those of the file
        except expat.ExpatError as error:
            problem = f"is no well-formed XML ({expat.ErrorString(error.code)}); mend that line, or export it again"
            raise OpmlError(problem, error.lineno) from error
    return Opml(tuple(reader.feeds.values()), tuple(reader.refused), reader.more_refused, reader.left_out)


def write_opml(feeds: Sequence[Subscription], names: Mapping[str, str]) -> str:
    """Write a list in which each feed lies in the folder of its first tag, and names all of them as categories.

    ``names`` gives, by address, what to call feeds for which the person has no title. Reading it back gives the same
    feeds, ordered by folder, if no name was needed.
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
            name = quoteattr(_literal(folder))
            lines.append(f"    <outline text={name} title={name}>")
            indent = "      "
        lines += [indent + _outline(feed, names.get(feed.url, "")) for feed in members]
        if folder:
            lines.append("    </outline>")
    return "\n".join([*lines, "  </body>", "</opml>", ""])


def _outline(feed: Subscription, name: str) -> str:
    title = _literal(line(feed.title or name) or feed.url)
    said = {"type": "rss", "text": title, "title": title, "xmlUrl": feed.url}
    if feed.tags:
        said["category"] = ",".join("/" + tag.translate(_IN_CATEGORIES) for tag in feed.tags)
    if feed.interval is not None:
        said["iscore:interval"] = str(feed.interval)
    if feed.fulltext:
        said["iscore:fulltext"] = "true"
    if not feed.enabled:
        said["iscore:enabled"] = "false"
    return "<outline " + " ".join(f"{key}={quoteattr(value)}" for key, value in said.items()) + "/>"


def _literal(text: str) -> str:
    """Escape a title once more if it holds what looks like HTML's own escapes, which readers undo."""
    return text if unescape(text) == text else escape(text, quote=False)


def _repaired(document: bytes) -> bytes:
    """Escape what readers most often forget to escape: ampersands, and markup in attributes."""
    document = _BARE_AMPERSAND.sub(b"&amp;", document)
    return _ATTRIBUTE.sub(lambda found: found[0].replace(b"<", b"&lt;"), document)


def _parsed(document: bytes) -> _Reader:
    reader = _Reader()
    parser = expat.ParserCreate(encoding="utf-8")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.Parse(document, True)
    return reader


def _refuse_doctype(name: str, *_: object) -> None:
    if name.lower() == "html":
        raise OpmlError("is a web page; export your subscriptions as OPML from your feed reader")
    raise OpmlError("has a document type, which can hide harmful entities; remove the line that begins with <!DOCTYPE")


class _Reader:
    """Collects feeds while expat goes through the file."""

    def __init__(self) -> None:
        self.feeds: dict[str, Subscription] = {}
        """By ``url_key`` of the address."""
        self.refused: list[tuple[str, str]] = []
        self.more_refused = self.left_out = 0
        self._depth = 0
        self._folders: list[tuple[str, ...]] = []

    def start(self, element: str, attributes: dict[str, str]) -> None:
        if self._depth == 0 and element.lower() != "opml":
            raise OpmlError(
                f"is no OPML but <{line(element, 40)}>; export your subscriptions as OPML from your feed reader"
            )
        self._depth += 1
        if element.lower() != "outline":
            return
        if len(self._folders) >= DEEPEST or len(self.feeds) >= MOST_FEEDS:
            self._folders.append(())
            self._pass_over({key.lower(): value for key, value in attributes.items()})
            return
        said = {key.lower(): value for key, value in attributes.items()}
        title = _title(said.get("title", "")) or _title(said.get("text", ""))
        url = _address(said)
        if url:
            self._feed(url, title, said)
            title = ""  # a feed is no folder, even if outlines lie in it
        elif said.get("type", "").lower() == "include":
            self._refuse(
                title or line(without_password(said.get("url", "")), 80),
                "it stands for a list elsewhere; import that list",
            )
        self._folders.append((title,) if title else ())

    def end(self, element: str) -> None:
        self._depth -= 1
        if element.lower() == "outline":
            self._folders.pop()

    def _pass_over(self, said: Mapping[str, str]) -> None:
        """Count what is not looked at."""
        url = _address(said)
        if not url:
            return
        if len(self.feeds) >= MOST_FEEDS:
            self.left_out += 1
        else:
            self._refuse(line(without_password(url), 80), f"it lies in more than {DEEPEST} folders within folders")

    def _refuse(self, name: str, reason: str) -> None:
        if len(self.refused) < MOST_NAMED:
            self.refused.append((name, reason))
        else:
            self.more_refused += 1

    def _feed(self, url: str, title: str, said: Mapping[str, str]) -> None:
        try:
            url = check_url(url)
        except UrlError as error:
            self._refuse(title or line(without_password(url), 80), f"the address {error.problem}")
            return
        same = url_key(url)
        known = self.feeds.get(same)
        if known is not None and len(known.tags) >= MOST_TAGS:
            return
        tags = dict.fromkeys(known.tags if known is not None else ())
        tags |= dict.fromkeys(tag for names in self._folders for tag in names)
        tags |= dict.fromkeys(_categories(said.get("category", "")))
        chosen = tuple(islice(tags, MOST_TAGS))
        if known is not None:
            self.feeds[same] = replace(known, tags=chosen)
            return
        self.feeds[same] = Subscription(
            url=url,
            title="" if title == url else title,
            tags=chosen,
            interval=_interval(said.get("iscore:interval", "")),
            fulltext=said.get("iscore:fulltext") == "true",
            enabled=said.get("iscore:enabled") != "false",
        )


def _title(text: str) -> str:
    """A title without the escapes of HTML, which many readers leave in it."""
    return line(unescape(text[: 20 * LONGEST_LINE]))


def _address(said: Mapping[str, str]) -> str:
    """The address of a feed, or nothing for a folder, a link, or a list elsewhere."""
    url = said.get("xmlurl", "").strip()
    if not url and said.get("type", "").lower() in ("rss", "atom", "feed"):
        url = said.get("url", "").strip()
    scheme, colon, rest = url.partition(":")
    if colon and scheme.lower() == "feed":
        return "https:" + rest if rest.startswith("//") else rest
    return url


def _categories(text: str) -> list[str]:
    """``/Technology/Linux,/daily`` → Technology, Linux, daily. Commas and slashes within names are percent-encoded."""
    found = (line(unquote(part)) for path in text[:LONGEST_CATEGORY].split(",") for part in path.split("/"))
    return [name for name in found if name]


def _interval(text: str) -> int | None:
    seconds = int(text) // 60 * 60 if re.fullmatch(r"[0-9]{1,7}", text) else 0
    return seconds if SHORTEST <= seconds <= LONGEST else None
