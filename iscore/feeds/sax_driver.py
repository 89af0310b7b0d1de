"""The XML driver that feedparser is given: expat, asked for whole texts and spared what nobody reads.

``xml.sax.make_parser`` imports a driver by its module's name and calls ``create_parser``. The events are
those of the standard driver but for two things: a text comes in one piece instead of one per line and entity,
and elements of modules that carry nothing an article needs do not come at all. feedparser spends its time per
event.
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


class Driver(expatreader.ExpatParser):
    """The standard driver with the two differences above."""

    _parser: Any
    _cont_handler: Any
    _tags: dict[str, str]
    _depth_unread = 0

    def reset(self) -> None:
        """Prepare for a document."""
        super().reset()
        self._depth_unread = 0
        self._tags = {}
        self._parser.buffer_text = True
        self._parser.buffer_size = 1 << 16

    def start_element_ns(self, name: str, attrs: Mapping[str, str]) -> None:
        """An element begins; ``name`` is namespace, local name and prefix with spaces between."""
        if self._depth_unread or name.startswith(_UNREAD):
            self._depth_unread += 1
            self._parser.CharacterDataHandler = None
        elif attrs or self._cont_handler.decls or not (tag := self._tag(name)):
            super().start_element_ns(name, attrs)
        else:
            self._cont_handler.unknown_starttag(tag, [])

    def end_element_ns(self, name: str) -> None:
        """An element ends."""
        if self._depth_unread:
            self._depth_unread -= 1
            if not self._depth_unread:
                self._parser.CharacterDataHandler = self._cont_handler.characters
        elif tag := self._tag(name):
            self._cont_handler.unknown_endtag(tag)
        else:
            super().end_element_ns(name)

    def _tag(self, name: str) -> str:
        """What feedparser calls the element, or empty when that depends on more than the element's name.

        It is what its ``startElementNS`` and ``endElementNS`` work out again for every tag.
        """
        tag = self._tags.get(name)
        if tag is None:
            space, local, *_ = name.lower().split() if " " in name else ("", name.lower())
            prefix = self._cont_handler._matchnamespaces.get(space, "").lower()
            plain = "" if space else local
            tag = f"{prefix}:{local}" if prefix else plain
            self._tags[name] = tag
        return tag


def create_parser() -> Driver:
    """Make a driver; the name is what ``xml.sax`` looks for."""
    return Driver()
