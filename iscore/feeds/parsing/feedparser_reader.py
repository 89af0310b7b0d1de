"""feedparser, set up for safety and speed. Imported only where documents are parsed.

It is the most faithful parser there is, and slow. Three things make it cheaper without changing what it finds: it
leaves cleaning to ``clean`` (its own sanitiser takes half its time); it gets its events from ``sax_driver``; and some
of its inner functions, which it calls for every element with nearly always the same arguments, are given a memory or
a short cut. A test compares the outcome with feedparser as it comes, over real feeds.
"""

from __future__ import annotations

import io
import re
from copy import deepcopy
from functools import lru_cache
from typing import Any

import feedparser
import feedparser.api
import feedparser.mixin
from feedparser.util import FeedParserDict

from iscore.feeds.errors import NotAFeedError

_BAD_REFERENCE = re.compile(
    rb"&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|[xX]0*(?:[0-8bcefBCEF]|1[\da-fA-F]|[dD][89a-fA-F]..)"
    rb"|\d{8,}|[xX][\da-fA-F]{7,});?"
)
"""References to what is no character; feedparser's parser for damaged documents stumbles over some."""

_TRANSLATED = frozenset(FeedParserDict.keymap) | {
    "category",
    "enclosures",
    "license",
    "updated",
    "updated_parsed",
}
"""Names that feedparser's dictionaries do not simply look up."""

_feedparser_get = FeedParserDict.get


def _get(self: dict[str, Any], key: str, default: Any = None) -> Any:
    return _feedparser_get(self, key, default) if key in _TRANSLATED else dict.get(self, key, default)


def _deepcopy(self: dict[str, Any], memo: dict[int, Any]) -> Any:
    return FeedParserDict(
        (name, value if isinstance(value, str) else deepcopy(value, memo)) for name, value in self.items()
    )


def _tune() -> None:
    # Resolves the base address at every start tag, though few documents have more than one.
    feedparser.mixin.make_safe_absolute_uri = lru_cache(maxsize=64)(feedparser.mixin.make_safe_absolute_uri)
    # Asked for the content type at every piece of text.
    FeedParserDict.get = _get
    # Of every text's content type and language a deep copy is kept.
    FeedParserDict.__deepcopy__ = _deepcopy
    # An id is the publisher's as it stands: made absolute, it would change when the feed moves.
    mixin = feedparser.mixin._FeedParserMixin
    mixin.can_be_relative_uri = mixin.can_be_relative_uri - {"id"}
    feedparser.api.PREFERRED_XML_PARSERS = ["iscore.feeds.parsing.sax_driver"]


_tune()


def read(document: bytes, url: str) -> Any:
    """Return feedparser's result (``feed``, ``entries``, ``version``) for a document in UTF-8 from ``url``.

    Texts in it are markup as the publisher wrote it. Raises ``NotAFeedError`` when feedparser cannot cope.
    """
    try:
        return _parse(document, url)
    except MemoryError:
        raise  # a process without memory is of no further use
    except Exception:
        # feedparser raises whatever its handlers trip over.
        try:
            return _parse(_BAD_REFERENCE.sub(b"", document), url)
        except MemoryError:
            raise
        except Exception as error:
            raise NotAFeedError(f"the document cannot be read ({type(error).__name__})") from error


def _parse(document: bytes, url: str) -> Any:
    headers = {"content-type": "application/xml; charset=utf-8", "content-location": url}
    # Of a str feedparser would take paths and addresses and open them; of a stream it takes bytes.
    return feedparser.parse(
        io.BytesIO(document), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
    )
