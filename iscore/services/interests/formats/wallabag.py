"""Wallabag's entries: the JSON of versions 1 and 2, and the XML of version 2.

[{"title", "url", "content", "tags": [..], "is_starred", "is_archived", "created_at", "published_by", ..}]
<result><entry><title>..</title> .. <tags><entry>..</entry></tags></entry></result>
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from xml.parsers import expat

from iscore.core.translation import gettext
from iscore.services.interests.formats.builder import MalformedError, item_of, moment
from iscore.services.learning.imported_item import ImportedItem

_YES = (True, 1, "1", "true")
_LISTS = ("tags", "published_by")


def is_entry(entry: Mapping[str, Any]) -> bool:
    """Whether an object is one of Wallabag's."""
    return "url" in entry and ("is_starred" in entry or "is_fav" in entry)


def read_entry(entry: Mapping[str, Any]) -> ImportedItem | None:
    """Return an entry as an item: starred and unread ones are saved, and tags are their labels."""
    tags = entry.get("tags") or []
    tags = tags.split(",") if isinstance(tags, str) else [each for each in tags if isinstance(each, str)]
    authors = [each for each in entry.get("published_by") or [] if isinstance(each, str)]
    starred = entry.get("is_starred", entry.get("is_fav")) in _YES
    archived = entry.get("is_archived", entry.get("is_read")) in _YES
    saved = starred or not archived
    fetched = entry.get("is_not_parsed") not in _YES  # else the content says that the page could not be fetched
    return item_of(
        _text(entry.get("url")),
        _text(entry.get("title")),
        _text(entry.get("content")) if fetched else "",
        author=", ".join(authors),
        categories=tags,
        added=moment(entry.get("starred_at") if starred else None) or moment(entry.get("created_at")),
        saved=saved,
        user_labels=tags if saved else (),
    )


def read_xml(data: bytes) -> Iterator[ImportedItem | None]:
    """Yield an item per entry. Raises ``MalformedError`` for other XML, and after the entries before a damaged end."""
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.CharacterDataHandler = reader.characters
    parser.EndElementHandler = reader.end
    parser.StartDoctypeDeclHandler = _refuse
    problem = ""
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, UnicodeError) as error:
        problem = gettext("it is not well-formed XML: %(error)s", error=error)
    for entry in reader.entries:
        yield read_entry(entry) if is_entry(entry) else None
    if problem:
        raise MalformedError(problem)


def _refuse(*_: object) -> None:
    raise MalformedError(gettext("it defines its own entities, which Wallabag does not"))


class _Reader:
    """Collects the entries: elements of depth 2, their fields of depth 3, and lists in these."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self._path: list[str] = []
        self._entry: dict[str, Any] = {}
        self._pieces: list[str] = []

    def start(self, name: str, _: dict[str, str]) -> None:
        self._path.append(name)
        self._pieces.clear()
        if len(self._path) == 2:
            self._entry = {each: [] for each in _LISTS}

    def characters(self, text: str) -> None:
        self._pieces.append(text)

    def end(self, name: str) -> None:
        depth, text = len(self._path), "".join(self._pieces)
        if depth == 2 and name == "entry":
            self.entries.append(self._entry)
        elif depth == 3 and name not in _LISTS:
            self._entry[name] = text.strip()
        elif depth == 4 and self._path[2] in _LISTS:
            self._entry[self._path[2]].append(text.strip())
        self._path.pop()
        self._pieces.clear()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
