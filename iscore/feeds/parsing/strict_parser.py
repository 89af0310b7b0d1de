"""Runs feedparser's handlers over a well-formed document, in a fraction of feedparser's time.

feedparser knows what each element of each module means: a handler for its start, one for its end. What it spends its
time on is between them: events of SAX, names put together anew at every tag, copies, conversions that most texts do
not need. ``StrictParser`` does that work itself, once per name instead of once per tag, and leaves the handlers as they
are. Where a case is rare, such as markup within a text, it calls feedparser's own method.

These are private parts of feedparser. pyproject.toml limits its version; tests name each part, and compare the results
with those of feedparser alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape

from feedparser.api import StrictFeedParser
from feedparser.urls import _urljoin, make_safe_absolute_uri

_UNUSED = frozenset({"geo", "georss", "gml", "psc"})
"""Prefixes of modules that no article needs."""
_USERLAND = "http://backend.userland.com/rss"
_XHTML = "application/xhtml+xml"
_C1 = re.compile("[\x80-\x9f]")
_WINDOWS_1252 = {
    code: bytes([code]).decode("cp1252") for code in range(0x80, 0xA0) if code not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}
_OF_IMAGES = frozenset({"title", "link", "description", "url", "href", "width", "height"})
_OF_TEXT_INPUTS = frozenset({"title", "link", "description", "name"})

_NAMES = {"description": "summary", "date": "updated"}
"""Fields that have another name in entries."""
_REFERENCE = re.compile("&([A-Za-z0-9_]+);")

_FAILURES = (AttributeError, LookupError, TypeError, ValueError)
"""What handlers raise for elements in odd places. Such elements are read like unknown ones."""

_Handler = Callable[..., None] | None


class _Entry(dict[str, Any]):
    """An entry without the many names that feedparser's dictionaries have for the same field."""

    __hash__ = object.__hash__  # type: ignore[assignment]


