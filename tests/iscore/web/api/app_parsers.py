"""What the parsers of six apps require of answers, as read in the apps' own sources; and what does not fit.

    Capy Reader (Moshi), FeedFlow (kotlinx.serialization), NetNewsWire (Codable), ReadYou (Gson): types of fields
    Readrops (a parser written by hand), Fluent Reader (JavaScript): what their code reads without looking

A shape is a type, a condition, an object by the names of its fields, or a list with the shape of all its elements. A
field whose name ends with a question mark may be missing or null; one that is not named is not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Shape = type | Callable[[Any], bool] | dict[str, Any] | list[Any]


def misfits(shape: Shape, value: Any, place: str = "") -> Iterator[str]:
    """Name the places of a value that a shape does not allow.

    >>> list(misfits({"id": str, "title?": str, "items": [{"url": filled}]}, {"id": 7, "items": [{"url": ""}]}))
    ['.id', '.items[0].url']
    """
    if isinstance(shape, dict) and isinstance(value, dict):
        for field, inner in shape.items():
            name, found = field.removesuffix("?"), value.get(field.removesuffix("?"))
            if found is not None or name == field:
                yield from misfits(inner, found, f"{place}.{name}")
    elif isinstance(shape, list) and isinstance(value, list):
        for number, each in enumerate(value):
            yield from misfits(shape[0], each, f"{place}[{number}]")
    elif not (type(value) is shape if isinstance(shape, type) else callable(shape) and shape(value)):
        yield place


def filled(value: Any) -> bool:
    """Whether this is a text that is not empty."""
    return isinstance(value, str) and bool(value)


def digits(value: Any) -> bool:
    """Whether this is a whole number of 64 bits, written as text."""
    return filled(value) and value.isdecimal() and int(value) < 2**63


def numbers(value: Any) -> bool:
    """Whether these are whole numbers of 32 bits with commas between them."""
    return filled(value) and all(each.isdecimal() and int(each) < 2**31 for each in value.split(","))


def long_id(value: Any) -> bool:
    """Whether this ends with a number of 64 bits in hexadecimal, all 16 digits of it."""
    last = value.rpartition("/")[2] if isinstance(value, str) else ""
    return len(last) == 16 and int(last, 16) < 2**63


def filled_up(value: Any) -> bool:
    """Whether a decimal id, made hexadecimal and filled up with zeros to its own length, is that of an item."""
    return digits(value) and long_id("/" + f"{int(value):x}".zfill(len(value)))


def link_first(value: Any) -> bool:
    """Whether there is a first link whose address is a text."""
    return isinstance(value, list) and bool(value) and type(value[0].get("href")) is str


def one_folder(value: Any) -> bool:
    """Whether there is no second folder, and the only one has an id."""
    return isinstance(value, list) and len(value) < 2 and all(filled(each["id"]) for each in value)


def id_only(value: Any) -> bool:
    """Whether an object has an id and nothing else."""
    return isinstance(value, dict) and list(value) == ["id"] and filled_up(value["id"])


def id_before_icon(value: Any) -> bool:
    """Whether a feed's number comes before that of its icon: they are read in their order."""
    return isinstance(value, dict) and list(value).index("id") < list(value).index("favicon_id")


CONTENTS, IDS, FEEDS, TAGS = "contents", "ids", "feeds", "tags"
"""Answers of the Google Reader API: items, ids of items, ``subscription/list`` and ``tag/list``."""
FEVER = "Fever"
"""The answer to all questions of the Fever API at once."""
LABEL = {"id": str, "label?": str}
TEXTS = dict.fromkeys(("title?", "url?", "htmlUrl?", "iconUrl?"), str)

