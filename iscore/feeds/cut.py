"""Where the items of a feed lie in its bytes, so that those already known can be left out before parsing.

One pass of expat, which is cheap, finds them; feedparser, which is not, then sees only what is new. The pass
is strict: whatever is unusual (not well-formed, a document type, a layout that is neither RSS, RDF nor Atom,
a prefix that means two things) is answered by None, and the document goes to feedparser whole. Cutting
changes nothing of the remaining items: everything they inherit stays in the document.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from html import unescape
from xml.parsers import expat

from iscore.feeds.urls import same_page

HASH_SIZE = 8

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns# "
_ATOMS = ("http://www.w3.org/2005/Atom ", "http://purl.org/atom/ns# ")
_RSS_ONES = ("http://purl.org/rss/1.0/ ", "http://my.netscape.com/rdf/simple/0.9/ ")
_DUBLIN_CORE = "http://purl.org/dc/elements/1.1/ "

_LAYOUTS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("rss", "channel"): ("item",),
    (f"{_RDF}RDF",): tuple(f"{space}item" for space in _RSS_ONES),
    **{(f"{space}feed",): (f"{space}entry",) for space in _ATOMS},
}
"""The elements around the items → what an item is called there."""

_SPACES = ("", *_ATOMS, *_RSS_ONES)
_IDS = frozenset(space + name for space in _SPACES for name in ("guid", "id"))
_LINKS = frozenset(space + "link" for space in ("", *_RSS_ONES))
_DATES = frozenset(
    {space + name for space in _SPACES for name in ("pubDate", "published", "updated", "modified", "issued")}
    | {f"{_DUBLIN_CORE}date"}
)
_INHERITED = frozenset({"language", f"{_DUBLIN_CORE}language"} | {f"{space}author" for space in _ATOMS})
"""Elements of the feed that its entries fall back on."""

_CDATA = re.compile(rb"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a document."""

    start: int
    """Offset of its first byte."""
    end: int
    """Offset behind its last byte."""
    identity: str
    """Its id, else the page it links to, as far as it can be told from the bytes; empty if neither."""
    date: str
    """Its date as written, or empty."""
    hash: bytes
    """8 bytes over the item, what it inherits and where the document came from."""


class _Unusual(Exception):  # noqa: N818 -- not an error: the document is left to feedparser
    """The document is not of a kind that is cut."""


def find_items(document: bytes, url: str) -> tuple[Item, ...] | None:
    """Return the items of a document in UTF-8, in their order, or None when it has to be parsed whole."""
    scan = _Scan(document)
    try:
        scan.parser.Parse(document, True)
    except (expat.ExpatError, _Unusual):
        return None
    if scan.item_names is None:
        return None
    context = blake2b("\x1f".join((url, *scan.context)).encode(), digest_size=32).digest()
    return tuple(
        Item(
            start,
            end,
            identity,
            date,
            blake2b(document[start:end], digest_size=HASH_SIZE, key=context).digest(),
        )
        for start, end, identity, date in scan.items
    )


def split(hashes: bytes) -> frozenset[bytes]:
    """Return the hashes that were joined to one string of bytes."""
    return frozenset(hashes[start : start + HASH_SIZE] for start in range(0, len(hashes), HASH_SIZE))


def identities_differ(items: Iterable[Item]) -> bool:
    """Whether every item has an identity of its own. Only then can some be left out: identity is relative."""
    counts = Counter(item.identity for item in items)
    return not counts[""] and all(count == 1 for count in counts.values())


def without(document: bytes, left_out: Iterable[Item]) -> bytes:
    """Return the document without some of its items, given in their order."""
    pieces, position = [], 0
    for item in left_out:
        pieces.append(document[position : item.start])
        position = item.end
    pieces.append(document[position:])
    return b"".join(pieces)


