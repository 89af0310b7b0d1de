"""Bookmarks, saved pages and references: HTML, tables, RIS, and JSON of Pinboard, Karakeep and Linkwarden.

HTML is the Netscape format, as browsers and Raindrop export it, and that of Pocket and Instapaper. A scanner of our own
reads the links in time proportional to the file's length: the format was never valid HTML, its items are not closed,
and only the links matter. Folders say little about an article and are ignored.

Tables have a row for each page: Pocket, Instapaper, Raindrop, Readwise's Reader, Wallabag, Zotero and others. They
differ in the headings of their columns; a table of any program with ``url`` and ``title`` is read as well.

RIS has references as Zotero and other reference managers export them, a field a line:

    TY  - JOUR
    TI  - Grid storage doubles
    AU  - Halloran, Ines
    AB  - What the work says of itself.
    KW  - energy
    UR  - https://grid.example/storage
    ER  -

Pinboard's JSON (and XML, with the same names as attributes), then Karakeep's and Linkwarden's:

    [{"href", "description": title, "extended": note, "tags": "a b", "toread": "yes" | "no", "time"}]
    {"bookmarks":   [{"content": {"url"}, "title", "tags", "archived", "createdAt"}]}
    {"collections": [{"links": [{"id", "url", "name", "description", "tags": [{"name"}], "createdAt"}]}], "pinnedLinks"}
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from iscore.core.translation import gettext
from iscore.services.interests.formats.builder import MalformedError, item_of, moment, text_in, texts_in, work_of
from iscore.services.learning.imported_item import ImportedItem

_FIELD = re.compile(r"([A-Z][A-Z0-9])  - ?(.*)")
_BEGINNING, _END = "TY", "ER"
_TITLES, _ABSTRACTS, _AUTHORS, _ADDRESSES = ("TI", "T1", "CT", "BT"), ("AB", "N2"), ("AU", "A1"), ("UR", "L2", "LK")


def is_ris(first: str) -> bool:
    """Whether a first line begins a reference."""
    return first.startswith(f"{_BEGINNING}  -")


def read_ris(text: str) -> Iterator[ImportedItem | None]:
    """Yield an item per reference; None for one without a title or address.

    Raises ``MalformedError`` for a text without any, and after the references before one that does not end.
    """
    fields: dict[str, list[str]] = {}
    last = ""
    found = 0
    for row in text.splitlines():
        match = _FIELD.match(row)
        if match is None:
            if last and row.strip():  # a long field goes on
                fields[last][-1] += " " + row.strip()
            continue
        last = match[1]
        fields.setdefault(last, []).append(match[2].strip())
        if last == _END:
            found += 1
            yield _reference(fields)
            fields, last = {}, ""
    if not found:
        raise MalformedError(gettext("it has no reference from `TY  -` to `ER  -`"))
    if fields:
        raise MalformedError(gettext("its last reference does not end with `ER  -`"))


def _reference(fields: Mapping[str, Sequence[str]]) -> ImportedItem | None:
    title, abstract, address = _first(fields, _TITLES), _first(fields, _ABSTRACTS), _first(fields, _ADDRESSES)
    doi = _first(fields, ("DO",))
    authors = "; ".join(author for name in _AUTHORS for author in fields.get(name, ()))
    return reference_of(address, doi, title, abstract, authors, fields.get("KW", ()))


def reference_of(
    address: str, doi: str, title: str, abstract: str, authors: str, keywords: Sequence[str], added: str = ""
) -> ImportedItem | None:
    """Return a reference as an item: a page by its address or DOI, else a work without an address."""
    url = address or (f"https://doi.org/{re.sub(r'^(?:doi:|https?://(?:dx[.])?doi[.]org/)', '', doi)}" if doi else "")
    when = moment(added)
    if url:
        item = item_of(url, title, abstract, author=authors, categories=keywords, added=when)
        if item is not None:
            return item
    return work_of(title, abstract, author=authors, categories=keywords, added=when)


def _first(fields: Mapping[str, Sequence[str]], names: Sequence[str]) -> str:
    return next((value for name in names for value in fields.get(name, ()) if value), "")


_LINK = re.compile(r"<a\s([^<>]*)>([^<]*(?:<(?!/?a\b|/?d[dlt]\b|/?h[1-6]\b|/?li\b)[^<]*)*)", re.IGNORECASE)
"""A link with its contents, up to its end or to what cannot be inside a link."""
_ATTRIBUTE = re.compile(
    r"""(?<![a-z_-])([a-z_-]{1,20})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE
)

