"""feedparser, set up for safety and speed. Import this only where documents are parsed.

feedparser is the most faithful parser there is, and slow. ``read`` runs subclasses of its two parsers, the strict one
and the one for damaged documents, which read some elements otherwise:

- All authors are kept as they are written, and an id too. The text of a link counts before its attributes.
- Elements that hold a whole text, and texts of types that Atom does not know, are read as HTML.

``html_to_text`` cleans the texts, since feedparser's own sanitiser takes half its time, and ``strict_parser`` runs the
handlers of well-formed documents.

These are private parts of feedparser. pyproject.toml limits its version; tests name each part, and compare the results
with those of feedparser alone on real feeds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.entities import html5
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import unescape

from feedparser.api import LooseFeedParser
from feedparser.mixin import _FeedParserMixin
from feedparser.util import FeedParserDict

from iscore.feeds.errors import NotAFeedError
from iscore.feeds.parsing.strict_parser import StrictParser

_OTHER_SCHEME = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]{0,20}:", re.IGNORECASE)
_FULL_TEXTS = frozenset({"full-text", "full_text", "fulltext"})
"""Elements of any module that hold an article's whole text."""
_AS_WRITTEN = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})
_CONTROLS = bytes({*range(32)} - {9, 10, 13})
_SECTION = re.compile(rb"(<!\[CDATA\[|\]\]>)")
_REFERENCE = re.compile(rb"&(?:#(\d{1,40}|[xX][\da-fA-F]{1,40});|(\w{1,40});)?")
_FIRST = re.compile(rb"<(?:!DOCTYPE|[a-z])", re.IGNORECASE)
_DOCUMENT_TYPE = re.compile(
    rb"""<!DOCTYPE(?:[^"'\[>]++|"[^"]*+"|'[^']*+')*+(?:\[(?:[^"'\]]++|"[^"]*+"|'[^']*+')*+\]\s*+)?>""", re.IGNORECASE
)


def repaired(document: bytes) -> bytes:
    """Return a document in UTF-8 without the faults that most often make one ill-formed.

    HTML's named references become numbers. References that nobody knows become text, as every other ``&``. Controls and
    references to no character are left out, and the document type, so that nothing it defines is ever read.
    """
    first = _FIRST.search(document)
    if first and first[0].startswith(b"<!") and (kind := _DOCUMENT_TYPE.match(document, first.start())):
        document = document[: kind.start()] + document[kind.end() :]
    pieces = _SECTION.split(document.translate(None, _CONTROLS))
    within = False
    for number, piece in enumerate(pieces):
        if number % 2:
            opens = piece != b"]]>"
            pieces[number] = piece if opens != within else b""  # a section within another one ends with it
            within = opens
        elif not within:
            pieces[number] = _REFERENCE.sub(_readable, piece)
    return b"".join(pieces)


def _readable(reference: re.Match[bytes]) -> bytes:
    number, name = reference.groups()
    if number:
        code = int(number[1:], 16) if number[:1] in b"xX" else int(number)
        real = 32 <= code < 0xD800 or 0xDFFF < code < 0xFFFE or 0xFFFF < code < 0x110000 or code in (9, 10, 13)
        return reference[0] if real else b""
    if name in _AS_WRITTEN:
        return reference[0]
    characters = html5.get(f"{name.decode('ascii', 'ignore')};", "") if name else ""
    return "".join(f"&#{ord(each)};" for each in characters).encode() or b"&amp;" + reference[0][1:]


