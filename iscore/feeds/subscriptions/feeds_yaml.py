"""``feeds.yaml``: how it is written, and reading it.

# Comments and order are the user's, and stay.
feeds:
  - url: https://example.org/feed.xml
    title: An example          # optional, as everything below
    tags: [science, daily]
    interval: 2h               # minutes, or a number with m, h or d; at least 5 minutes
    fulltext: true
    enabled: false
    priority: always           # all of its articles are shown; best: only those that score clearly above the threshold
  - https://example.org/other.atom
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from iscore.core import yaml_list
from iscore.core.documents import Document
from iscore.core.yaml_list import ListFile, ListForm, fields, flag, is_null, line_of, optional_text, text
from iscore.feeds.errors import SubscriptionsError, UrlError
from iscore.feeds.parsing.html_to_text import feed_name, line
from iscore.feeds.urls import typed_url, url_key
from storage.records.feeds import Priority, Subscription

SHORTEST, LONGEST = 300, 31 * 86_400
"""Bounds of an interval, in seconds."""
_KEYS = ("url", "title", "tags", "interval", "fulltext", "enabled", "priority")
_UNITS = {"": 60, "m": 60, "h": 3600, "d": 86_400}
_FORM = ListForm("feeds", SubscriptionsError, "one address in each item", "feed", alone="url")


@dataclass(frozen=True, slots=True)
class FeedsFile:
    """A valid file."""

    list: ListFile
    feeds: tuple[Subscription, ...]
    """One for each item of the list, in its order."""
    duplicates: Mapping[int, int]
    """Position of each feed that the list has before → position of the first one, which counts."""

    @property
    def distinct(self) -> tuple[Subscription, ...]:
        """The feeds, each once."""
        return tuple(feed for position, feed in enumerate(self.feeds) if position not in self.duplicates)

    def warnings(self) -> tuple[str, ...]:
        """One line for each duplicate."""
        lines = [line_of(item) for item in self.list.items]
        return tuple(
            f"{self.list.path}, line {lines[second]}: duplicate of line {lines[first]}, ignored"
            for second, first in self.duplicates.items()
        )


def read(path: Document) -> FeedsFile:
    """Read the text at ``path``.

    Raises ``SubscriptionsError`` with file and line for unknown keys, addresses that cannot be fetched, and whatever
    else is not as described above.
    """
    return _checked(yaml_list.read(path, _FORM))


def parse(content: str, path: Document) -> FeedsFile:
    """Read the text of a file; ``path`` is for messages. Raises ``SubscriptionsError``."""
    return _checked(yaml_list.parse(content, path, _FORM))


def _checked(file: ListFile) -> FeedsFile:
    feeds = tuple(_subscription(file, item) for item in file.items)
    first: dict[str, int] = {}
    positions = enumerate(first.setdefault(url_key(feed.url), position) for position, feed in enumerate(feeds))
    return FeedsFile(file, feeds, {position: before for position, before in positions if before != position})


def _subscription(file: ListFile, item: Node) -> Subscription:
    if isinstance(item, ScalarNode) and not is_null(item):
        values: dict[str, Node] = {"url": item}
    elif isinstance(item, MappingNode):
        values = fields(file, item, _KEYS)
    else:
        raise file.error("this item has no address; write `- url: https://…`", item)
    if "url" not in values:
        raise file.error("this feed has no `url:`", item)
    try:
        url = typed_url(text(file, values["url"], "`url`"))
    except UrlError as error:
        raise file.error(str(error), values["url"]) from error
    return Subscription(
        url=url,
        title=feed_name(optional_text(file, values, "title")),
        tags=_tags(file, values),
        interval=_interval(file, values),
        fulltext=flag(file, values, "fulltext", default=False),
        enabled=flag(file, values, "enabled", default=True),
        priority=_priority(file, values),
    )


def _tags(file: ListFile, values: Mapping[str, Node]) -> tuple[str, ...]:
    node = values.get("tags")
    if node is None or isinstance(node, ScalarNode):
        return tuple(filter(None, [line(optional_text(file, values, "tags"))]))
    if not isinstance(node, SequenceNode):
        raise file.error("`tags` must be a list of words", node)
    return tuple(dict.fromkeys(filter(None, (line(text(file, tag, "a tag")) for tag in node.value))))


def _priority(file: ListFile, values: Mapping[str, Node]) -> Priority:
    name = optional_text(file, values, "priority") if "priority" in values else Priority.FILTERED
    if name not in list(Priority):
        raise file.error(f"`priority` must be one of {', '.join(Priority)}", values["priority"])
    return Priority(name)


def _interval(file: ListFile, values: Mapping[str, Node]) -> int | None:
    if "interval" not in values:
        return None
    found = re.fullmatch(r"(\d{1,6})\s*([mhd]?)", optional_text(file, values, "interval"))
    seconds = int(found[1]) * _UNITS[found[2]] if found else 0
    if not SHORTEST <= seconds <= LONGEST:
        raise file.error(
            "`interval` must be between 5m and 31d: minutes as a number, or 30m, 2h, 1d", values["interval"]
        )
    return seconds