_HEADING = re.compile(r"<h1\b[^<>]*>([^<]*)", re.IGNORECASE)
_NOTE = re.compile(r"</a>\s*<dd>([^<]*)", re.IGNORECASE)
"""The beginning of the page, which Raindrop writes below a link. What browsers write there are the user's notes."""
_HEADINGS = {"unread", "starred"}
"""Headings of Pocket and Instapaper over what waits to be read, or is a favourite."""


def has_links(text: str) -> bool:
    """Whether there is any link, to a web page or not."""
    return _LINK.search(text) is not None


def read_bookmarks(text: str) -> Iterator[ImportedItem | None]:
    """Yield an item per link to a web page, None for each bookmarklet, local file and browser page."""
    headings = deque((found.start(), found[1].strip().casefold() in _HEADINGS) for found in _HEADING.finditer(text))
    to_read = False
    for found in _LINK.finditer(text):
        while headings and headings[0][0] < found.start():
            to_read = headings.popleft()[1]
        values = {name.lower(): html.unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(found[1])}
        if "href" not in values:
            continue
        tags = values.get("tags", "").split(",")
        saved = to_read or values.get("data-important") == "true" or values.get("toread") == "1"
        note = _NOTE.match(text, found.end()) if "data-cover" in values else None
        yield item_of(
            values["href"],
            found[2],
            note[1] if note else "",
            categories=tags,
            added=moment(values.get("add_date") or values.get("time_added") or ""),
            saved=saved,
            user_labels=tags if saved else (),
        )


LONGEST_FIELD = 10_000_000
"""Characters: Wallabag writes whole articles into a field."""
_COLUMNS = {
    "url": ("url", "link", "href"),
    "title": ("title", "name"),
    "text": ("selection", "excerpt", "content", "abstract note", "note", "description"),
    "author": ("author",),
    "tags": ("tags", "document tags", "manual tags"),
    "topics": ("automatic tags",),
    "added": ("time_added", "timestamp", "created", "saved date", "date added", "creation date", "date"),
    "doi": ("doi",),
}
"""What is wanted, and the headings under which programs write it; the first that has a value counts."""
_TO_READ = {"unread", "starred", "new", "later", "shortlist"}
"""Places of what waits to be read, or is a favourite: in Pocket, Instapaper and Readwise's Reader."""


def is_table(head: str) -> bool:
    """Whether a first line heads a table of pages or highlights."""
    names = set(_names(head))
    return len(names) > 1 and (bool(names & set(_COLUMNS["url"])) or is_highlights(names))


def read_table(text: str) -> Iterator[ImportedItem | None]:
    """Yield an item per row with an address, None for each row without one.

    Raises ``MalformedError`` without a column of addresses, and after the rows before one that cannot be read.
    """
    text = text.lstrip()
    head = text.partition("\n")[0]
    csv.field_size_limit(LONGEST_FIELD)
    names = _names(head)
    if is_highlights(set(names)):
        yield from read_highlights(_rows(text, head, names))
        return
    if not set(names) & set(_COLUMNS["url"]):
        raise MalformedError(gettext("its first line names no column `url`"))
    for row in _rows(text, head, names):
        yield _item(row)


def _names(head: str) -> list[str]:
    try:
        first = next(csv.reader(io.StringIO(head, newline=""), delimiter=_delimiter(head)), [])
    except csv.Error as error:
        raise MalformedError(gettext("not a CSV table: %(error)s", error=error)) from error
    return [name.strip().casefold() for name in first]


def _rows(text: str, head: str, names: list[str]) -> Iterator[dict[str, str]]:
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(head))
        next(rows, None)
        for row in rows:
            if row:
                # Of two columns of one name the first counts; a short row lacks its last columns.
                yield dict(reversed([*zip(names, row + [""] * len(names), strict=False)]))
    except csv.Error as error:
        raise MalformedError(gettext("not a CSV table: %(error)s", error=error)) from error


def _item(row: Mapping[str, str]) -> ImportedItem | None:
    values = {
        what: next((row[name] for name in names if row.get(name, "").strip()), "") for what, names in _COLUMNS.items()
    }
    tags = _tags(values["tags"])
    if "item type" in row:  # Zotero
        keywords = [*tags, *_tags(values["topics"])]
        return reference_of(
            values["url"], values["doi"], values["title"], values["text"], values["author"], keywords, values["added"]
        )
    if row.get("location") == "feed" and "reading progress" in row:  # Reader's feeds: nobody chose these
        return None
    place = row.get("status") or row.get("location") or ("selection" in row and row.get("folder")) or ""
    saved = place.strip().casefold() in _TO_READ or row.get("favorite", "").strip().casefold() == "true"
    return item_of(
        values["url"],
        values["title"],
        values["text"],
        author=values["author"],
        categories=tags,
        added=moment(values["added"]),
        saved=saved,
        user_labels=tags if saved else (),
    )