class _Fields(_FeedParserMixin):  # type: ignore[misc]
    """What is read otherwise than by feedparser."""

    can_be_relative_uri = _FeedParserMixin.can_be_relative_uri - {"id"}
    """An id stays as the publisher wrote it. If it were made absolute, it would change when the feed moves."""

    def unknown_starttag(self, tag: str, attrs: list[tuple[str, str]]) -> None:
        super().unknown_starttag(_known(tag), attrs)

    def unknown_endtag(self, tag: str) -> None:
        super().unknown_endtag(_known(tag))
        self.baseuri = self.basestack[-1] if self.basestack else ""

    def handle_data(self, text: str, escape: bool = True) -> None:
        if self.incontent:
            super().handle_data(text, escape)
        elif self.elementstack:
            self.elementstack[-1][2].append(text)

    @staticmethod
    def map_content_type(content_type: str) -> str:
        kind: str = _FeedParserMixin.map_content_type(content_type.partition(";")[0].strip())
        return kind if "/" in kind else "text/html"

    @staticmethod
    def _is_base64(attrs_d: Mapping[str, str], _: object) -> bool:
        return attrs_d.get("mode") == "base64"

    def resolve_uri(self, uri: str) -> str:
        return str(super().resolve_uri(uri)) if uri.strip() else ""

    def _start_link(self, attrs_d: dict[str, str]) -> None:
        address = attrs_d.pop("uri", "") or attrs_d.pop("url", "")
        if _OTHER_SCHEME.match(attrs_d.get("href", "")):
            address = attrs_d.pop("href")
        super()._start_link(attrs_d)
        if address and (links := self._get_context()["links"]):
            links[-1]["href"] = self.resolve_uri(address)  # unless a text follows

    def _end_author(self) -> None:
        text = self.pop("author")
        self.inauthor = 0
        if text and not _last_author(self._get_context()):
            _last_author(self._get_context())["name"] = text

    def _end_managingeditor(self) -> None:
        self._end_author()
        context = self._get_context()
        context.setdefault("editors", []).append(_last_author(context))
        context["authors"].pop()

    def _save_author(self, key: str, value: str, prefix: str = "author") -> None:
        if prefix == "author":
            _last_author(self._get_context())[key] = value

    def _sync_author_detail(self, key: str = "author") -> None:
        """Leave out what feedparser guesses from a text with a mail address."""


def _last_author(context: dict[str, Any]) -> dict[str, str]:
    people: list[dict[str, str]] = context.setdefault("authors", [])
    if not people:
        people.append({})  # the end of an author that never began
    return people[-1]


def _known(tag: str) -> str:
    tag = tag.removeprefix("atom:")  # this prefix is left only if it is not declared
    return "content:encoded" if tag.rpartition(":")[2] in _FULL_TEXTS or tag == "turbo:content" else tag


class _Strict(_Fields, StrictParser):
    """The parser for well-formed documents."""

    def known_as(self, tag: str) -> str:
        """Return the name under which an element is handled."""
        return _known(tag)


class _Loose(_Fields, LooseFeedParser):  # type: ignore[misc]
    """feedparser's parser for damaged documents."""

    def decode_entities(self, element: str, data: str) -> str:
        return str(super().decode_entities(element, data)) if self.incontent else unescape(data)


def read(document: bytes) -> Any:
    """Return feedparser's result (``feed``, ``entries``, ``version``) for a ``repaired`` document.

    Texts are the publisher's markup, unchanged. Addresses are relative unless the document has ``xml:base``.
    ``bozo_exception`` is the error of XML, or None. Raises ``NotAFeedError`` if feedparser fails.
    """
    error = None
    try:
        parser: Any = _Strict()
        try:
            parser.read(document)
        except expat.ExpatError as failure:
            error = failure
            parser = _Loose("", None, "utf-8")
            parser.resolve_relative_uris = parser.sanitize_html = False
            parser.feed(document.decode("utf-8", "replace"))
    except MemoryError:
        raise  # this process is of no further use
    except Exception as failure:
        # feedparser passes on any error of its handlers.
        raise NotAFeedError(f"the document cannot be read ({type(failure).__name__})") from failure
    return FeedParserDict(
        feed=dict(parser.feeddata),
        entries=[dict(entry) for entry in parser.entries],
        version=parser.version,
        bozo_exception=error,
    )
