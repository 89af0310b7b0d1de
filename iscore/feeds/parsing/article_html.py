"""Cleans article HTML: markup of strangers → HTML that pages can show. This is the only allow-list of shown HTML.

    markup ─► prepared ─► nh3: elements, attributes, schemes ─► elements one by one: addresses, depth, size ─► HTML
                              └─► html_to_text: the text, of which features are computed

nh3 (html5ever) parses the markup like a browser, and writes it in a canonical form, which the next step can read tag by
tag. The result has no script, style, form, frame, comment, ``id`` or ``class``. Its links and pictures have absolute
http or https addresses. Formulas (MathML) have elements and attributes that only show something.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from html import escape, unescape

import nh3

from iscore.feeds.parsing.markup import LEFT_OUT, MAX_MARKUP, Markup, is_invisible, prepared
from iscore.feeds.urls import is_placeholder, safe_url

MAX_BYTES = 256_000
"""Of an article's HTML, in UTF-8. The rest is cut off."""
MAX_DEPTH = 40
"""Of nested elements. Deeper ones lose their tags, but not their text."""

_RENAMED = dict.fromkeys(("address", "article", "aside", "center", "footer", "header", "main", "nav", "section"), "div")
_RENAMED["h1"] = "h2"  # the page's own heading is the article's title
_SEPARATORS = ("fieldset", "form")
"""Elements without a tag in the result. They end a paragraph of the text."""
_FORMULA = (
    "menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle"
    " msub msubsup msup mtable mtd mtext mtr munder munderover none semantics"
)
"""The elements of formulas, whose number and order have a meaning."""
_EMPTY = frozenset({"br", "embed", "hr", "img"})
"""Elements without content."""
_MAY_BE_EMPTY = frozenset({"td", "th", *_FORMULA.split()})
"""Elements that are kept without content; other empty elements are left out."""
_SHOWN = (
    "a abbr b bdi blockquote br caption cite code dd del details dfn div dl dt em embed figcaption figure h2 h3 h4 h5"
    " h6 hr i img ins kbd li mark math ol p pre q rp rt ruby s samp small strong sub summary sup table tbody td tfoot"
    " th thead time tr u ul var"
)
_ATTRIBUTES = {
    "*": {"dir", "lang"},
    "a": {"href"},
    "abbr": {"title"},
    "embed": {"src", "title"},
    "img": {"alt", "height", "src", "width"},
    "li": {"value"},
    "math": {"alttext", "display"},
    "mfrac": {"linethickness"},
    "mi": {"mathvariant"},
    "mo": {"stretchy"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "time": {"datetime"},
}
_LINK_REL = "noopener noreferrer nofollow"
_VALUES = {
    **dict.fromkeys(("alt", "alttext"), re.compile(r"[^\x00]{0,1000}")),
    "datetime": re.compile(r"[0-9TZ:+. -]{4,40}"),
    "dir": re.compile(r"ltr|rtl|auto"),
    "lang": re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}"),
    "display": re.compile(r"block|inline"),
    "linethickness": re.compile(r"[0-9.]{1,6}(?:px|em|%)?"),
    "mathvariant": re.compile(r"[a-z-]{1,30}"),
    "stretchy": re.compile(r"true|false"),
    "title": re.compile(r"[^\x00]{1,300}"),
    **dict.fromkeys(("start", "value"), re.compile(r"-?[0-9]{1,6}")),
    **dict.fromkeys(("height", "width"), re.compile(r"0*(?:[3-9]|[1-9][0-9]{1,4})")),
    **dict.fromkeys(("colspan", "rowspan"), re.compile(r"[1-9][0-9]?")),
}
"""Allowed values of attributes other than addresses."""
_CLEANER = nh3.Cleaner(
    tags={*_SHOWN.split(), *_RENAMED, *_SEPARATORS, *_FORMULA.split()},
    clean_content_tags=set(LEFT_OUT.split()),
    attributes=_ATTRIBUTES,
    url_schemes={"http", "https"},
    link_rel=None,
    strip_comments=True,
)
_LINE_SEPARATORS = re.compile("[\u2028\u2029]")
"""Of lines and paragraphs, which HTML does not have."""
_TAG = re.compile(r'<(/?)([a-z0-9]+)((?: [a-z-]+="[^"]*")*)>')
_ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')
_HREF = re.compile(r' href="([^"]*)"')
_NOT_PLAIN = re.compile(r"<(?!/?(?:p|div)>)")
UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]")
"""Control characters, overrides of the text direction, byte order marks, surrogates."""
_SPECIAL = re.compile('[&<>"]')
_FIRST_HEADING = re.compile(r"\s*(?:<div>\s*)*<h[2-6](?: [^>]*)?>(.*?)</h[2-6]>\s*", re.DOTALL)

