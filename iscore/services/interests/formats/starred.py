"""What feed readers and keepers of bookmarks export: starred, liked, shared and labelled articles, as JSON or XML.

    {"items":   [{"title", "alternate": [{"href"}], "summary" | "content": {"content"}, "author", "categories"}]}
    {"entries": [{"title", "url", "content", "author", "tags", "starred"}]}
    {"stories": [{"story_title", "story_permalink", "story_content", "story_authors", "story_tags", "user_tags"}]}

The first is the form of Google Reader: FreshRSS, Inoreader, The Old Reader and others. Then come Miniflux's entries and
NewsBlur's stories. Wallabag has the JSON of versions 1 and 2, and the XML of version 2:

    [{"title", "url", "content", "tags": [..], "is_starred", "is_archived", "created_at", "published_by", ..}]
    <result><entry><title>..</title> .. <tags><entry>..</entry></tags></entry></result>

Tiny Tiny RSS writes rows of its tables as XML or as ``{"articles": [..]}``, as ``{"content": [..]}`` from its API, and
a list of starred articles, which says of none that it is:

    [{"link", "title", "content", "author", "tags" | "tag_cache", "labels" | "label_cache", "marked", "published"}]

The files of Pinboard, Karakeep and Linkwarden are read by ``bookmarks``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from xml.parsers import expat

from pydantic_core import from_json

from iscore.core.errors import RuleError
from iscore.core.translation import gettext
from iscore.feeds.parsing.encoding import to_utf8
from iscore.rules.boosts import DEFAULT_BOOST
from iscore.rules.rule import Field, Rule, make_rule
from iscore.services.interests.formats.bookmarks import (
    is_pinboard_post,
    linked_pages,
    linkwarden_reader,
    read_karakeep_bookmark,
    read_pinboard_post,
)
from iscore.services.interests.formats.builder import MalformedError, item_of, moment, text_in, texts_in
from iscore.services.learning.imported_item import ImportedItem
from storage.records.rules import Action

Reader = Callable[[Mapping[str, Any]], ImportedItem | None]

_SAVED = {"starred", "saved-web-pages"}
_LIKED = {"like", "broadcast", "created", "annotated"}
"""States of an item, and ends of the name of a stream."""
_OF_OTHERS = "broadcast-friends"
"""The end of the name of a stream with what other people shared."""


def read_json(text: str) -> Iterator[ImportedItem | Rule | None]:
    """Yield an item per liked article, None for each other one, and a rule for each thing that was trained.

    Raises ``MalformedError`` for any other JSON, and after the articles before a damaged end.
    """
    document, damaged = _parsed(text)
    trained = is_training(document)
    if trained:
        yield from read_training(document)
    listed, read = _listed(document)
    if read is None and not trained:
        lists = ", ".join(_FORMS)
        raise MalformedError(
            damaged
            or gettext("it has none of the lists %(lists)s that feed readers export, and no training", lists=lists)
        )
    for each in listed[: len(listed) - bool(damaged)]:  # the last one may be a part
        yield read(each) if read and isinstance(each, Mapping) else None
    if damaged:
        raise MalformedError(damaged)


def _parsed(text: str) -> tuple[Any, str]:
    """Return the document, and what is wrong with it; of one that ends early, what comes before its end."""
    try:
        return json.loads(text), ""
    except (ValueError, RecursionError) as error:
        problem = gettext("it is not JSON: %(error)s", error=error)
    try:
        return from_json(text, allow_partial=True), gettext("it ends early; %(problem)s", problem=problem)
    except ValueError:
        return None, problem


def _listed(document: object) -> tuple[list[Any], Reader | None]:
    """Return the entries of a document and how to read them; None for a document without any."""
    if isinstance(document, list):
        first = next((each for each in document if isinstance(each, Mapping)), {})
        if is_wallabag_entry(first):
            return document, read_wallabag_entry
        if is_pinboard_post(first):
            return document, read_pinboard_post
        name = "articles" if "marked" in first else "entries" if "url" in first else "items"
        document = {name: document} if first and "classifiers" not in first else {}
    if isinstance(document, Mapping):
        document = {"links": linked_pages(document), **document} if "collections" in document else document
        for name, read in _FORMS.items():
            listed = document.get(name)
            if isinstance(listed, list):
                return listed, read(document, [each for each in listed if isinstance(each, Mapping)])
    return [], None


def _google_reader(document: Mapping[str, Any], items: list[Mapping[str, Any]]) -> Reader:
    stream = text_in(document.get("id"))
    end, freshrss = stream.rpartition("/")[2], "/state/org.freshrss/" in stream
    of_label = "/label/" in stream
    if end == _OF_OTHERS:
        raise MalformedError(gettext("it has what other people shared, not you"))
    unknown = end not in _SAVED | _LIKED and not (of_label or freshrss or any(map(_states, items)))

    def read(item: Mapping[str, Any]) -> ImportedItem | None:
        states, labels = _states(item), _labels(item)
        # FreshRSS's list of starred articles has labelled ones as well.
        saved = bool(states & _SAVED) or unknown or (end in _SAVED and not (freshrss and labels))
        # Other readers write the folders of a feed among the labels of its articles.
        labelled = bool(labels) if freshrss else of_label
        if not (saved or labelled or states & _LIKED or end in _LIKED):
            return None
        return item_of(
            _href(item.get("canonical")) or _href(item.get("alternate")),
            text_in(item.get("title")),
            _part(item.get("content")) or _part(item.get("summary")),
            author=text_in(item.get("author")),
            categories=[word for word in texts_in(item.get("categories")) if not word.startswith("user/")],
            added=moment(item.get("timestampUsec")) or moment(item.get("published")),
            saved=saved,
            user_labels=labels if saved or labelled else (),
        )

    return read


def _miniflux(_: Mapping[str, Any], entries: list[Mapping[str, Any]]) -> Reader:
    has_stars = any(each.get("starred") is True for each in entries)

    def read(entry: Mapping[str, Any]) -> ImportedItem | None:
        if has_stars and entry.get("starred") is False:
            return None
        return item_of(
            text_in(entry.get("url")),
            text_in(entry.get("title")),
            text_in(entry.get("content")),
            author=text_in(entry.get("author")),
            categories=texts_in(entry.get("tags")),
            added=moment(entry.get("changed_at")) or moment(entry.get("published_at")),
            saved=True,
        )

    return read


def _newsblur(document: Mapping[str, Any], stories: list[Mapping[str, Any]]) -> Reader:
    has_stars = "classifiers" in document or any("starred" in each for each in stories)

    def read(story: Mapping[str, Any]) -> ImportedItem | None:
        saved = not has_stars or story.get("starred") is True
        if not saved and story.get("shared") is not True:
            return None
        return item_of(
            text_in(story.get("story_permalink")),
            text_in(story.get("story_title")),
            text_in(story.get("story_content")),
            author=text_in(story.get("story_authors")),
            categories=texts_in(story.get("story_tags")),
            added=moment(story.get("starred_timestamp")) or moment(story.get("story_timestamp")),
            saved=saved,
            user_labels=texts_in(story.get("user_tags")) if saved else (),
        )

    return read


def _tiny_tiny_rss(_: Mapping[str, Any], articles: Sequence[Mapping[str, Any]]) -> Reader:
    has_stars = any("marked" in each for each in articles)

    def read(article: Mapping[str, Any]) -> ImportedItem | None:
        saved = article.get("marked") in _YES or not has_stars
        if not saved and article.get("published") not in _YES:  # that is shared, and no time
            return None
        labels = article.get("labels") or _parsed(text_in(article.get("label_cache")))[0]
        labels = [each for each in labels if isinstance(each, list)] if isinstance(labels, list) else []
        return item_of(
            text_in(article.get("link")),
            text_in(article.get("title")),
            text_in(article.get("content")),
            author=text_in(article.get("author")),
            categories=texts_in(article.get("tags")) or text_in(article.get("tag_cache")).split(","),
            added=moment(article.get("updated")),
            saved=saved,
            user_labels=[name for label in labels for name in texts_in(label[1:2])] if saved else (),
        )

    return read


_FORMS: dict[str, Callable[[Mapping[str, Any], list[Mapping[str, Any]]], Reader]] = {
    "items": _google_reader,
    "entries": _miniflux,
    "stories": _newsblur,
    "articles": _tiny_tiny_rss,
    "content": _tiny_tiny_rss,
    "bookmarks": lambda _document, _bookmarks: read_karakeep_bookmark,
    "links": linkwarden_reader,
}


def _states(item: Mapping[str, Any]) -> set[str]:
    """Return what the reader knows of an item, written as ``user/-/state/com.google/starred`` among its categories."""
    words = (word.split("/") for word in texts_in(item.get("categories")))
    return {word[-1] for word in words if word[0] == "user" and len(word) > 3 and word[2] == "state"}


def _labels(item: Mapping[str, Any]) -> list[str]:
    """Return the user's labels, written as ``user/-/label/energy`` among the categories."""
    words = (word.split("/", 3) for word in texts_in(item.get("categories")))
    return [word[3] for word in words if word[0] == "user" and len(word) > 3 and word[2] == "label"]