class _Scan:
    """The state of one pass. Offsets are expat's, which count the bytes of the document."""

    def __init__(self, document: bytes) -> None:
        self.document = document
        self.items: list[tuple[int, int, str, str]] = []
        self.item_names: tuple[str, ...] | None = None
        self.context: list[str] = []
        self._path: list[str] = []
        self._depth = 0
        self._item_depth = 0
        self._item_start = -1
        self._field = ""
        self._field_start = 0
        self._id = self._link = self._date = ""
        self._prefixes: dict[str, str] = {}
        self._spaces: dict[str, str] = {}
        self.parser = parser = expat.ParserCreate(encoding="utf-8", namespace_separator=" ")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartNamespaceDeclHandler = self._declare
        parser.StartDoctypeDeclHandler = self._refuse

    def _refuse(self, *_: object) -> None:
        raise _Unusual

    def _declare(self, prefix: str | None, uri: str | None) -> None:
        # feedparser has one table of prefixes per document, so one item's could change another's meaning.
        if prefix and (
            self._prefixes.setdefault(prefix, uri or "") != uri or self._spaces.setdefault(uri, prefix) != prefix
        ):
            raise _Unusual
        if not prefix and self._item_start < 0:
            self.context.append(f"xmlns={uri}")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self.item_names is None:
            self._outside(name, attributes)
        elif self._depth == self._item_depth:
            if name in self.item_names:
                self._item_start = self.parser.CurrentByteIndex
                self._id, self._link, self._date = attributes.get(f"{_RDF}about", "").strip(), "", ""
            elif name in _INHERITED:
                self._open(name)
        elif (
            self._depth == self._item_depth + 1
            and self._item_start >= 0
            and (name in _IDS or name in _LINKS or name in _DATES)
        ):
            self._open(name)

    def _outside(self, name: str, attributes: dict[str, str]) -> None:
        """Follow the elements that lead to the items; their attributes (language, base) are inherited."""
        self._path.append(name)
        self.context.append(f"{name} {sorted(attributes.items())}")
        path = tuple(self._path)
        if path in _LAYOUTS:
            self.item_names = _LAYOUTS[path]
            self._item_depth = self._depth + 1
        elif not any(layout[: len(path)] == path for layout in _LAYOUTS):
            raise _Unusual

    def _open(self, name: str) -> None:
        self._field = name
        self._field_start = self.parser.CurrentByteIndex

    def _end(self, name: str) -> None:
        depth, self._depth = self._depth, self._depth - 1
        if self.item_names is None:
            raise _Unusual
        if depth == self._item_depth:
            if self._item_start >= 0 and name in self.item_names:
                self._end_item()
            elif self._field == name:
                self.context.append(self._field_text())
        elif depth == self._item_depth + 1 and self._field == name:
            self._end_field(name)

    def _end_item(self) -> None:
        index = self.parser.CurrentByteIndex
        # Of an empty element expat gives the offset behind it, of any other that of its end tag.
        closing = self.document.startswith(b"</", index) and not self._is_empty(index)
        end = self.document.index(b">", index) + 1 if closing else index
        identity = self._id or (same_page(self._link) or self._link)
        self.items.append((self._item_start, end, identity, self._date))
        self._item_start = -1

    def _is_empty(self, index: int) -> bool:
        """Whether the item is one empty tag: it then ends where the next thing begins."""
        return self.document.endswith(b"/>", 0, index) and self.document.find(b">", self._item_start) == index - 1

    def _end_field(self, name: str) -> None:
        text = self._field_text()
        if name in _IDS:
            self._id = text
        elif name in _DATES:
            self._date = self._date or text
        elif text:
            self._link = text

    def _field_text(self) -> str:
        """The text of the element that ends here, as it will be after parsing, or nearly so."""
        self._field = ""
        raw = self.document[self._field_start : self.parser.CurrentByteIndex]
        text = _CDATA.sub(rb"\1", raw[raw.find(b">") + 1 :])
        return unescape(text.decode("utf-8", "replace")).strip()
