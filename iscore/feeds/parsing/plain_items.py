"""Reads plain items with expat alone. The results are those of feedparser, in a fraction of its time.

feedparser calls dozens of functions for every element. Most feeds need none of them: their items have a title, a link,
an id, a date, a text and little else, each once. ``read_plain`` reads such items, and is strict: an unknown element or
attribute, or a URL of another form, leaves the whole document to feedparser. The same happens if feedparser
makes a different article of the first item.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from html.entities import entitydefs
from typing import Any
from xml.parsers import expat

from iscore.feeds.parsing.feedparser_reader import IGNORED

_ATOM = "http://www.w3.org/2005/Atom "
_DUBLIN_CORE = "http://purl.org/dc/elements/1.1/ "
_MEDIA_RSS = "http://search.yahoo.com/mrss/ "
_ENCODED = "http://purl.org/rss/1.0/modules/content/ encoded"
_FEEDBURNER = "http://rssnamespace.org/feedburner/ext/1.0 "
_THREADS = "http://purl.org/syndication/thread/1.0 "
_LAYOUTS = {"rss": ("rss", "item", 3), f"{_ATOM}feed": ("atom10", f"{_ATOM}entry", 2)}
"""By root element: the beginning of feedparser's name of the format, the name of an item, and its depth."""

_DETAILS = ("title_detail", "summary_detail")
_TYPES = {"text": "text/plain", "text/plain": "text/plain", "html": "text/html", "text/html": "text/html"}
_URL = re.compile(
    r"https?://[a-z0-9][a-z0-9.-]*(?::[0-9]{1,5})?(?:/[A-Za-z0-9/.,:~=&%+_!*()@-]*)?"
    r"(?:\?[A-Za-z0-9/.,:~=&%+_!*()@-]+)?(?:#[A-Za-z0-9/.,:~=&%+_!*()@-]+)?"
)
"""URLs that making them absolute does not change."""
_REFERENCE = re.compile(r"&(#?)(\w+);")
_C1 = re.compile("[\x80-\x9f]")
_WINDOWS_1252 = {
    code: bytes([code]).decode("cp1252") for code in range(0x80, 0xA0) if code not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}

Entry = dict[str, Any]


class NotPlain(Exception):  # noqa: N818 -- not an error: the document is left to feedparser
    """The document has parts that only feedparser can read."""


def read_plain(document: bytes) -> PlainItems | None:
    """Read the items of a well-formed document; None if only feedparser can."""
    reader = PlainItems()
    try:
        reader.parser.Parse(document, True)
    except (NotPlain, expat.ExpatError):
        return None
    return reader


