"""The XML driver for feedparser: expat with fewer events, since feedparser takes its time per event.

``xml.sax.make_parser`` imports a driver by its module's name and calls ``create_parser``. The events are those of the
standard driver with two differences: a text is one event instead of one per line and entity, and elements of modules
that no article needs are left out, except within a text. Elements of other modules within them are not left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.sax import expatreader

IGNORED = (
    "http://purl.org/rss/1.0/modules/slash/",
    "http://purl.org/syndication/thread/1.0",
    "http://rssnamespace.org/feedburner/ext/1.0",
    "http://wellformedweb.org/CommentAPI/",
    "http://www.georss.org/georss",
    "http://www.opengis.net/gml",
    "http://www.w3.org/2003/01/geo/wgs84_pos#",
    "http://podlove.org/simple-chapters",
)
"""Modules whose elements no article needs."""
_WITH_ATTRIBUTE = ("http://www.w3.org/1998/math/mathml", "http://www.w3.org/2000/svg")
"""Namespaces to whose elements feedparser adds an attribute."""


class Driver(expatreader.ExpatParser):
    """The standard driver with the two differences above."""

    _parser: Any
    _cont_handler: Any
    _tags: dict[str, str]
    _read: list[bool]
    """Of the outermost open element that is ignored and of those within it: whether they are read."""

    def reset(self) -> None:
        """Prepare for a document."""
        super().reset()
        self._read = []
        self._tags = {}
        self._parser.buffer_text = True
        self._parser.buffer_size = 1 << 16

    def start_namespace_decl(self, prefix: str | None, uri: str) -> None:
        """A namespace is declared: names of elements may change."""
        super().start_namespace_decl(prefix, uri)
        self._tags.clear()

    def start_element_ns(self, name: str, attrs: Mapping[str, str]) -> None:
        """An element begins; ``name`` is namespace, local name and prefix with spaces between."""
        ignored = name.startswith(IGNORED) and not self._in_text() and not any(" " in attribute for attribute in attrs)
        if self._read or ignored:
            self._read.append(not ignored)
            self._set_text_handler()
            if not self._read[-1]:
                self._cont_handler.depth += 1
                return
        if self._cont_handler.decls or not (tag := self._tag(name)):
            super().start_element_ns(name, attrs)
        elif not attrs:
            self._cont_handler.unknown_starttag(tag, [])
        elif any(" " in attribute for attribute in attrs):  # one with a namespace, such as xml:lang
            super().start_element_ns(name, attrs)
        else:
            lowered = {attribute.lower(): value for attribute, value in attrs.items()}
            self._cont_handler.unknown_starttag(tag, list(lowered.items()))

    def end_element_ns(self, name: str) -> None:
        """An element ends."""
        if self._read:
            read = self._read.pop()
            self._set_text_handler()
            if not read:
                self._cont_handler.depth -= 1
                return
        if tag := self._tag(name):
            self._cont_handler.unknown_endtag(tag)
        else:
            super().end_element_ns(name)

    def _in_text(self) -> bool:
        """Whether feedparser is within a text, of which nothing may be left out."""
        open_elements = self._cont_handler.elementstack
        return bool(self._cont_handler.incontent or (open_elements and open_elements[-1][1]))

    def _set_text_handler(self) -> None:
        """Pass on text only if the innermost open element is read."""
        self._parser.CharacterDataHandler = self._cont_handler.characters if not self._read or self._read[-1] else None

    def _tag(self, name: str) -> str:
        """The name that feedparser's ``startElementNS`` and ``endElementNS`` compute for every tag; empty when that
        depends on more than the element's name and the namespaces."""
        tag = self._tags.get(name)
        if tag is None:
            space, local, *_ = name.split() if " " in name else ("", name)
            tag = self._tags[name] = "" if space.lower() in _WITH_ATTRIBUTE else self._prefixed(space, local).lower()
        return tag

    def _prefixed(self, space: str, local: str) -> str:
        handler = self._cont_handler
        prefix = handler._matchnamespaces.get(space.lower())
        if not prefix and space:
            # A namespace without a name in feedparser has the first prefix of the document.
            prefix = next((known for known, uri in handler.namespaces_in_use.items() if known and uri == space), "")
        return f"{prefix}:{local}" if prefix else local


def create_parser() -> Driver:
    """Make a driver; the name is what ``xml.sax`` looks for."""
    return Driver()