Rewrite = Callable[[str], str]
"""Maps a picture's address to what the page loads instead. Empty leaves the picture out."""


def article_html(markup: str, base: str = "", picture: Rewrite | None = None) -> str:
    """Return safe HTML of at most ``MAX_BYTES``; empty if there is nothing to show.

    Addresses are resolved against ``base``. ``picture`` tells what pictures load; None: their own addresses.

    >>> article_html('<p onclick=x>See <a href="/a">this</a></p>', "https://site.example/news")
    '<p>See <a href="https://site.example/a" rel="noopener noreferrer nofollow">this</a></p>'
    """
    clean = cleaned(markup)
    return written(clean.html, safe_url(clean.base, base) or base, picture)


@lru_cache(maxsize=1)  # of a feed's first item, which is read up to three times
def cleaned(markup: str) -> Markup:
    """Return markup in its canonical form, with only the elements and attributes that are shown, and ``<embed>`` for
    links to players."""
    found = prepared(markup[:MAX_MARKUP])
    return found._replace(html=_CLEANER.clean(encodable(found.html)))


def encodable(text: str) -> str:
    """Return a text without surrogates."""
    return text if text.isascii() else text.encode("utf-8", "ignore").decode("utf-8")


def written(html: str, base: str, picture: Rewrite | None = None) -> str:
    """Return the result of ``article_html`` for the output of ``cleaned``."""
    if not html.replace("\n", "").isprintable():
        html = UNWANTED.sub("", _LINE_SEPARATORS.sub(" ", html))
    return _Writer(base, picture).written(html)


def says_more_than_text(html: str) -> bool:
    """Whether HTML of an article or a feed may show more than its paragraphs as plain text."""
    return _NOT_PLAIN.search(html) is not None


def first_picture(html: str) -> str:
    """Return the address of the first picture of an article's HTML that is no placeholder; empty if there is none."""
    return next((each for each in pictures(html) if not is_placeholder(each)), "")


def pictures(html: str) -> list[str]:
    """List the addresses of the pictures of an article's HTML, each once."""
    if "<img " not in html:
        return []
    found = (_attributes(tag[3]).get("src", "") for tag in _TAG.finditer(html) if tag[2] == "img")
    return list(dict.fromkeys(filter(None, found)))


def without_heading(html: str, title: str) -> str:
    """Return an article's HTML without a first heading that repeats its title."""
    found = _FIRST_HEADING.match(html)
    if found is None or " ".join(unescape(_TAG.sub("", found[1])).split()).casefold() != title.casefold():
        return html
    return html[: found.start(1)].rpartition("<h")[0] + html[found.end() :]


