"""Cleans texts: markup of strangers → safe plain text. No other module does this.

The result has no tags, entities or control characters. It is plain text, which each output must escape in its own way.
nh3 (html5ever) parses the markup like a browser.
"""

from __future__ import annotations

import html
import re
from typing import NamedTuple

import nh3

MAX_MARKUP = 1_000_000
"""Characters of markup that are parsed."""
MAX_TEXT = 200_000
"""Characters of text: about 30,000 words, the length of a short novel."""
MAX_LINE = 500
"""Characters of a title, an author, a category."""

_BLOCKS = (
    "address|article|aside|blockquote|caption|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h1|h2|h3|h4|h5|h6"
    "|header|hr|li|main|nav|ol|p|pre|section|summary|table|td|th|tr|ul"
)
_DROPPED = {"iframe", "math", "noembed", "noframes", "object", "script", "style", "svg", "template", "title"}
"""Elements whose content is not prose."""

_CLEANER = nh3.Cleaner(
    tags={*_BLOCKS.split("|"), "a", "br", "img"},
    clean_content_tags=_DROPPED,
    attributes={"*": set()},  # without "*", lang and title would stay on every tag
    link_rel=None,
    strip_comments=True,
)
_BLOCK = re.compile(f"</?(?:{_BLOCKS})>")
_WITH_ATTRIBUTES = re.compile(r'<([a-z0-9]+)(?: [a-z-]+="[^"]*")+>')
_OTHER_TAG = re.compile(f"</?(?!(?:{_BLOCKS}|a|br|img)>)[a-z0-9]+>")
_P = re.compile("</?p>")
_NOT_PARAGRAPHS = re.compile("<(?!/?p>)|&#")
"""Found in markup that needs a parser, unlike mere paragraphs. Parsers differ in numeric references."""
_BLANK_LINES = re.compile(r"\n{3,}")
_PARAGRAPH = re.compile(r"\n[^\S\n]*(?:\n\s*)+")

UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]")
"""Control characters, overrides of the text direction, byte order marks, surrogates."""


class Prose(NamedTuple):
    """The text of an article's markup."""

    text: str
    """Paragraphs separated by a blank line."""
    links: int
    pictures: int


def prose(markup: str) -> Prose:
    """Return the text of an article's HTML, and its numbers of links and pictures."""
    if "<" not in markup:
        return Prose(plain_text(html.unescape(markup)), 0, 0)
    markup = markup[:MAX_MARKUP]
    if not _NOT_PARAGRAPHS.search(markup):
        lines = (_collapsed(html.unescape(part)) for part in _P.split(markup))
        return Prose(_limited("\n\n".join(line for line in lines if line), MAX_TEXT), 0, 0)
    return _prose(_CLEANER.clean(encodable(markup)))


def prose_of_html(clean: str) -> Prose:
    """Return the text of HTML from ``article_html.cleaned_for_text``. It equals ``prose`` of the original markup."""
    return _prose(_OTHER_TAG.sub("", _WITH_ATTRIBUTES.sub(r"<\1>", clean)))


def _prose(safe: str) -> Prose:
    links, pictures = safe.count("<a>"), safe.count("<img>")
    safe = safe.replace("<a>", "").replace("</a>", "").replace("<img>", " ")
    paragraphs = _BLOCK.split(safe)
    lines = ("\n".join(_collapsed(_unescaped(line)) for line in part.split("<br>")) for part in paragraphs)
    text = "\n\n".join(line for line in lines if line)
    if "\n\n\n" in text:
        text = _BLANK_LINES.sub("\n\n", text)
    return Prose(_limited(text.strip("\n"), MAX_TEXT), links, pictures)


def plain_text(text: str) -> str:
    """Clean plain text. Blank lines separate paragraphs."""
    paragraphs = (_collapsed(part) for part in _PARAGRAPH.split(text[:MAX_MARKUP]))
    return _limited("\n\n".join(part for part in paragraphs if part), MAX_TEXT)


def line(text: str, limit: int = MAX_LINE) -> str:
    """Return plain text as one clean line."""
    return _limited(_collapsed(text[: 20 * limit]), limit)


def feed_name(text: str) -> str:
    """Return the name of a feed as one clean line. Many are escaped twice; no name should read ``&#8211;``."""
    return line(html.unescape(text[: 20 * MAX_LINE]))


def escaped_name(name: str) -> str:
    """Escape a name that seems to contain HTML escapes, since ``feed_name`` decodes them."""
    return name if html.unescape(name) == name else html.escape(name, quote=False)


def line_of_markup(markup: str, limit: int = MAX_LINE) -> str:
    """Return the text of short HTML, such as a title, as one clean line."""
    if "<" not in markup:
        return line(html.unescape(markup) if "&" in markup else markup, limit)
    return line(prose(markup[: 20 * limit]).text, limit)


def _collapsed(text: str) -> str:
    # Printable text is clean: it has no white space except " ".
    if text.isprintable() and "  " not in text:
        return text.strip(" ")
    text = " ".join(text.split())
    return text if text.isprintable() else " ".join(UNWANTED.sub("", text).split())


def _unescaped(text: str) -> str:
    """Decode what html5ever escapes in text."""
    if "&" not in text:
        return text
    return text.replace("&nbsp;", " ").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def encodable(text: str) -> str:
    """Return a text without surrogates."""
    return text if text.isascii() else text.encode("utf-8", "ignore").decode("utf-8")


def _limited(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit].rstrip()
