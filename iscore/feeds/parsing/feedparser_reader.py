"""feedparser, set up for safety and speed. Import this only where documents are parsed.

feedparser is the most faithful parser there is, and slow. Three things make it faster without changing its results:

- ``html_to_text`` cleans the texts. feedparser's own sanitiser takes half its time.
- ``Driver`` delivers fewer XML events, since feedparser takes its time per event.
- Some inner functions, which feedparser calls for every element, mostly with the same arguments, are cached or
  shortened.

These are private parts of feedparser. pyproject.toml limits its version; tests name each part, and compare the results
with those of feedparser alone on real feeds.

``xml.sax.make_parser`` imports this module by its name and calls ``create_parser``.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from copy import deepcopy
from functools import lru_cache
from typing import Any
from xml.sax import expatreader

import feedparser
import feedparser.api
import feedparser.mixin
from feedparser.util import FeedParserDict

from iscore.feeds.errors import NotAFeedError

_BAD_REFERENCE = re.compile(
    rb"&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|[xX]0*(?:[0-8bcefBCEF]|1[\da-fA-F]|[dD][89a-fA-F]..)"
    rb"|\d{8,}|[xX][\da-fA-F]{7,});?"
)
"""References to characters that do not exist. feedparser's parser for damaged documents fails on some."""

_TRANSLATED = frozenset(FeedParserDict.keymap) | {
    "category",
    "enclosures",
    "license",
    "updated",
    "updated_parsed",
}
"""Keys that feedparser's dictionaries translate."""

_feedparser_get = FeedParserDict.get


def _get(self: dict[str, Any], key: str, default: Any = None) -> Any:
    return _feedparser_get(self, key, default) if key in _TRANSLATED else dict.get(self, key, default)


def _deepcopy(self: dict[str, Any], memo: dict[int, Any]) -> Any:
    return FeedParserDict(
        (name, value if isinstance(value, str) else deepcopy(value, memo)) for name, value in self.items()
    )


def _tune() -> None:
    # Called at every start tag, though few documents have more than one base URL.
    feedparser.mixin.make_safe_absolute_uri = lru_cache(maxsize=64)(feedparser.mixin.make_safe_absolute_uri)
    # Called at every piece of text.
    FeedParserDict.get = _get
    # Called for every text's content type and language.
    FeedParserDict.__deepcopy__ = _deepcopy
    # An id stays as the publisher wrote it. If it were made absolute, it would change when the feed moves.
    mixin = feedparser.mixin._FeedParserMixin
    mixin.can_be_relative_uri = mixin.can_be_relative_uri - {"id"}
    feedparser.api.PREFERRED_XML_PARSERS = [__name__]


_tune()


def read(document: bytes, url: str) -> Any:
    """Return feedparser's result (``feed``, ``entries``, ``version``) for a document in UTF-8 from ``url``.

    Texts are the publisher's markup, unchanged. Raises ``NotAFeedError`` if feedparser fails.
    """
    try:
        return _parse(document, url)
    except MemoryError:
        raise  # this process is of no further use
    except Exception:
        # feedparser passes on any error of its handlers.
        try:
            return _parse(_BAD_REFERENCE.sub(b"", document), url)
        except MemoryError:
            raise
        except Exception as error:
            raise NotAFeedError(f"the document cannot be read ({type(error).__name__})") from error


def _parse(document: bytes, url: str) -> Any:
    headers = {"content-type": "application/xml; charset=utf-8", "content-location": url}
    # feedparser would open a str that is a path or a URL. It only reads a stream.
    return feedparser.parse(
        io.BytesIO(document), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
    )


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
    """The standard XML driver (expat) with two differences.

    A text is one event instead of one per line and entity. Elements of the modules in ``IGNORED`` are left out, except
    within a text; elements of other modules within them are not left out.
    """

    _parser: Any
    _cont_handler: Any
    _tags: dict[str, str]
    _read: list[bool]
    """For the outermost open element that is ignored, and for those within it: whether it is read."""

    def reset(self) -> None:
        """Prepare for a document."""
        super().reset()
        self._read = []
        self._tags = {}
        self._parser.buffer_text = True
        self._parser.buffer_size = 1 << 16

    def start_namespace_decl(self, prefix: str | None, uri: str) -> None:
        """Declare a namespace. Names of elements may change."""
        super().start_namespace_decl(prefix, uri)
        self._tags.clear()

    def start_element_ns(self, name: str, attrs: Mapping[str, str]) -> None:
        """Begin an element. ``name`` is namespace, local name and prefix, separated by spaces."""
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
        """End an element."""
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
        """Whether feedparser is within a text, where nothing may be left out."""
        open_elements = self._cont_handler.elementstack
        return bool(self._cont_handler.incontent or (open_elements and open_elements[-1][1]))

    def _set_text_handler(self) -> None:
        """Pass on text only if the innermost open element is read."""
        self._parser.CharacterDataHandler = self._cont_handler.characters if not self._read or self._read[-1] else None

    def _tag(self, name: str) -> str:
        """Return the name that feedparser's ``startElementNS`` and ``endElementNS`` compute for every tag. Empty if
        that depends on more than the element's name and the namespaces."""
        tag = self._tags.get(name)
        if tag is None:
            space, local, *_ = name.split() if " " in name else ("", name)
            tag = self._tags[name] = "" if space.lower() in _WITH_ATTRIBUTE else self._prefixed(space, local).lower()
        return tag

    def _prefixed(self, space: str, local: str) -> str:
        handler = self._cont_handler
        prefix = handler._matchnamespaces.get(space.lower())
        if not prefix and space:
            # A namespace that feedparser does not know has the first prefix that the document gives it.
            prefix = next((known for known, uri in handler.namespaces_in_use.items() if known and uri == space), "")
        return f"{prefix}:{local}" if prefix else local


def create_parser() -> Driver:
    """Return a driver. ``xml.sax`` looks for this name."""
    return Driver()