PARSERS: dict[str, dict[str, Shape]] = {
    "Capy Reader": {
        CONTENTS: {
            "items": [
                {
                    "id": long_id, "published": int, "title": str, "author?": str, "categories?": [str],
                    "canonical": [{"href": str}], "summary": {"content?": str}, "content?": {"content": str},
                    "origin": {"streamId": str, "htmlUrl": str, "title": str},
                    "enclosure?": [{"href?": str, "type?": str}],
                }
            ]
        },
        IDS: {"itemRefs": [{"id": digits}], "continuation?": str},
        FEEDS: {
            "subscriptions": [
                {"id": str, "title": str, "categories": [LABEL], "url?": str, "htmlUrl": str, "iconUrl?": str}
            ]
        },
        TAGS: {"tags": [{"id": str, "type?": ("folder", "tag").__contains__}]},
    },
    "FeedFlow": {
        CONTENTS: {
            "items": [
                {
                    "id": str, "published": int, "title": str, "author?": str, "categories?": [str],
                    "canonical": [{"href": str}], "summary": {"content": str}, "content?": {"content": str},
                    "origin": {"streamId": str, "htmlUrl": str, "title": str},
                    "enclosure?": [{"href": str, "type": str}],
                }
            ],
            "continuation?": str,
        },
        IDS: {"itemRefs": [{"id": digits}], "continuation?": str},
        FEEDS: {"subscriptions": [TEXTS | {"id": str, "title": str, "categories": [{"id": str, "label": str}]}]},
    },
    "Readrops": {
        CONTENTS: {
            "items": [
                {
                    "id": filled, "published": int, "title": filled, "author?": str, "categories": [str],
                    "summary": {"content?": str}, "alternate": [{"href": str}], "origin": {"streamId": str},
                }
            ]
        },
        IDS: {"itemRefs": [id_only]},
        FEEDS: {
            "subscriptions": [
                TEXTS | {"id": filled, "title": filled, "url": filled, "categories": one_folder},
            ]
        },
        TAGS: {"tags": [{"id": filled, "type?": str}]},
        FEVER: {
            "auth": int,
            "feeds": [id_before_icon],
            "feeds_groups": [{"group_id": int, "feed_ids": numbers}],
            "groups": [{"id": int, "title": filled}],
            "favicons": [{"id": int, "data": lambda data: ";base64," in data}],
            "items": [
                {
                    "id": int, "feed_id": int, "title": filled, "author?": str, "html?": str, "url?": str,
                    "is_read": int, "is_saved": int, "created_on_time": int,
                }
            ],
        },
    },
    "Fluent Reader": {
        CONTENTS: {
            "items": [
                {
                    "id": long_id, "published": int, "title": str, "crawlTimeMsec": digits, "categories": [str],
                    "canonical": link_first, "summary": {"content": str}, "origin": {"streamId": str},
                }
            ],
            "continuation?": str,
        },
        IDS: {"itemRefs": [{"id": str}], "continuation?": str},
        FEEDS: {"subscriptions": [{"id": str, "title": str, "url": filled, "categories": [{"label": str}]}]},
        FEVER: {
            "auth": int,
            "feeds": [{"id": int, "title": str, "url": filled}],
            "groups": [{"id": int, "title": str}],
            "feeds_groups": [{"group_id": int, "feed_ids": str}],
            "items": [{"id": int, "feed_id": int, "title": str, "url": str, "html": str, "created_on_time": int}],
        },
    },
    "NetNewsWire": {
        CONTENTS: {
            "id": str,
            "updated": int,
            "items": [
                {
                    "id": long_id, "title?": str, "author?": str, "published?": int, "categories": [str],
                    "crawlTimeMsec?": str, "timestampUsec?": str, "summary": {"content?": str},
                    "alternate?": [{"href?": str}], "origin": {"streamId?": str, "title?": str},
                }
            ],
        },
        IDS: {"itemRefs?": [{"id?": digits}], "continuation?": str},
        FEEDS: {"subscriptions": [TEXTS | {"id": str, "categories": [{"id": str, "label": str}]}]},
        TAGS: {"tags": [{"id": str, "type?": str}]},
    },
    "ReadYou": {
        CONTENTS: {
            "items": [
                {
                    "id": long_id, "published?": int, "title?": str, "author?": str, "crawlTimeMsec?": digits,
                    "summary?": {"content?": str}, "canonical?": [{"href?": str}], "alternate?": [{"href?": str}],
                    "origin": {"streamId": filled, "htmlUrl?": str},
                }
            ]
        },
        IDS: {"itemRefs?": [{"id": digits}], "continuation?": str},
        FEEDS: {"subscriptions": [TEXTS | {"id": filled, "url": filled, "categories?": [LABEL]}]},
        FEVER: {
            "feeds": [{"id": int, "favicon_id?": int, "title?": str, "url": str}],
            "feeds_groups?": [{"group_id?": int, "feed_ids?": numbers}],
            "groups?": [{"id": int, "title?": str}],
            "favicons?": [{"id": int, "data?": str}],
            "items?": [
                {
                    "id": int, "feed_id": int, "title?": str, "author?": str, "html?": str, "url?": str,
                    "is_saved?": int, "is_read?": int, "created_on_time?": int,
                }
            ],
        },
    },
}  # fmt: skip