def _tags(values: str) -> list[str]:
    """Read ``a|b`` (Pocket), ``["a","b"]`` (Instapaper), ``['a', 'b']`` (Reader), ``a; b`` (Zotero) or ``a, b``."""
    if values.startswith("["):
        try:
            found = json.loads(values)
        except (ValueError, RecursionError):
            return [a or b for a, b in re.findall(r"""'([^']*)'|"([^"]*)\"""", values)]
        return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []
    separator = next((each for each in "|;" if each in values), ",")
    return values.split(separator)


def _delimiter(head: str) -> str:
    return max(",;\t", key=head.count)


DISCARDED = ".discard"
"""A tag by which Readwise's users throw a highlight away."""


def is_highlights(names: set[str]) -> bool:
    """Whether these, in lower case, are the names of the columns."""
    return {"highlight", "book title"} <= names


def read_highlights(rows: Iterator[Mapping[str, str]]) -> Iterator[ImportedItem | None]:
    """Yield an item per book or article, with its highlights as its text; None for each row without a highlight."""
    works: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for row in rows:
        tags = [tag.strip() for tag in row.get("tags", "").split(",")]
        if row["highlight"].strip() and row["book title"].strip() and DISCARDED not in tags:
            works.setdefault((row["book title"], row.get("book author", "")), []).append(row)
        else:
            yield None
    for (title, author), passages in works.items():
        when = [at for at in (moment(each.get("highlighted at", "")) for each in passages) if at]
        yield work_of(
            title,
            "\n".join(each["highlight"] for each in passages),
            author=author,
            categories=passages[0].get("document tags", "").split(","),
            added=max(when, default=None),
        )


def read_karakeep_bookmark(bookmark: Mapping[str, Any]) -> ImportedItem | None:
    """Return a bookmark as an item: what is not archived is saved; a note has no address."""
    found = bookmark.get("content")
    content = found if isinstance(found, Mapping) else {}
    title = text_in(bookmark.get("title")) or text_in(content.get("title"))
    tags, added = _tags_in(bookmark.get("tags")), moment(bookmark.get("createdAt"))
    if not text_in(content.get("url")):  # a note of the user's own
        return work_of(title, text_in(content.get("text")), categories=tags, added=added)
    saved, text = bookmark.get("archived") is not True, text_in(content.get("description"))
    return _bookmark(text_in(content["url"]), title, text, tags, added, saved=saved)


def linkwarden_reader(document: Mapping[str, Any], _: object) -> Callable[[Mapping[str, Any]], ImportedItem | None]:
    """Return the reader of links, of which pinned ones are saved."""
    numbers = {str(each["id"]) for each in _objects(document.get("pinnedLinks")) if "id" in each}

    def read(link: Mapping[str, Any]) -> ImportedItem | None:
        title, text, added = text_in(link.get("name")), text_in(link.get("description")), moment(link.get("createdAt"))
        saved = str(link.get("id")) in numbers
        return _bookmark(text_in(link.get("url")), title, text, _tags_in(link.get("tags")), added, saved=saved)

    return read


def linked_pages(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the links of all collections."""
    return [link for each in _objects(document["collections"]) for link in _objects(each.get("links"))]


def is_pinboard_post(post: Mapping[str, Any]) -> bool:
    """Whether an object is one of Pinboard's."""
    return "href" in post and "description" in post


def read_pinboard_post(post: Mapping[str, Any]) -> ImportedItem | None:
    """Return a bookmark as an item: one to be read is saved, with its tags as labels."""
    tags = text_in(post.get("tags") or post.get("tag")).split()
    title, text, added = text_in(post.get("description")), text_in(post.get("extended")), moment(post.get("time"))
    return _bookmark(text_in(post.get("href")), title, text, tags, added, saved=post.get("toread") == "yes")


def _bookmark(
    url: str, title: str, text: str, tags: list[str], added: datetime | None, *, saved: bool
) -> ImportedItem | None:
    return item_of(url, title, text, categories=tags, added=added, saved=saved, user_labels=tags if saved else ())


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _tags_in(value: object) -> list[str]:
    """Return the names of tags, which are texts or objects."""
    tags = value if isinstance(value, list) else []
    return texts_in([each.get("name") if isinstance(each, Mapping) else each for each in tags])