class StrictParser(StrictFeedParser):  # type: ignore[misc]
    """feedparser's parser of well-formed documents, fed by expat."""

    resolve_relative_uris = sanitize_html = False
    baseuri: str
    lang: str | None
    inimage: int
    intextinput: int

    def __init__(self) -> None:
        super().__init__("", None, "utf-8")
        self.contentparams: dict[str, Any] = {}
        self._tags: dict[str, tuple[str, str, _Handler, _Handler]] = {}
        """By expat's name of an element: feedparser's name of it, that of its field, and its handlers."""
        self._declared: dict[str | None, str] = {}
        """Prefix → namespace, as the document declared it last."""
        self._first_prefixes: dict[str, str] = {}
        """Namespace → the first prefix that the document gives it."""

    def read(self, document: bytes) -> None:
        """Read a document in UTF-8. Raises ``expat.ExpatError`` if it is not well-formed or has a document type."""
        parser = expat.ParserCreate("utf-8", " ")
        parser.buffer_text = True
        parser.buffer_size = 1 << 16
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartNamespaceDeclHandler = self._declare
        parser.StartDoctypeDeclHandler = self._refuse
        parser.Parse(document, True)

    def _refuse(self, *_: object) -> None:
        raise expat.ExpatError("the document type cannot be read")

    def _declare(self, prefix: str | None, uri: str | None) -> None:
        if uri and self._declared.get(prefix) != uri:
            self._declared[prefix] = uri
            if prefix:
                self._first_prefixes.setdefault(uri, prefix)
            self.track_namespace(prefix, uri)
            self._tags.clear()

    def _look_up(self, name: str) -> tuple[str, str, _Handler, _Handler]:
        space, _, local = name.rpartition(" ")
        known = _USERLAND if _USERLAND[7:] in space.lower() else space.lower()
        prefix = self._matchnamespaces.get(known, self._first_prefixes.get(space, ""))
        tag = self.known_as(f"{prefix}:{local}".lower() if prefix else local.lower())
        prefix, _, local = tag.rpartition(":")
        prefix = self.namespacemap.get(prefix, prefix)
        field = f"{prefix}_{local}" if prefix else local
        start, end = (None if prefix in _UNUSED else getattr(self, f"_{at}_{field}", None) for at in ("start", "end"))
        self._tags[name] = found = (tag, field, start, end)
        return found

    def known_as(self, tag: str) -> str:
        """Return the name under which an element is handled."""
        return tag

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag, field, handler, _ = self._tags.get(name) or self._look_up(name)
        if attributes:
            attributes = self._attributes(attributes)
        if self.incontent:
            self.unknown_starttag(tag, list(attributes.items()))
            return
        self.depth += 1
        if attributes:
            self._inherit(tag, attributes)
        self.basestack.append(self.baseuri)
        self.langstack.append(self.lang)
        if (self.inimage or self.intextinput) and "_" not in field:
            self.intextinput = self.intextinput and field in _OF_TEXT_INPUTS
            self.inimage = self.inimage and field in _OF_IMAGES
        try:
            if handler:
                handler(attributes)
                return
        except _FAILURES:
            pass
        if attributes:
            self._get_context()[field] = attributes
        else:
            self.elementstack.append([field, 1, []])

    def _attributes(self, attributes: dict[str, str]) -> dict[str, str]:
        found = {}
        for name, value in attributes.items():
            space, _, local = name.rpartition(" ")
            prefix = self._matchnamespaces.get(space.lower(), "") if space else ""
            key = f"{prefix}:{local}".lower() if prefix else local.lower()
            found[key] = value.lower() if key in ("rel", "type") else value
        return found

    def _inherit(self, tag: str, attributes: dict[str, str]) -> None:
        """Apply base address and language of an element to what is within it."""
        if base := attributes.get("xml:base", attributes.get("base")):
            absolute = make_safe_absolute_uri(self.baseuri, base) if self.baseuri else _urljoin("", base)
            self.baseuri = absolute or self.baseuri
        language = attributes.get("xml:lang", attributes.get("lang"))
        if language is not None:
            self.lang = language or None
            if language and tag in ("feed", "rss"):
                self.feeddata["language"] = language.replace("_", "-")

    def _text(self, text: str) -> None:
        if self.elementstack:
            in_markup = self.incontent and self.contentparams.get("type") == _XHTML
            self.elementstack[-1][2].append(escape(text) if in_markup else text)

    def _end(self, name: str) -> None:
        tag, field, _, handler = self._tags.get(name) or self._look_up(name)
        if self.incontent:
            self.unknown_endtag(tag)
            return
        try:
            if handler:
                handler()
            else:
                self.pop(field)
        except _FAILURES:
            self.pop(field)
        self.basestack.pop()
        self.langstack.pop()
        if self.basestack:
            self.baseuri = self.basestack[-1]
            self.lang = self.langstack[-1]
        self.depth -= 1

    def push_content(self, tag: str, attrs_d: dict[str, str], default_content_type: str, expecting_text: int) -> None:
        """Begin an element whose text may be markup."""
        self.incontent += 1
        self.lang = self.lang and self.lang.replace("_", "-")
        kind = self.map_content_type(attrs_d.get("type", default_content_type))
        self.contentparams = {"type": kind, "language": self.lang, "base": self.baseuri}
        if self._is_base64(attrs_d, self.contentparams):
            self.contentparams["base64"] = 1
        self.push(tag, expecting_text)

    def _start_item(self, attrs_d: dict[str, str]) -> None:
        super()._start_item(attrs_d)
        self.entries[-1] = _Entry(self.entries[-1])

    _start_entry = _start_item

    def _end_published(self) -> None:
        self.pop("published")

    def _end_updated(self) -> None:
        self.pop("updated")

    _end_issued = _end_pubdate = _end_published
    _end_modified = _end_lastbuilddate = _end_updated
    """Dates are kept as they are written."""

    def _add_tag(self, term: str | None, scheme: str | None, label: str | None) -> None:
        """Add a category. Lists of them may be long, and later steps leave out what comes twice."""
        tags = self._get_context().setdefault("tags", [])
        if term or scheme or label:
            tags.append({"term": term, "scheme": scheme, "label": label})

    def pop(self, element: str, strip_whitespace: int = 1) -> Any:
        """End an element: return its text, and keep it in its entry. All but the usual is left to feedparser."""
        stack = self.elementstack
        if not stack or stack[-1][0] != element:
            return None
        kind = self.contentparams.get("type")
        unusual = not strip_whitespace or kind == _XHTML or self.contentparams.get("base64")
        if unusual or not self.inentry or self.insource:
            return super().pop(element, strip_whitespace)
        _, is_text, pieces = stack.pop()
        text = "".join(pieces).strip()
        if not is_text:
            return text
        if text and element in self.can_be_relative_uri:
            text = self.resolve_uri(text)
        if kind == "text/plain" and not self.version.startswith("atom") and self.looks_like_html(text):
            self.contentparams["type"] = "text/html"
        text = _repaired(text)
        if element not in ("category", "tags", "itunes_keywords") and not (
            element == "title" and -1 < self.title_depth <= self.depth
        ):
            self._keep(element, text)
        return text

    def _keep(self, element: str, text: str) -> None:
        entry = self.entries[-1]
        detail = {**self.contentparams, "value": text} if self.incontent else None
        if element == "content":
            entry.setdefault("content", []).append(detail or {"value": text})
            return
        if element == "link":
            if not self.inimage:
                entry["link"] = text = _REFERENCE.sub(r"&\1", text.replace("&amp;", "&")) if ";" in text else text
                if text:
                    entry["links"][-1]["href"] = text
            return
        element = _NAMES.get(element, element)
        depths = self.property_depth_map.setdefault(entry, {})
        if self.depth <= depths.get(element, self.depth):
            depths[element] = self.depth
            entry[element] = text
        if detail:
            entry[f"{element}_detail"] = detail


def _repaired(text: str) -> str:
    """Undo what feedparser undoes: an encoding that was applied twice, and control characters of a wrong one."""
    if text.isascii():
        return text
    with suppress(UnicodeError):
        text = text.encode("iso-8859-1").decode("utf-8")
    return text.translate(_WINDOWS_1252) if _C1.search(text) else text
