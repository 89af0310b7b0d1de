"""Why what iScore reads of other feed readers' fixtures is not what their tests expect: kinds, with a reason each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.fixture_sets import Fixture
from iscore.feeds.parsing.html_to_text import prose


@dataclass(frozen=True)
class Compared:
    """A value of a fixture beside ours."""

    fixture: Fixture
    field: str
    expected: object
    ours: object
    same: bool


@dataclass(frozen=True)
class Kind:
    """A kind of difference, recognised by what differs."""

    name: str
    example: str
    reason: str
    fits: Callable[[Compared], bool]


def _several(names: object) -> bool:
    return isinstance(names, list) and ", " in ", ".join(names)


def _in_body(*parts: bytes) -> Callable[[Compared], bool]:
    return lambda each: any(part in each.fixture.body for part in parts)


def _of(field: str, *parts: bytes) -> Callable[[Compared], bool]:
    return lambda each: each.field in field.split() and (not parts or _in_body(*parts)(each))


def _damaged(each: Compared) -> bool:
    """Tell whether an expected text is ours, but for letters that the test could not read."""
    texts = each.expected if isinstance(each.expected, list) else [str(each.expected)]
    ours = " ".join(each.ours) if isinstance(each.ours, tuple) else str(each.ours)
    plain = [" ".join(prose(text).text.split()).strip("\ufffd ") for text in texts if "\ufffd" in text]
    return any(re.search(re.escape(text).replace("\ufffd", "."), " ".join(ours.split())) for text in plain)


def _mixed_up(each: Compared) -> bool:
    """Tell whether all letters of an expected text are in ours."""
    texts = each.expected if each.field == "text" and isinstance(each.expected, list) else []
    ours = Counter("".join(str(each.ours).split()))
    return any(Counter("".join(prose(text).text.split())) <= ours for text in texts)


_SHORT = re.compile(
    r"\.(?:py|go) (?:-?\d\d-?\d\d(?:-?\d\d)?|\d{5}|\d{4}-\d\d|[A-Z][a-z]+\. \d{4}|.*\+15:00|.*-012-.*)$"
)
_ORIGINAL = b"feedburner:orig"
THEIRS, CHOICE, DEFECT = "theirs: ", "choice: ", "defect: "
KINDS = (
    Kind(
        "the expected text is damaged",
        "a feed in Latin-1 that the test reads as UTF-8",
        THEIRS + "its expectations have U+FFFD where ours have the letters",
        _damaged,
    ),
    Kind(
        "the words of inline XHTML in another order",
        "words between links that come before all links, or without them",
        THEIRS + "ours are in the order of the document, all of them",
        lambda each: each.fixture.project == "rss-parser" and "reddit" in each.fixture.name and _mixed_up(each),
    ),
    Kind(
        "an option of the other program",
        "a word of the reader's choice for each empty element",
        THEIRS + "iScore has no such option",
        lambda each: each.fixture.name.endswith("xml2js-options.rss"),
    ),
    Kind(
        "Content-Location and Content-Language",
        "relative links resolved against a header of the response",
        CHOICE + "the first is no base (RFC 9110, as in browsers); feeds say their language themselves",
        lambda each: any(name in each.fixture.body.lower() for name in (b"content-location:", b"content-language:")),
    ),
    Kind(
        "an encoding that nothing declares",
        "a feed in KOI8-R without a word about it",
        CHOICE + "it is read as windows-1252; a guess may be wrong without a word",
        lambda each: each.field == "encoding" and "chardet" in each.fixture.name,
    ),
    Kind(
        "nearly valid UTF-8 read as windows-1252 as a whole",
        "a byte that is no UTF-8 among many that are",
        CHOICE + "declared UTF-8 stays UTF-8, with U+FFFD for the bad byte",
        lambda each: "linenoise" in each.fixture.name,
    ),
    Kind(
        "two names of HTML's entities",
        "&lang; and &rang;",
        CHOICE + "the characters of HTML 5; those of HTML 4 are Chinese brackets",
        lambda each: each.fixture.name in ("entities/lang.xml", "entities/rang.xml"),
    ),
    Kind(
        "something stands in for a title or a site",
        "the address of an entry without a title as its title",
        CHOICE + "what is stored is empty; lists show the first sentence of the text, and the address of the feed",
        lambda each: each.field in ("title", "site") and each.ours == "" and each.fixture.project == "miniflux",
    ),
    Kind(
        "the site stands in for a link",
        "an entry without a link gets that of the feed",
        CHOICE + "several entries with one address would be one; the address in RDF's rdf:about is used",
        lambda each: (each.field == "link" and "Without" in each.fixture.name) or "IDAsURL" in each.fixture.name,
    ),
    Kind(
        "relative links resolved against the site",
        "an entry's link, where feed and site have different hosts",
        CHOICE + "the base is xml:base, else the address of the document (RFC 3986); in texts the article's page",
        lambda each: each.field in ("link", "html") and "elative" in each.fixture.name,
    ),
    Kind(
        "relative addresses of files",
        "an enclosure of a feed whose articles are on another host",
        CHOICE + "the base is xml:base, else the article's page, as for links in its text",
        lambda each: each.field == "enclosure" and "elative" in each.fixture.name,
    ),
    Kind(
        "an id that looks like a relative link",
        "an id resolved against xml:base",
        CHOICE + "ids are compared letter by letter, and shown nowhere",
        lambda each: each.field == "id" and "http:" in str(each.expected) and "id:" in str(each.ours),
    ),
    Kind(
        "a document that is cut or has wrong end tags, without entries",
        "a title whose end tag has another name",
        CHOICE + "what is not closed rightly is not read",
        lambda each: (
            (each.field in ("title", "site", "language") and "damaged" in str(each.ours))
            or any(name in each.fixture.name for name in ("title_xhtml_", "rss_channel_language"))
        ),
    ),
    Kind(
        "a prefix that is not declared",
        "atom:link in RSS without xmlns:atom",
        DEFECT + "the link of the feed is missing; articles are complete",
        lambda each: each.field == "site" and "atom_link" in each.fixture.name,
    ),
    Kind(
        "FeedBurner's redirectors",
        "the link of a redirector, where origLink says the page's",
        CHOICE + "the original address is the link",
        lambda each: each.field == "link" and each.fixture.project == "rss-parser" and _of("link", _ORIGINAL)(each),
    ),
    Kind(
        "FeedBurner's original addresses",
        "origLink of an item, origEnclosureLink of its file",
        DEFECT + "the redirector's address is used",
        _of("link enclosure", _ORIGINAL),
    ),
    Kind(
        "a link element with attributes",
        "the text of <link uri=...>",
        DEFECT + "no link at all",
        _of("link", b" uri="),
    ),
    Kind(
        "several authors",
        "the last of Atom's, the first dc:creator",
        DEFECT + "the others are lost",
        lambda each: each.field == "author" and _several(each.expected) and "<" not in str(each.ours),
    ),
    Kind(
        "the author of the channel",
        "dc:creator of an RDF channel",
        DEFECT + "items have no author",
        lambda each: each.field == "author" and each.ours == "" and "FeedAuthor" in each.fixture.name,
    ),
    Kind(
        "markup or an address in an author",
        "Name (mailto:address)",
        DEFECT + "it is shown as a name",
        lambda each: each.field == "author" and each.ours != "",
    ),
    Kind(
        "markup in an element that has text only",
        "<author><p>Name</p></author>",
        DEFECT + "the text is lost",
        lambda each: each.field in ("author", "category", "id") and "_naked_markup" in each.fixture.name,
    ),
    Kind("the label of a category", "a term beside its label", CHOICE + "the label is for people", _of("category")),
    Kind(
        "entries that are the same",
        "two with the same text and no id",
        CHOICE + "they count once",
        lambda each: re.fullmatch(r"\d+ entries", str(each.ours)) is not None,
    ),
    Kind(
        "an entity that the document defines",
        "&id; in an id",
        CHOICE + "nothing that a document defines is expanded",
        lambda each: "entity_in_doctype" in each.fixture.name,
    ),
    Kind(
        "an empty xml:lang",
        "a text in no language in a feed with one",
        CHOICE + "an empty language says nothing, so the feed's counts",
        lambda each: each.field == "language" and each.expected is None,
    ),
    Kind(
        "the language of the text",
        "a title in another language than the text",
        DEFECT + "the title's, or the feed's, is used",
        _of("language"),
    ),
    Kind(
        "content that is no text",
        "a video in base64, JSON",
        CHOICE + "it is not for readers",
        _of("text html", b'type="video', b'type="application/json', b'type="application/atom'),
    ),
    Kind(
        "content in base64",
        "Atom's text in base64",
        DEFECT + "the text is empty",
        lambda each: each.field in ("text", "title", "html") and "base64" in each.fixture.name,
    ),
    Kind(
        "content of an unknown type of text",
        "text/whatever",
        DEFECT + "the text is empty, also that of the other versions",
        _of("text", b"text/whatever"),
    ),
    Kind(
        "the shorter of two texts",
        "summary and content of one entry",
        CHOICE + "the longest text of an entry is its text",
        lambda each: each.field == "text" and "content_and_summary" in each.fixture.name,
    ),
    Kind(
        "a player leaves a link",
        "embed with an address",
        CHOICE + "the link leads to what cannot be shown",
        lambda each: each.field == "html" and 'href="' in str(each.ours) and "sanitize/" in each.fixture.name,
    ),
    Kind(
        "text inside or behind an object",
        "words behind an object that is not closed",
        DEFECT + "they are lost",
        _of("text title", b"object"),
    ),
    Kind(
        "text inside an iframe",
        "words between iframe's tags",
        CHOICE + "no browser shows them; HTML says that they are no content",
        _of("text title", b"iframe"),
    ),
    Kind(
        "what HTML calls a comment or a declaration",
        "<!x> in a text, nested CDATA",
        CHOICE + "read as the HTML standard says, which shows other letters in such pages",
        lambda each: (
            each.field in ("text", "title")
            and any(name in each.fixture.name for name in ("doctype", "cdata", "malicious", "declaration"))
        ),
    ),
    Kind(
        "what is no date",
        "an hour 25, a month xx",
        DEFECT + "it is another time, without a word",
        lambda each: each.field == "date" and each.expected is None,
    ),
    Kind(
        "a month or a year without a day, and the shortest forms of ISO 8601",
        "031231, November of a year",
        CHOICE + "what may be another date, or is longer than a day, is no date",
        lambda each: each.field == "date" and each.ours is None and _SHORT.search(each.fixture.name) is not None,
    ),
    Kind(
        "a date that is read as another time",
        "a zone by the name of a place, an hour in the afternoon",
        DEFECT + "what is not understood is left out",
        lambda each: each.field == "date" and each.ours is not None,
    ),
    Kind(
        "a date that is not understood",
        "names of months and days in other languages, 12-hour clocks, month before day",
        DEFECT + "the article is dated by its arrival",
        _of("date"),
    ),
    Kind("others", "", "not looked at yet", bool),
)


def kind_of(each: Compared) -> str:
    """Return the name of the kind of a difference."""
    return next(kind.name for kind in KINDS if kind.fits(each))