class _Writer:
    """Writes canonical HTML again, element by element, up to the allowed length."""

    def __init__(self, base: str, picture: Rewrite | None) -> None:
        self._base = base
        self._picture = picture
        self._parts: list[str] = []
        self._open: list[tuple[str, int, int]] = []
        """Open elements: name, empty if the tag was left out; index of its tag in ``_parts``; ``_shown`` before it."""
        self._size = 0
        """Bytes, with the end tags of all open elements."""
        self._shown = 0
        """Words and pictures so far."""

    def written(self, html: str) -> str:
        pieces = _TAG.split(html)  # alternately a text, and a tag's slash, name and attributes
        for text, end, name, attributes in zip(pieces[::4], pieces[1::4], pieces[2::4], pieces[3::4], strict=False):
            if text and not self._text(text):
                break
            if end:
                self._end()
            elif not self._element(name, attributes):
                break
        else:
            self._text(pieces[-1])
        while self._open:
            self._end()
        return "".join(self._parts).strip() if self._shown else ""

    def _text(self, text: str) -> bool:
        """Write a text between two tags; False if there was room for a part only."""
        room = MAX_BYTES - self._size
        size = _bytes(text)
        whole = size <= room
        if not whole:
            fits = text.encode()[: max(room, 0)].decode("utf-8", "ignore")
            text = fits[: max((place for place, c in enumerate(fits) if c.isspace()), default=0)]
            size = _bytes(text)
        self._parts.append(text)
        self._size += size
        self._shown += bool(text) and not text.isspace()
        return whole

    def _element(self, name: str, attributes: str) -> bool:
        """Write a start tag; False if there is no room for it."""
        name = _RENAMED.get(name, name)
        empty = name in _EMPTY
        plain = not attributes and name not in ("a", "embed", "img")
        written = f"<{name}>" if plain else self._start_tag(name, attributes)
        size = _bytes(written) + (0 if empty else len(name) + 3)
        if self._size + size > MAX_BYTES:
            return False
        if empty:
            self._shown += name in ("embed", "img") and bool(written)
        else:
            left_out = len(self._open) >= MAX_DEPTH or written == "<a>" or name in _SEPARATORS
            self._open.append(("" if left_out else name, len(self._parts), self._shown))
            if left_out:
                return True
        self._parts.append(written)
        self._size += size if written else 0
        return True

    def _end(self) -> None:
        """End the innermost open element. Leave out empty elements, and links without readable content."""
        if not self._open:
            return
        name, at, shown = self._open.pop()
        if not name:
            return
        if self._shown == shown and name not in _MAY_BE_EMPTY:
            left_out = self._parts[at:]
            self._size -= sum(map(_bytes, left_out)) + len(name) + 3
            del self._parts[at:]
            if any(map(str.isspace, left_out)):
                self._text(" ")  # it may separate words
        elif name == "a" and not _readable("".join(self._parts[at + 1 :])):
            self._size -= _bytes(self._parts[at]) + len(name) + 3
            self._parts[at] = ""
        else:
            self._parts.append(f"</{name}>")

    def _start_tag(self, name: str, text: str) -> str:
        """Return a start tag with its allowed attributes; empty for a picture that is left out."""
        if name == "a" and (only := _HREF.fullmatch(text)):  # true of nearly all links
            target = safe_url(_unescaped(only[1]), self._base)
            return f'<a{_written("href", target)} rel="{_LINK_REL}">' if target else "<a>"
        attributes = _attributes(text)
        kept = {each: value for each, value in attributes.items() if each in _VALUES and _VALUES[each].fullmatch(value)}
        if name == "img":
            address = self._picture_address(attributes)
            if not address:
                return ""
            kept = {"alt": "", **kept, "src": address}
        elif name == "embed":
            return self._link(attributes)
        elif name == "a" and (target := safe_url(attributes.get("href", ""), self._base)):
            kept |= {"href": target, "rel": _LINK_REL}
        return f"<{name}{''.join(_written(each, kept[each]) for each in sorted(kept))}>"

    def _link(self, attributes: dict[str, str]) -> str:
        """Return a whole link to what is played elsewhere."""
        target = safe_url(attributes.get("src", ""), self._base)
        label = escape(attributes.get("title", "").strip() or target, quote=False)
        return f'<a{_written("href", target)} rel="{_LINK_REL}">{label}</a>' if target else ""

    def _picture_address(self, attributes: dict[str, str]) -> str:
        if is_invisible(attributes):
            return ""
        address = safe_url(attributes.get("src", ""), self._base)
        return self._picture(address) if address and self._picture else address


def _attributes(text: str) -> dict[str, str]:
    return {name: _unescaped(value) for name, value in _ATTRIBUTE.findall(text)}


def _unescaped(value: str) -> str:
    return unescape(value) if "&" in value else value


def _written(name: str, value: str) -> str:
    if _SPECIAL.search(value):
        value = escape(value, quote=False).replace('"', "&quot;")
    return f' {name}="{value}"'


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _readable(html: str) -> bool:
    """Whether HTML has text, or a picture with a text."""
    return bool(_TAG.sub("", html).strip()) or any(
        _attributes(tag[3]).get("alt", "").strip() for tag in _TAG.finditer(html)
    )