def _part(value: object) -> str:
    return text_in(value.get("content")) if isinstance(value, Mapping) else ""


def _href(value: object) -> str:
    found = value[0] if isinstance(value, list) and value else None
    return text_in(found.get("href")) if isinstance(found, Mapping) else ""


NOTE = "NewsBlur"
_FIELDS = {
    "authors": (Field.AUTHOR, False),
    "tags": (Field.CATEGORY, False),
    "titles": (Field.PHRASE, True),
    "title_regex": (Field.REGEX, True),
    "texts": (Field.PHRASE, False),
    "text_regex": (Field.REGEX, False),
    "feeds": (Field.SOURCE, False),
}
"""What NewsBlur trains → what the rule looks at, and whether in titles only. It also knows parts of addresses."""


def is_training(document: object) -> bool:
    """Whether a JSON document has trained classifiers."""
    return any(_trained(document))


def read_training(document: object) -> Iterator[Rule | None]:
    """Yield a rule for each thing that was trained; None for what a rule cannot say, and for contradictions."""
    names = dict(_feed_names(document))
    scores: dict[tuple[str, str], set[int]] = {}
    for trained in _trained(document):
        for kind, values in trained.items():
            if not isinstance(values, Mapping) or kind.endswith("_scope"):
                continue
            for text, score in values.items():
                looked_for = names.get(text, "") if kind == "feeds" else text
                if score in (1, -1):
                    scores.setdefault((kind, looked_for), set()).add(score)
    for (kind, text), found in scores.items():
        yield _rule(kind, text, *found) if len(found) == 1 else None


