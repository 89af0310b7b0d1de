"""feedparser, set up for safety and speed. Imported only where documents are parsed.

It is the most faithful parser there is, and slow. Three things make it faster without changing its results: cleaning
is left to ``html_to_text`` (its own sanitiser takes half its time); ``sax_driver`` delivers the events; and some of its
inner functions, which it calls for every element, mostly with the same arguments, are cached or shortened. These are
private parts of feedparser: pyproject.toml limits its version, and tests name each part and compare the results with
those of feedparser alone over real feeds.
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
"""References to no character; feedparser's parser for damaged documents fails on some."""

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
    # An id stays as the publisher wrote it: made absolute, it would change when the feed moves.
    mixin = feedparser.mixin._FeedParserMixin
    mixin.can_be_relative_uri = mixin.can_be_relative_uri - {"id"}
    feedparser.api.PREFERRED_XML_PARSERS = ["iscore.feeds.parsing.sax_driver"]


_tune()


def read(document: bytes, url: str) -> Any:
    """Return feedparser's result (``feed``, ``entries``, ``version``) for a document in UTF-8 from ``url``.

    Its texts are markup as the publisher wrote it. Raises ``NotAFeedError`` when feedparser fails.
    """
    try:
        return _parse(document, url)
    except MemoryError:
        raise  # this process is of no further use
    except Exception:
        # feedparser raises whatever error its handlers make.
        try:
            return _parse(_BAD_REFERENCE.sub(b"", document), url)
        except MemoryError:
            raise
        except Exception as error:
            raise NotAFeedError(f"the document cannot be read ({type(error).__name__})") from error


def _parse(document: bytes, url: str) -> Any:
    headers = {"content-type": "application/xml; charset=utf-8", "content-location": url}
    # A str could be a path or a URL, which feedparser would open; a stream is read as it is.
    return feedparser.parse(
        io.BytesIO(document), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
    )
