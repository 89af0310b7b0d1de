"""The XML driver that feedparser is given: expat, asked for whole texts and spared what nobody reads.

``xml.sax.make_parser`` imports a driver by its module's name and calls ``create_parser``. The events are
those of the standard driver but for two things: a text comes in one piece instead of one per line and entity,
and elements of modules that carry nothing an article needs do not come, though others within them do, and all that
stand within a text. feedparser spends its time per event.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.sax import expatreader

_UNREAD = (
    "http://purl.org/rss/1.0/modules/slash/",
    "http://purl.org/syndication/thread/1.0",
    "http://rssnamespace.org/feedburner/ext/1.0",
    "http://wellformedweb.org/CommentAPI/",
    "http://www.georss.org/georss",
    "http://www.opengis.net/gml",
    "http://www.w3.org/2003/01/geo/wgs84_pos#",
    "http://podlove.org/simple-chapters",
)
_DRAWN = ("http://www.w3.org/1998/math/mathml", "http://www.w3.org/2000/svg")
"""Namespaces whose elements get an attribute from feedparser itself."""


class Driver(expatreader.ExpatParser):
    """The standard driver with the two differences above."""

    _parser: Any
    _cont_handler: Any
    _tags: dict[str, str]
    _read: list[bool]
    """Of the outermost open element that is not read and of those within it: whether they are."""

    def reset(self) -> None:
        """Prepare for a document."""
        super().reset()
        self._read = []
        self._tags = {}
        self._parser.buffer_text = True
        self._parser.buffer_size = 1 << 16

    def start_namespace_decl(self, prefix: str | None, uri: str) -> None:
        """A namespace is declared: elements may have other names from here on."""
        super().start_namespace_decl(prefix, uri)
        self._tags.clear()

    def start_element_ns(self, name: str, attrs: Mapping[str, str]) -> None:
        """An element begins; ``name`` is namespace, local name and prefix with spaces between."""
        unread = name.startswith(_UNREAD) and not self._in_text() and not any(" " in attribute for attribute in attrs)
        if self._read or unread:
            self._read.append(not unread)
            self._hear()
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
            self._hear()
            if not read:
                self._cont_handler.depth -= 1
                return
        if tag := self._tag(name):
            self._cont_handler.unknown_endtag(tag)
        else:
            super().end_element_ns(name)

    def _in_text(self) -> bool:
        """Whether feedparser is within a text, which has all that stands in it."""
        open_elements = self._cont_handler.elementstack
        return bool(self._cont_handler.incontent or (open_elements and open_elements[-1][1]))

    def _hear(self) -> None:
        """Take text or leave it, as the innermost open element is read or not."""
        self._parser.CharacterDataHandler = self._cont_handler.characters if not self._read or self._read[-1] else None

    def _tag(self, name: str) -> str:
        """What feedparser calls the element, or empty when that depends on more than its name and the namespaces.

        It is what its ``startElementNS`` and ``endElementNS`` work out again for every tag.
        """
        tag = self._tags.get(name)
        if tag is None:
            space, local, *_ = name.split() if " " in name else ("", name)
            tag = self._tags[name] = "" if space.lower() in _DRAWN else self._prefixed(space, local).lower()
        return tag

    def _prefixed(self, space: str, local: str) -> str:
        handler = self._cont_handler
        prefix = handler._matchnamespaces.get(space.lower())
        if not prefix and space:
            # One that feedparser does not know, or does not name, has the first prefix that the document gave it.
            prefix = next((known for known, uri in handler.namespaces_in_use.items() if known and uri == space), "")
        return f"{prefix}:{local}" if prefix else local


def create_parser() -> Driver:
    """Make a driver; the name is what ``xml.sax`` looks for."""
    return Driver()