def _rule(kind: str, text: str, score: int) -> Rule | None:
    if kind not in _FIELDS or not text:
        return None
    field, in_title = _FIELDS[kind]
    try:
        return make_rule(Action.BOOST, field, text, boost=score * DEFAULT_BOOST, in_title=in_title, note=NOTE)
    except RuleError:
        return None


def _trained(document: object) -> Iterator[Mapping[str, Any]]:
    """Yield the objects with classifiers, whichever answer of the API this is."""
    if isinstance(document, list):
        for each in document:
            if isinstance(each, Mapping):
                yield from _trained(each)
    elif isinstance(document, Mapping):
        for name in ("payload", "classifiers"):
            found = document.get(name)
            if isinstance(found, Mapping):
                each_feed = [found, *found.values()]
                yield from (each for each in each_feed if isinstance(each, Mapping) and "authors" in each)


def _feed_names(document: object) -> Iterator[tuple[str, str]]:
    """Yield number and title of each feed that the document names."""
    if isinstance(document, list):
        for each in document:
            yield from _feed_names(each)
    elif isinstance(document, Mapping):
        feeds = document.get("feeds")
        for number, feed in feeds.items() if isinstance(feeds, Mapping) else ():
            if isinstance(feed, Mapping) and isinstance(feed.get("feed_title"), str):
                yield str(number), feed["feed_title"]
        if isinstance(document.get("feed_title"), str) and isinstance(document.get("feed_id"), int | str):
            yield str(document["feed_id"]), document["feed_title"]


