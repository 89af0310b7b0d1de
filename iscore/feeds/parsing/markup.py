"""Prepares markup of strangers for nh3: one pass over its tags replaces what readers would miss.

- A player, sound or a video becomes ``<embed>`` with the address of its page, of which ``article_html`` makes a link.
  It adds no words to the text.
- A picture that is loaded lazily gets its real address, from wherever it is kept.
- An element that is closed as in XML is closed. HTML would swallow what follows it.
- A formula gets its annotation as its alternative text.

Nothing is safe after this pass: nh3 decides that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from html import escape, unescape
from typing import NamedTuple
from urllib.parse import parse_qsl

from iscore.feeds.urls import is_placeholder

MAX_MARKUP = 1_000_000
"""Characters of markup that are parsed."""
MAX_ADDRESS = 4000
"""Characters of the address of a picture or a player."""
WIDTH = 1400
"""Pixels of a picture that is large enough: a column of 700 on a dense screen."""

LEFT_OUT = (
    "annotation annotation-xml applet audio button canvas datalist iframe noembed noframes noscript object option"
    " script select style svg template textarea title video"
)
"""Elements that are left out with their content."""
_LEFT_OUT = set(LEFT_OUT.split())
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
_RAW = {"iframe", "noembed", "noframes", "script", "style", "svg", "textarea", "title"}
"""Left out elements whose content has no tags for the pass."""
_CODE = ("script", "style")
_FILES = {"audio": "audio/mpeg", "video": "video/mp4"}
"""The likeliest types."""
_AMP = {f"amp-{name}": name for name in ("audio", "iframe", "img", "video")}
_AMP_PLAYERS = {"amp-vimeo": "https://player.vimeo.com/video/", "amp-youtube": "https://www.youtube.com/embed/"}
_HANDLED = "|".join({*_LEFT_OUT, "amp-[a-z]+", "base", "embed", "img", "math", "picture", "plaintext", "source"})

_REST = r"""(?:[\s/]++|[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s>"'][^\s>]*+)?+)?+)*+"""
"""Attributes as browsers read them. Nothing in it is read twice."""
_ORDINARY = re.compile(
    r"(?:[^<]++|<(?![a-z/!?])|</?(?:a|b|br|code|div|em|h\d|i|li|ol|p|pre|span|strong|td|tr|ul)>"
    rf"|<(?!/?(?:{_HANDLED})[\s/>])/?[a-z][^\s/>]*+{_REST}(?<!/)>"
    rf"|<(?:area|br|col|hr|input|link|meta|p|param|track|wbr)(?=[\s/>]){_REST}>)*+",
    re.IGNORECASE,
)
"""What stays as it is."""
_TAG = re.compile(
    r"<(?:!--(?:-?>|.*?(?:--!?>|\Z))|!\[CDATA\["
    rf"|(?P<slash>/?)(?P<name>[a-z][^\s/>]*+)(?P<attributes>{_REST})(?:>|\Z)|[!?/][^>]*+>?)",
    re.IGNORECASE | re.DOTALL,
)
_ENDS = re.compile(rf"</(?:amp-)?({_HANDLED})(?=[\s/>])", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"?|'([^']*+)'?|([^\s>"'][^\s>]*+))?+)?+""")
_ANNOTATION = re.compile(r"<annotation\b(?=[^<>]*x-tex)[^<>]*>([^<]*)", re.IGNORECASE)
_SVG_TITLE = re.compile(r"\s*<title\b[^<>]*>([^<]*)", re.IGNORECASE)
_UNQUOTED = re.compile(r"""=[^"'=\s]*/$""")

_LAZY = re.compile(r"data-(?:[\w-]*src|original|echo|lazy|lazy-?load|delayed-url)")
"""Attributes in which lazy loaders keep the address of a picture."""
_LARGER = re.compile(r"data-(?:[\w-]*-file|full-?url|large_image)")
"""Attributes with the address of a version for other purposes."""
_SRCSETS = ("data-lazy-srcset", "data-srcset", "data-original-set", "srcset")
_CANDIDATES = re.compile(r",\s+|(?<=\d[wx]),")
_DESCRIPTOR = re.compile(r"\d{1,5}(?:\.\d{1,3})?[wx]")
_SMALL = re.compile(r"0*[0-2](?:px)?")

_PLAYERS = {
    r"(?:www\.)?youtube(?:-nocookie)?\.com/embed/videoseries\?(?:.*&)?(list=[\w-]+).*": r"www.youtube.com/playlist?\1",
    r"(?:www\.)?youtube(?:-nocookie)?\.com/(?:embed|v)/(?!live_stream)([\w-]+).*": r"www.youtube.com/watch?v=\1",
    r"player\.vimeo\.com/video/(\d+)\?(?:.*&)?h=(\w+).*": r"vimeo.com/\1/\2",
    r"player\.vimeo\.com/video/(\d+).*": r"vimeo.com/\1",
    r"(?:www\.)?dailymotion\.com/embed/video/(\w+).*": r"www.dailymotion.com/video/\1",
    r"geo\.dailymotion\.com/player(?:/\w+)?\.html\?(?:.*&)?video=(\w+).*": r"www.dailymotion.com/video/\1",
    r"open\.spotify\.com/embed(?:-podcast)?/(\w+/\w+).*": r"open.spotify.com/\1",
    r"embed\.podcasts\.apple\.com/(.*)": r"podcasts.apple.com/\1",
    r"embed\.ted\.com/talks/(\w+).*": r"www.ted.com/talks/\1",
    r"archive\.org/embed/([^/?#]+).*": r"archive.org/details/\1",
    r"giphy\.com/embed/(\w+).*": r"giphy.com/gifs/\1",
    r"([\w.-]+)/videos/embed/([\w-]{22,36})(?:\?.*)?": r"\1/w/\2",
}
"""Addresses of players, without scheme → the page of the video."""
_NAMING = ("w.soundcloud.com", "cdn.embedly.com", "www.facebook.com")
"""Hosts of players that name the page in a parameter."""


class Markup(NamedTuple):
    """The markup of an article, prepared or cleaned."""

    html: str
    base: str
    """The address of its ``<base>``."""
    files: tuple[tuple[str, str], ...]
    """Addresses and types of its sound and video files."""


def prepared(markup: str, *, page: bool = False) -> Markup:
    """Return markup as nh3 needs it. ``page``: keep what describes a whole page."""
    return _Pass(markup, page=page).result()


def is_invisible(attributes: dict[str, str]) -> bool:
    """Whether the sizes are those of a picture or a frame that only counts visits."""
    sizes = [attributes[name] for name in ("width", "height") if attributes.get(name)]
    return bool(sizes) and all(map(_SMALL.fullmatch, sizes))


def page_of(player: str) -> str:
    """Return the address of the page that shows what a player plays; ``player`` if only that is known.

    >>> page_of("//www.youtube.com/embed/abc?rel=0")
    'https://www.youtube.com/watch?v=abc'
    """
    address = f"https:{player}" if player.startswith("//") else player
    scheme, _, rest = address.partition("://")
    if scheme not in ("http", "https") or len(rest) > MAX_ADDRESS:
        return address
    path, _, query = rest.partition("?")
    if path.partition("/")[0] in _NAMING:
        named = parse_qsl("&".join(query.split("&")[:50]))
        pages = (value for name, value in named if name in ("url", "href") and value.startswith("http"))
        return next((each for each in pages if "//api." not in each), address)
    found = next(((found, page) for each, page in _PLAYERS.items() if (found := re.fullmatch(each, rest))), None)
    return f"https://{found[0].expand(found[1])}" if found else address


class _Pass:
    """The state of the first step, which reads each character a fixed number of times."""

    def __init__(self, markup: str, *, page: bool) -> None:
        self._markup = markup
        self._kept = ("script", "style", "title") if page else ()
        self._parts: list[str] = []
        self._left_out = ""
        """The open element whose content is left out."""
        self._needs_file = False
        """Whether this is sound or a video of which no file is known yet."""
        self._offered: list[str] = []
        """What the sources of the open ``<picture>`` offer."""
        self._picture = -1
        """The part that is the last picture, which one in ``<noscript>`` may replace."""
        self._shown: set[str] = set()
        """Addresses of pictures and players."""
        self._base = ""
        self._files: dict[str, str] = {}

    def result(self) -> Markup:
        """Read the markup."""
        place, size = 0, len(self._markup)
        while place < size:
            ordinary = _ORDINARY.match(self._markup, place)
            end = ordinary.end() if ordinary else place
            if end > place and not self._left_out:
                self._parts.append(self._markup[place:end])
                self._picture = self._picture if self._parts[-1].isspace() else -1
            tag = _TAG.match(self._markup, end)
            place = tag.end() if tag else size
            if tag and tag["name"]:
                name = tag["name"].lower()
                name = _AMP.get(name, name)
                place = self._end_tag(tag, name) if tag["slash"] else self._start_tag(tag, name)
        html = "".join(self._parts)
        html = html.replace("]]>", "") if "<![CDATA[" in self._markup else html
        return Markup(html, self._base, tuple(self._files.items()))

    def _end_tag(self, tag: re.Match[str], name: str) -> int:
        if name == self._left_out:
            self._left_out = ""
        elif name == "picture":
            self._offered = []
        elif not self._left_out:
            self._parts.append(tag[0])
        return tag.end()

    def _start_tag(self, tag: re.Match[str], name: str) -> int:
        """Handle a start tag; return where to go on."""
        text, end = tag["attributes"], tag.end()
        closed = name not in _VOID and text.endswith("/") and not _UNQUOTED.search(text[-MAX_ADDRESS:])
        if name in _LEFT_OUT:
            return self._left_out_element(tag, name, closed=closed)
        if name == "source" and self._left_out in _FILES:
            self._add_file(self._left_out, _attributes(text))
        elif name == "embed" and self._left_out in ("", "noscript", "object"):
            self._add_media(_attributes(text))
        elif self._left_out not in ("", "noscript"):
            pass
        elif name == "img":
            self._add_picture(tag[0], _attributes(text))
        elif name == "source":
            attributes = _attributes(text)
            self._offered += [attributes[each] for each in _SRCSETS if attributes.get(each)]
        elif self._left_out:
            pass
        elif name == "math" and not closed:
            return self._formula(tag)
        elif name in _AMP_PLAYERS:
            self._add_media({"src": _AMP_PLAYERS[name] + _attributes(text).get("data-videoid", "")})
        elif name == "base":
            self._base = self._base or _attributes(text).get("href", "")
        elif name == "div" and closed:
            self._parts.append("<p>")  # it separates lines, without content
        elif name not in ("picture", "plaintext"):
            self._parts.append(f"{tag[0]}</{name}>" if closed else tag[0])
        return end

    def _left_out_element(self, tag: re.Match[str], name: str, *, closed: bool) -> int:
        """Handle the start of an element whose content is left out; return where to go on.

        Without an end tag it has no content, except that the rest would be a program's text.
        """
        end = tag.end()
        ends = not closed and self._last_ends.get(name, -1) >= end
        behind = end
        if name in _RAW and ends:
            behind = self._next_end(name, end)
        elif name in _CODE and not closed:
            behind = len(self._markup)
        if name in self._kept and not self._left_out:
            self._parts.append(self._markup[tag.start() : behind])
            return behind
        if self._left_out in ("", "noscript"):
            attributes = _attributes(tag["attributes"])
            if name == "iframe" and not is_invisible(attributes):
                self._add_media(attributes)
            elif name == "object":
                self._add_media({**attributes, "src": attributes.get("data", "")})
            elif name in _FILES:
                self._needs_file = True
                self._add_file(name, attributes)
            elif name == "svg" and not self._left_out and (title := _SVG_TITLE.match(self._markup, end)):
                self._parts.append(title[1])
        if ends and not self._left_out:
            self._left_out = name
        return behind

    @cached_property
    def _last_ends(self) -> dict[str, int]:
        """By element: the place of its last end tag."""
        return {found[1].lower(): found.start() for found in _ENDS.finditer(self._markup)}

    def _next_end(self, name: str, place: int) -> int:
        return next(re.compile(rf"</(?:amp-)?{name}(?=[\s/>])", re.IGNORECASE).finditer(self._markup, place)).start()

    def _formula(self, tag: re.Match[str]) -> int:
        """Write a formula with its annotation as its alternative text."""
        end = tag.end()
        if self._last_ends.get("math", -1) < end:
            return end
        behind = self._next_end("math", end)
        annotation = _ANNOTATION.search(self._markup, end, behind)
        text = _written("math", {"alttext": " ".join(unescape(annotation[1]).split())}) if annotation else "<math>"
        self._parts.append(f"{text[:-1]} {tag['attributes']}>{self._markup[end:behind]}")
        return behind

    def _add_media(self, attributes: dict[str, str], label: str = "") -> None:
        """Write an address that becomes a link."""
        page = page_of(_best_address(attributes))
        if page and page not in self._shown:
            self._shown.add(page)
            label = attributes.get("title") or label or page.partition("//")[2].partition("/")[0] or page
            self._parts.append(_written("embed", {"src": page, "title": " ".join(label.split())[:300]}))

    def _add_file(self, kind: str, attributes: dict[str, str]) -> None:
        """Add the first file of sound or a video."""
        address = _best_address(attributes)
        if address and self._needs_file:
            self._needs_file = False
            self._add_media(attributes, address.partition("?")[0].rpartition("/")[2])
            self._files[address] = attributes.get("type") or _FILES[kind]

    def _add_picture(self, tag: str, attributes: dict[str, str]) -> None:
        source = attributes.get("src", "")
        address = _best_address(attributes, self._offered)
        if address and address in self._shown and (self._left_out or address != source):
            return
        if self._left_out and self._picture >= 0:
            self._parts[self._picture] = ""
        self._shown.add(address)
        self._picture = len(self._parts)
        kept = {"src": address, **{each: attributes.get(each, "") for each in ("alt", "width", "height")}}
        same = address == source and tag[1:4].lower() == "img"
        self._parts.append(tag if same else _written("img", kept))


def _best_address(attributes: dict[str, str], offered: Iterable[str] = ()) -> str:
    """Return the address of the smallest version of a picture that is large enough, else of the largest.

    ``offered``: further values like that of ``srcset``. A placeholder is returned only if there is nothing else.
    """
    source = attributes.get("src", "")
    if not offered and not any("data-" in name or "srcset" in name for name in attributes):
        return source  # which is true of most pictures
    found = [(WIDTH / 2, value) for name, value in attributes.items() if _LAZY.fullmatch(name)] + [(WIDTH / 2, source)]
    for srcset in (*(attributes.get(name, "") for name in _SRCSETS), *offered):
        for address, *descriptor in map(str.split, filter(str.strip, _CANDIDATES.split(srcset[:20_000]))):
            if descriptor and _DESCRIPTOR.fullmatch(descriptor[0]):
                size = float(descriptor[0][:-1]) * (1 if descriptor[0].endswith("w") else WIDTH / 2)
                found.append((size, address))
            else:
                found.append((WIDTH / 2, address.rstrip(",")))
    found += [(WIDTH / 2, value) for name, value in attributes.items() if _LARGER.fullmatch(name)]
    real = [each for each in found if ("/" in each[1] or "." in each[1]) and not is_placeholder(each[1])]
    best = max(real, key=lambda each: (each[0] >= WIDTH, -each[0] if each[0] >= WIDTH else each[0]), default=None)
    return best[1] if best else source


def _attributes(text: str) -> dict[str, str]:
    """Return the attributes of a tag, of several with one name the first."""
    found: dict[str, str] = {}
    for name, *values in _ATTRIBUTE.findall(text):
        found.setdefault(name.lower(), unescape("".join(values)).strip())
    return found


def _written(name: str, attributes: dict[str, str]) -> str:
    written = (f' {each}="{escape(value)}"' for each, value in attributes.items() if value)
    return f"<{name}{''.join(written)}>"
