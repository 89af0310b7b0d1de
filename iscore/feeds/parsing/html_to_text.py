"""Cleans texts: markup of strangers → safe plain text. No other module does this.

The result has no tags, entities or control characters. It is plain text, which each output must escape in its own way.
The markup is cleaned like that of HTML, by ``article_html.cleaned``.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from itertools import pairwise
from textwrap import dedent
from typing import NamedTuple

from iscore.feeds.parsing.article_html import UNWANTED, cleaned
from iscore.feeds.parsing.markup import MAX_MARKUP

MAX_TEXT = 200_000
"""Characters of text: about 30,000 words, the length of a short novel."""
MAX_LINE = 500
"""Characters of a title, an author, a category."""

_BLOCKS = (
    "address|article|aside|blockquote|caption|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h1|h2|h3|h4|h5|h6"
    "|header|hr|li|main|nav|ol|p|pre|section|summary|table|td|th|tr|ul"
)
_BLOCK = re.compile(f"</?(?:{_BLOCKS})>")
_WITH_ATTRIBUTES = re.compile(r'<([a-z0-9]+)(?: [a-z-]+="[^"]*")+>')
_OTHER_TAG = re.compile(f"</?(?!(?:{_BLOCKS}|a|br|img)>)[a-z0-9]+>")
_FORMULA = re.compile('<math(?: [a-z]+="[^"]*")*? alttext="([^"]*)"[^>]*>.*?</math>', re.DOTALL)
_SPACE = re.compile(r"\s")
_PRE = re.compile("(</?pre>)")
_P = re.compile("</?p>")
_NOT_PARAGRAPHS = re.compile("<(?!/?p>)|&#")
"""Found in markup that needs a parser, unlike mere paragraphs. Parsers differ in numeric references."""
_ANY_TAG = re.compile("<(/?)([A-Za-z][A-Za-z0-9]*)(?:[ /][^<>]*)?>")
_INLINE = (
    "a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark nobr q rb rp rt rtc ruby s samp small span"
    " strike strong sub sup time tt u var"
)
_BLANK_LINES = re.compile(r"\n{3,}")
_PARAGRAPH = re.compile(r"\n[^\S\n]*(?:\n\s*)+")

WRAPPED = 40
"""Characters. Shorter lines were not ended for want of room."""


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
    return prose_of_html(cleaned(markup).html)


def prose_of_html(clean: str) -> Prose:
    """Return the text of HTML from ``article_html.cleaned``. It equals ``prose`` of the original markup."""
    if "<math" in clean:
        clean = _FORMULA.sub(lambda found: html.escape(html.unescape(found[1]), quote=False), clean)
    safe = _OTHER_TAG.sub("", _WITH_ATTRIBUTES.sub(r"<\1>", clean.replace("<embed", " <embed")))
    links, pictures = safe.count("<a>"), safe.count("<img>")
    safe = safe.replace("<a>", "").replace("</a>", "").replace("<img>", " ")
    lines: list[str] = []
    depth = 0
    for part in _PRE.split(safe):
        depth += {"<pre>": 1, "</pre>": -1}.get(part, 0)
        lines += [_preformatted(part)] if depth else map(_paragraph, _BLOCK.split(part))
    text = "\n\n".join(filter(None, lines))
    if "\n\n\n" in text:
        text = _BLANK_LINES.sub("\n\n", text)
    return Prose(_limited(text.strip("\n"), MAX_TEXT), links, pictures)


def _paragraph(html: str) -> str:
    return "\n".join(_collapsed(_unescaped(line)) for line in html.split("<br>"))


def _preformatted(html: str) -> str:
    """Return lines as they are, without the indentation that they share."""
    text = _unescaped(_BLOCK.sub("\n", html.replace("<br>", "\n")))
    lines = (UNWANTED.sub("", _SPACE.sub(" ", line.expandtabs(4))).rstrip() for line in text.split("\n"))
    return dedent("\n".join(lines)).strip("\n")


def plain_text(text: str) -> str:
    """Clean plain text. Blank lines separate paragraphs."""
    paragraphs = (_lines(part) for part in _PARAGRAPH.split(text[:MAX_MARKUP]))
    return _limited("\n\n".join(part for part in paragraphs if part), MAX_TEXT)


def _lines(paragraph: str) -> str:
    """Return a paragraph's lines; as one line if each ends where the next word had no room."""
    if "\n" not in paragraph.strip():
        return _collapsed(paragraph)
    lines = list(filter(None, map(_collapsed, paragraph.split("\n"))))
    width = max(map(len, lines), default=0)
    wrapped = width >= WRAPPED and all(len(a) + 1 + len(b.partition(" ")[0]) > width for a, b in pairwise(lines))
    # A line with only a dot would end the message in mail programs that do not escape it.
    return (" " if wrapped or "." in lines else "\n").join(lines)


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


def is_inline_markup(text: str) -> bool:
    """Whether a title is HTML: all its tags are elements within a line, and each one is closed.

    >>> [is_inline_markup(each) for each in ("a <mark>b</mark>", "a<wbr>b", "vector<bool>", "the <b> element")]
    [True, True, False, False]
    """
    open_tags: Counter[str] = Counter()
    for end, name in _ANY_TAG.findall(text[: 20 * MAX_LINE]):
        open_tags[name.lower()] += -1 if end else 1
    ended = {"br", "wbr"} | {name for name, number in open_tags.items() if number == 0 and name in _INLINE.split()}
    return bool(open_tags) and ended.issuperset(open_tags)


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


def _limited(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit].rstrip()