_YES = (True, 1, "1", "true", "t")
_LISTS = ("tags", "published_by")


def is_wallabag_entry(entry: Mapping[str, Any]) -> bool:
    """Whether an object is one of Wallabag's."""
    return "url" in entry and ("is_starred" in entry or "is_fav" in entry)


def read_wallabag_entry(entry: Mapping[str, Any]) -> ImportedItem | None:
    """Return an entry as an item: starred and unread ones are saved, and tags are their labels."""
    tags = entry.get("tags") or []
    tags = tags.split(",") if isinstance(tags, str) else [each for each in tags if isinstance(each, str)]
    authors = [each for each in entry.get("published_by") or [] if isinstance(each, str)]
    starred = entry.get("is_starred", entry.get("is_fav")) in _YES
    archived = entry.get("is_archived", entry.get("is_read")) in _YES
    saved = starred or not archived
    fetched = entry.get("is_not_parsed") not in _YES  # else the content says that the page could not be fetched
    return item_of(
        text_in(entry.get("url")),
        text_in(entry.get("title")),
        text_in(entry.get("content")) if fetched else "",
        author=", ".join(authors),
        categories=tags,
        added=moment(entry.get("starred_at") if starred else None) or moment(entry.get("created_at")),
        saved=saved,
        user_labels=tags if saved else (),
    )


def read_xml(data: bytes) -> Iterator[ImportedItem | None]:
    """Yield an item per entry. Raises ``MalformedError`` for other XML, and after the entries before a damaged end."""
    reader = _EntryReader()
    parser = expat.ParserCreate(encoding="utf-8")
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.CharacterDataHandler = reader.characters
    parser.EndElementHandler = reader.end
    parser.StartDoctypeDeclHandler = _refuse
    problem = ""
    try:
        parser.Parse(to_utf8(data), True)
    except (expat.ExpatError, UnicodeError) as error:
        problem = gettext("it is not well-formed XML: %(error)s", error=error)
    read_article = _tiny_tiny_rss({}, reader.entries)
    for entry in reader.entries:
        if "marked" in entry:
            yield read_article(entry)
        elif is_pinboard_post(entry):
            yield read_pinboard_post(entry)
        else:
            yield read_wallabag_entry(entry) if is_wallabag_entry(entry) else None
    if problem:
        raise MalformedError(problem)


def _refuse(*_: object) -> None:
    raise MalformedError(gettext("it defines its own entities, which no feed reader exports"))


class _EntryReader:
    """Collects entries: elements of depth 2, their fields of depth 3, and lists in these; and Pinboard's posts."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self._path: list[str] = []
        self._entry: dict[str, Any] = {}
        self._pieces: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name)
        self._pieces.clear()
        if len(self._path) == 2:
            self._entry = {each: [] for each in _LISTS}
            if name == "post":
                self.entries.append(attributes)

    def characters(self, text: str) -> None:
        self._pieces.append(text)

    def end(self, name: str) -> None:
        depth, text = len(self._path), "".join(self._pieces)
        if depth == 2 and name in ("entry", "article"):
            self.entries.append(self._entry)
        elif depth == 3 and name not in _LISTS:
            self._entry[name] = text.strip()
        elif depth == 4 and self._path[2] in _LISTS:
            self._entry[self._path[2]].append(text.strip())
        self._path.pop()
        self._pieces.clear()
