"""Starred articles of feed readers, as JSON: what FreshRSS, Inoreader and others export in the form of Google Reader,
Miniflux's entries, and NewsBlur's starred stories.

    {"items":   [{"title", "alternate": [{"href"}], "summary" | "content": {"content"}, "author", "categories"}]}
    {"entries": [{"title", "url", "content", "author", "tags"}]}
    {"stories": [{"story_title", "story_permalink", "story_content", "story_authors", "story_tags"}]}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from iscore.services.imports.errors import MalformedError
from iscore.services.imports.formats.builder import item_of, moment
from iscore.services.imports.item import ImportedItem


def read_starred(text: str) -> Iterator[ImportedItem]:
    """Yield an item per article with an address. Raises ``MalformedError`` for any other JSON."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MalformedError(f"it is not JSON: {error}") from error
    listed, read = _reader(document)
    for each in listed:
        item = read(each) if isinstance(each, Mapping) else None
        if item is not None:
            yield replace(item, starred=True)


def _reader(document: object) -> tuple[list[Any], Callable[[Mapping[str, Any]], ImportedItem | None]]:
    if isinstance(document, list) and document and isinstance(document[0], Mapping):
        document = {"entries" if "url" in document[0] else "items": document}
    if isinstance(document, Mapping):
        for name, read in _FORMS.items():
            listed = document.get(name)
            if isinstance(listed, list):
                return listed, read
    raise MalformedError(f"it has none of the lists {', '.join(_FORMS)} that feed readers export")


def _google_reader(item: Mapping[str, Any]) -> ImportedItem | None:
    content = _part(item.get("content")) or _part(item.get("summary"))
    return item_of(
        _href(item.get("canonical")) or _href(item.get("alternate")),
        _text(item.get("title")),
        content,
        author=_text(item.get("author")),
        # States of the reader are among the categories, as user/-/state/com.google/starred.
        categories=[word for word in _texts(item.get("categories")) if not word.startswith("user/")],
        added=moment(item.get("timestampUsec")) or moment(item.get("published")),
    )


def _miniflux(entry: Mapping[str, Any]) -> ImportedItem | None:
    return item_of(
        _text(entry.get("url")),
        _text(entry.get("title")),
        _text(entry.get("content")),
        author=_text(entry.get("author")),
        categories=_texts(entry.get("tags")),
        added=moment(entry.get("changed_at")) or moment(entry.get("published_at")),
    )


def _newsblur(story: Mapping[str, Any]) -> ImportedItem | None:
    return item_of(
        _text(story.get("story_permalink")),
        _text(story.get("story_title")),
        _text(story.get("story_content")),
        author=_text(story.get("story_authors")),
        categories=_texts(story.get("story_tags")),
        added=moment(story.get("starred_timestamp")) or moment(story.get("story_timestamp")),
    )


_FORMS: dict[str, Callable[[Mapping[str, Any]], ImportedItem | None]] = {
    "items": _google_reader,
    "entries": _miniflux,
    "stories": _newsblur,
}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _part(value: object) -> str:
    return _text(value.get("content")) if isinstance(value, Mapping) else ""


def _href(value: object) -> str:
    found = value[0] if isinstance(value, list) and value else None
    return _text(found.get("href")) if isinstance(found, Mapping) else ""