class PlainItems:
    """The items of a document, and the state of the pass that reads them."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._details: list[Entry] = []
        """Details of all texts, without language and base address."""
        self._format, self._item, self._item_depth = "", "", 0
        self._fields: dict[str, _Field] = {}
        self._depth = 0
        self._declares = False
        """Whether the next element declares a prefix."""
        self._once: set[str] = set()
        """Fields that the item has had and may have only once."""
        self._field = ""
        self._attributes: dict[str, str] = {}
        self._person: dict[str, str] = {}
        self._text: list[str] = []
        self.parser = parser = expat.ParserCreate(encoding="utf-8", namespace_separator=" ")
        parser.buffer_text = True
        parser.buffer_size = 1 << 16
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartNamespaceDeclHandler = self._declare

    def entries(self, sample: Any) -> list[Entry]:
        """Return the items like feedparser's entries, with the fields that articles need.

        ``sample`` is feedparser's result for the same document with one item. All texts have the language and base
        address of its texts. Returns an empty list if its format differs.
        """
        detail = next((each[name] for each in sample.entries for name in _DETAILS if name in each), None)
        if detail is None or not sample.version.startswith(self._format):
            return []
        for each in self._details:
            each["language"], each["base"] = detail.get("language"), detail.get("base", "")
        return self._entries

    def _declare(self, prefix: str | None, _: str | None) -> None:
        self._declares = self._declares or bool(prefix)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        declares, self._declares = self._declares, False
        if self._depth == 1:
            if name not in _LAYOUTS:
                raise NotPlain
            self._format, self._item, self._item_depth = _LAYOUTS[name]
            self._fields = _RSS_FIELDS if name == "rss" else _ATOM_FIELDS
        level = self._depth - self._item_depth
        if level == 0 and name == self._item:
            if attributes or declares:
                raise NotPlain
            self._entries.append({})
            self._once = set()
            self.parser.CharacterDataHandler = self._text.append
        elif level > 0 and self.parser.CharacterDataHandler is not None:
            if declares:
                raise NotPlain  # for feedparser, a prefix has the same meaning in all items
            if level == 1:
                self._check(name, attributes)
            else:
                self._start_of_person(name, attributes, level)
            self._text.clear()

    def _check(self, name: str, attributes: dict[str, str]) -> None:
        """Check that an element of an item is known, occurs once, and has only known attributes."""
        self._field, self._attributes, self._person = "", attributes, {}
        if name not in self._fields:
            if not name.startswith(IGNORED) or any(" " in attribute for attribute in attributes):
                raise NotPlain
            return
        key, allowed, _ = self._fields[name]
        if key in self._once or not allowed.issuperset(attributes):
            raise NotPlain
        if key not in _REPEATED:
            self._once.add(key)
        self._field = key

    def _start_of_person(self, name: str, attributes: dict[str, str], level: int) -> None:
        part = name.removeprefix(_ATOM)
        in_person = level == 2 and self._field == "person" and part not in self._person
        if not in_person or part not in ("name", "email", "uri") or attributes or "".join(self._text).strip():
            raise NotPlain

    def _end(self, name: str) -> None:
        level = self._depth - self._item_depth
        self._depth -= 1
        if self.parser.CharacterDataHandler is None:
            return
        if level == 0:
            self.parser.CharacterDataHandler = None
        elif level == 1 and name in self._fields:
            self._fields[name][2](self, self._attributes, "".join(self._text).strip())
        elif level > 1:
            self._person[name.removeprefix(_ATOM)] = "".join(self._text).strip()
            self._text.clear()

    def _content(self, attributes: dict[str, str], text: str, default: str = "text") -> Entry:
        kind = attributes.get("type", default).lower()
        if kind not in _TYPES:
            raise NotPlain
        detail = {"type": _TYPES[kind], "value": _repaired(text)}
        self._details.append(detail)
        return detail

    def title(self, attributes: dict[str, str], text: str) -> None:
        detail = self._content(attributes, text)
        if self._format == "rss" and ("<" in text or _REFERENCE.search(text)):
            # feedparser guesses whether a title is HTML.
            if "<" in text or any(not number and name not in entitydefs for number, name in _REFERENCE.findall(text)):
                raise NotPlain
            detail["type"] = "text/html"
        self._entries[-1] |= {"title": detail["value"], "title_detail": detail}

    def summary(self, attributes: dict[str, str], text: str) -> None:
        detail = self._content(attributes, text, "html" if self._format == "rss" else "text")
        self._entries[-1] |= {"summary": detail["value"], "summary_detail": detail}

    def content(self, attributes: dict[str, str], text: str) -> None:
        detail = self._content(attributes, text, "html" if self._format == "rss" else "text")
        self._entries[-1]["content"] = [detail]
        self._entries[-1].setdefault("summary", detail["value"])

    def id(self, attributes: dict[str, str], text: str) -> None:
        self._entries[-1]["id"] = found = _repaired(_not_empty(text))
        if attributes.get("isPermaLink", "true") == "true":
            self._entries[-1].setdefault("link", found)

    def link(self, _: dict[str, str], text: str) -> None:
        self.atom_link({"href": text}, "")

    def atom_link(self, attributes: dict[str, str], _: str) -> None:
        relation = attributes.get("rel", "alternate").lower()
        kind = attributes.get("type", "application/atom+xml" if relation == "self" else "text/html").lower()
        if not _URL.fullmatch(attributes.get("href", "")):
            raise NotPlain
        self._add_link({**attributes, "rel": relation, "type": kind})
        if relation == "alternate" and kind in ("text/html", "html", "xhtml", "application/xhtml+xml"):
            self._entries[-1]["link"] = attributes["href"]

    def enclosure(self, attributes: dict[str, str], _: str) -> None:
        found = {**attributes, "href": _not_empty(attributes.get("url", "")), "rel": "enclosure"}
        del found["url"]
        if "type" in found:
            found["type"] = found["type"].lower()
        self._add_link(found)

    def media(self, attributes: dict[str, str], text: str) -> None:
        """Add a picture or a film, or its preview."""
        if text:
            raise NotPlain
        found = {name.lower(): value for name, value in attributes.items()}
        if "type" in found:
            found["type"] = found["type"].lower()
        self._entries[-1].setdefault(self._field, []).append(found)

    def _add_link(self, link: dict[str, str]) -> None:
        self._entries[-1].setdefault("links", []).append(link)

    def category(self, attributes: dict[str, str], text: str) -> None:
        if self._format != "rss" and text:
            raise NotPlain
        term, label = attributes.get("term"), attributes.get("label")
        tag = {"term": term or _repaired(text), "label": label}
        if tag["term"] or label:
            self._entries[-1].setdefault("tags", []).append(tag)

    def author(self, _: dict[str, str], text: str) -> None:
        self._entries[-1].setdefault("authors", []).append({"name": _repaired(text)})

    def person(self, _: dict[str, str], text: str) -> None:
        if text:
            raise NotPlain
        self._entries[-1].setdefault("authors", []).append(self._person)

    def original(self, _: dict[str, str], text: str) -> None:
        self._entries[-1][self._field] = _repaired(text)

    def published(self, _: dict[str, str], text: str) -> None:
        self._entries[-1]["published"] = _repaired(text)

    def updated(self, _: dict[str, str], text: str) -> None:
        self._entries[-1]["updated"] = _repaired(text)

    def unused(self, _: dict[str, str], text: str) -> None:
        """Ignore an element that no article needs."""


def _not_empty(text: str) -> str:
    if not text:
        raise NotPlain
    return text


def _repaired(text: str) -> str:
    """Undo what feedparser undoes: an encoding that was applied twice, and control characters of a wrong one."""
    if text.isascii():
        return text
    with suppress(UnicodeError):
        text = text.encode("iso-8859-1").decode("utf-8")
    return text.translate(_WINDOWS_1252) if _C1.search(text) else text


_Field = tuple[str, frozenset[str], Callable[[PlainItems, dict[str, str], str], None]]
_NONE: frozenset[str] = frozenset()
_TYPE = frozenset({"type"})
_LINK = frozenset({"href", "rel", "type", "title", "hreflang", "length", f"{_THREADS}count", f"{_THREADS}updated"})
_MEDIA = {
    f"{_MEDIA_RSS}thumbnail": ("media_thumbnail", frozenset({"url", "width", "height"}), PlainItems.media),
    f"{_MEDIA_RSS}content": (
        "media_content",
        frozenset({"url", "type", "medium", "width", "height", "fileSize", "duration", "isDefault"}),
        PlainItems.media,
    ),
}
_REPEATED = frozenset({"author", "person", "category", "link", "enclosure", "media_content", "media_thumbnail"})

_RSS_FIELDS: dict[str, _Field] = {
    "title": ("title", _NONE, PlainItems.title),
    "link": ("rss link", _NONE, PlainItems.link),
    "description": ("summary", _NONE, PlainItems.summary),
    _ENCODED: ("content", _NONE, PlainItems.content),
    "guid": ("id", frozenset({"isPermaLink"}), PlainItems.id),
    "pubDate": ("published", _NONE, PlainItems.published),
    f"{_DUBLIN_CORE}date": ("updated", _NONE, PlainItems.updated),
    f"{_FEEDBURNER}origLink": ("feedburner_origlink", _NONE, PlainItems.original),
    "author": ("author", _NONE, PlainItems.author),
    f"{_DUBLIN_CORE}creator": ("author", _NONE, PlainItems.author),
    "category": ("category", frozenset({"domain"}), PlainItems.category),
    "enclosure": ("enclosure", frozenset({"url", "type", "length"}), PlainItems.enclosure),
    f"{_ATOM}link": ("link", _LINK, PlainItems.atom_link),
    "comments": ("comments", _NONE, PlainItems.unused),
    "com-wordpress:feed-additions:1 post-id": ("post-id", _NONE, PlainItems.unused),
    **_MEDIA,
}
_ATOM_FIELDS: dict[str, _Field] = {
    f"{_ATOM}title": ("title", _TYPE, PlainItems.title),
    f"{_ATOM}link": ("link", _LINK, PlainItems.atom_link),
    f"{_ATOM}summary": ("summary", _TYPE, PlainItems.summary),
    f"{_ATOM}content": ("content", _TYPE, PlainItems.content),
    f"{_ATOM}id": ("id", _NONE, PlainItems.id),
    f"{_ATOM}published": ("published", _NONE, PlainItems.published),
    f"{_ATOM}updated": ("updated", _NONE, PlainItems.updated),
    f"{_FEEDBURNER}origLink": ("feedburner_origlink", _NONE, PlainItems.original),
    f"{_ATOM}author": ("person", _NONE, PlainItems.person),
    f"{_ATOM}category": ("category", frozenset({"term", "scheme", "label"}), PlainItems.category),
    **_MEDIA,
}
"""By element: its field, its allowed attributes, and the method that is called at its end."""
