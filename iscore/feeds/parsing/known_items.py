"""Finds the items of a feed in its bytes, so that known ones can be left out before parsing.

One pass of expat, which is cheap, finds the positions of the items and what they inherit. feedparser, which is slow,
then sees only new items. These do not change, since everything that they inherit stays in the document. Unusual
documents go to feedparser whole: the pass refuses everything that could make feedparser see other items, or make one
item change how feedparser reads the next:

- what is not well-formed, a document type, a layout that is neither RSS, RDF nor Atom, a prefix with two meanings;
- elements that feedparser takes for the structure of a feed, in other places;
- markup within a text that is not declared as XHTML: feedparser interprets its tags, and loses track of open ones;
- an id or a link that is not plain text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from html import unescape
from xml.parsers import expat

from iscore.feeds.urls import page_key

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
"""The elements around the items, and the names of an item there."""

_SPACES = ("", *_ATOMS, *_RSS_ONES)
_IDS = frozenset(space + name for space in _SPACES for name in ("guid", "id"))
_LINKS = frozenset(space + "link" for space in ("", *_RSS_ONES))
_DATES = frozenset(
    {space + name for space in _SPACES for name in ("pubDate", "published", "updated", "modified", "issued")}
    | {f"{_DUBLIN_CORE}date"}
)
_FIELDS = _IDS | _LINKS | _DATES
_OTHER_LINKS = frozenset(space + "link" for space in _ATOMS)
_SOURCES = frozenset(space + "source" for space in _SPACES)

_INHERITED = frozenset({"language", "author", "creator", "managingeditor"})
"""Elements of the feed that are defaults for its entries, in any namespace and anywhere outside items."""
_STRUCTURE = frozenset({"item", "entry", "channel", "feed", "rss"})
"""Elements that feedparser takes for the structure of a feed anywhere, in capitals too."""
_TEXTS = frozenset(
    {"title", "subtitle", "tagline", "summary", "description", "abstract", "content", "encoded", "body", "fullitem"}
    | {"full-text", "full_text", "fulltext"}
    | {"rights", "copyright", "info", "browserfriendly"}
)
"""Elements whose text may be markup, in any namespace."""
_NO_TEXTS = ("http://search.yahoo.com/mrss/ content", "http://search.yahoo.com/mrss content")
_MARKUP = ("http://www.w3.org/1999/xhtml ", "http://www.w3.org/2000/svg ", "http://www.w3.org/1998/Math/MathML ")
_XHTML = ("xhtml", "application/xhtml+xml")

_CDATA = re.compile(rb"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_START_TAG = re.compile(rb"""<(?:[^"'>]++|"[^"]*+"|'[^']*+')*+>""")


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a document."""

    start: int
    """Offset of its first byte."""
    end: int
    """Offset after its last byte."""
    identity: str
    """The id, else the page that it links to, as far as the bytes show; empty if it has neither."""
    has_id: bool
    """Whether ``identity`` is its id."""
    date: str
    """The date as written, or empty."""
    hash: bytes
    """8 bytes, computed from the item, what it inherits, and the address of the document."""


def find_items(document: bytes, url: str) -> tuple[Item, ...] | None:
    """Return the items of a document in UTF-8, in their order, or None if it must be parsed whole."""
    scan = ItemScan(document)
    try:
        scan.run()
    except (expat.ExpatError, Unusual):
        return None
    if scan.item_names is None:
        return None
    context = blake2b("\x1f".join((url, *scan.context)).encode(), digest_size=32).digest()
    return tuple(
        Item(
            start,
            end,
            identity,
            has_id,
            date,
            blake2b(document[start:end], digest_size=HASH_SIZE, key=context).digest(),
        )
        for start, end, identity, has_id, date in scan.items
    )


def split_hashes(hashes: bytes) -> frozenset[bytes]:
    """Split joined hashes."""
    return frozenset(hashes[start : start + HASH_SIZE] for start in range(0, len(hashes), HASH_SIZE))


def have_distinct_identities(items: Iterable[Item]) -> bool:
    """Whether every item has a different identity. Only then can some be left out, since the key of an item depends on
    the others.

    Ids and pages may not be mixed: an item without an id is identified by its page only if no other item links to that
    page, and an item with an id may link anywhere.
    """
    items = tuple(items)
    counts = Counter(item.identity for item in items)
    mixed = len({item.has_id for item in items}) > 1
    return not mixed and not counts[""] and all(count == 1 for count in counts.values())


def without_items(document: bytes, unwanted: Iterable[Item]) -> bytes:
    """Return the document without some of its items, given in their order."""
    pieces, position = [], 0
    for item in unwanted:
        pieces.append(document[position : item.start])
        position = item.end
    pieces.append(document[position:])
    return b"".join(pieces)


class Unusual(Exception):  # noqa: N818 -- not an error: the document is left to feedparser
    """The document must be parsed whole."""


class ItemScan:
    """The state of one pass. Offsets are those of expat, in bytes of the document in UTF-8."""

    def __init__(self, document: bytes) -> None:
        self.items: list[tuple[int, int, str, bool, str]] = []
        """Start, end, identity, whether that is an id, and date of each item; see ``Item``."""
        self.item_names: tuple[str, ...] | None = None
        self.context: list[str] = []
        """All that items inherit, as texts."""
        self._document = document
        self._path: list[str] = []
        self._depth = 0
        self._item_depth = 0
        self._item_start = -1
        self._field = ""
        self._field_depth = 0
        self._field_start = 0
        self._text_depth = 0
        self._text_is_xhtml = False
        self._id = self._link = self._date = ""
        self._known_by_page = True
        self._in_source = False
        self._prefixes: dict[str, str] = {}
        self._spaces: dict[str, str] = {}
        self._texts: dict[str, bool] = {}
        self._parser = parser = expat.ParserCreate(encoding="utf-8", namespace_separator=" ")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartNamespaceDeclHandler = self._declare
        parser.StartDoctypeDeclHandler = self._refuse

    def run(self) -> None:
        """Scan the document. Raises ``expat.ExpatError``, ``Unusual``."""
        self._parser.Parse(self._document, True)

    def _refuse(self, *_: object) -> None:
        raise Unusual

    def _declare(self, prefix: str | None, uri: str | None) -> None:
        # feedparser has one table of prefixes per document, so prefixes of one item could change the meaning of
        # another.
        if prefix and (
            self._prefixes.setdefault(prefix, uri or "") != uri or self._spaces.setdefault(uri, prefix) != prefix
        ):
            raise Unusual
        if not prefix and self._item_start < 0:
            self.context.append(f"xmlns={uri}")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self.item_names is None:
            self._outside(name, attributes)
        elif self._depth == self._item_depth and name in self.item_names:
            self._item_start = self._parser.CurrentByteIndex
            self._id, self._link, self._date = attributes.get(f"{_RDF}about", "").strip(), "", ""
            self._known_by_page = True
        else:
            self._within_texts(name, attributes)
            if self._item_start >= 0:
                self._inside(name)
            elif not self._field and name.rpartition(" ")[2].lower() in _INHERITED:
                self._open(name)

    def _outside(self, name: str, attributes: dict[str, str]) -> None:
        """Check the elements around the items. Their attributes (language, base) are inherited."""
        self._path.append(name)
        self.context.append(f"{name} {sorted(attributes.items())}")
        path = tuple(self._path)
        if path in _LAYOUTS:
            self.item_names = _LAYOUTS[path]
            self._item_depth = self._depth + 1
        elif not any(layout[: len(path)] == path for layout in _LAYOUTS):
            raise Unusual

    def _within_texts(self, name: str, attributes: dict[str, str]) -> None:
        if self._text_depth:
            if not self._text_is_xhtml or not name.startswith(_MARKUP) or name.endswith(" body"):
                raise Unusual
        elif self._is_text(name):
            behind_items = self.items and self._item_start < 0 and self._depth > self._item_depth
            if behind_items and name.endswith("title"):
                raise Unusual  # whether it is the feed's title depends on the items before it
            self._text_depth = self._depth
            self._text_is_xhtml = attributes.get("type", "").lower() in _XHTML

    def _inside(self, name: str) -> None:
        """Begin an element within an item."""
        if self._depth == self._item_depth + 1:
            if name in _FIELDS:
                self._open(name)
            elif name in _OTHER_LINKS:
                self._known_by_page = False
            elif name in _SOURCES:
                self._in_source = True
        elif name in _IDS and not self._in_source:
            self._known_by_page = False

    def _is_text(self, name: str) -> bool:
        """Whether the element's text may be markup.

        Raises ``Unusual`` for an element that feedparser could take for an item, the end of an item, or its id.
        """
        known = self._texts.get(name)
        if known is None:
            space, _, local = name.rpartition(" ")
            local = local.lower()
            plain = not space or f"{space} " in _SPACES or space not in self._spaces
            if plain and self._depth > self._item_depth and local in _STRUCTURE:
                raise Unusual
            if plain and local in ("guid", "id") and name not in _IDS:
                raise Unusual
            known = local in _TEXTS and name not in _NO_TEXTS
            if self._depth > self._item_depth or local not in _STRUCTURE:
                self._texts[name] = known
        return known

    def _open(self, name: str) -> None:
        self._field = name
        self._field_depth = self._depth
        self._field_start = self._parser.CurrentByteIndex

    def _end(self, name: str) -> None:
        depth, self._depth = self._depth, self._depth - 1
        if self.item_names is None:
            raise Unusual
        if depth == self._text_depth:
            self._text_depth = 0
        if self._field and depth == self._field_depth:
            if self._item_start >= 0:
                self._end_field(name)
            else:
                self.context.append(self._field_bytes().decode("utf-8", "replace"))
        if depth == self._item_depth + 1:
            self._in_source = False
        elif depth == self._item_depth and self._item_start >= 0:
            self._end_item()

    def _end_item(self) -> None:
        tag = _START_TAG.match(self._document, self._item_start)
        if tag is None:
            raise Unusual
        # Expat's offset is after an empty element, but at the end tag of any other.
        empty = tag[0].endswith(b"/>")
        end = tag.end() if empty else self._document.index(b">", self._parser.CurrentByteIndex) + 1
        page = (page_key(self._link) or self._link) if self._known_by_page else ""
        self.items.append((self._item_start, end, self._id or page, bool(self._id), self._date))
        self._item_start = -1

    def _end_field(self, name: str) -> None:
        """Store the text of an element, almost as parsing will return it."""
        raw = self._field_bytes()
        tag = _START_TAG.match(raw)
        raw = _CDATA.sub(_escaped, raw[tag.end() if tag else 0 :])
        if b"<" in raw:
            raise Unusual  # markup or a comment, which feedparser drops in part
        text = unescape(raw.decode("utf-8", "replace")).strip()
        if name in _IDS:
            self._id = text
        elif name in _DATES:
            self._date = self._date or text
        elif text:
            self._link = text

    def _field_bytes(self) -> bytes:
        """Return the bytes of the open element up to its end tag."""
        self._field = ""
        return self._document[self._field_start : self._parser.CurrentByteIndex]


def _escaped(section: re.Match[bytes]) -> bytes:
    return section[1].replace(b"&", b"&amp;").replace(b"<", b"&lt;")
