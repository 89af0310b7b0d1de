"""``feeds.yaml``: how it is written, and reading it.

    # Comments and order are the person's, and stay.
    feeds:
      - url: https://example.org/feed.xml
        title: An example          # optional, as everything below
        tags: [science, daily]
        interval: 2h               # minutes, or a number with m, h or d; at least 5 minutes
        fulltext: true
        enabled: false
      - https://example.org/other.atom

``iscore.core.yaml_list`` reads and edits such lists; ``subscriptions`` adds and removes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from iscore.core.yaml_list import parsing
from iscore.core.yaml_list.parsing import MAX_SIZE, Form, Item, ListFile, is_null
from iscore.core.yaml_list.values import flag, given, keyed, text, text_if_given
from iscore.feeds.errors import AddressError, SubscriptionsError
from iscore.feeds.http.address import check_url, sameness
from iscore.feeds.parsing.html_to_text import line
from storage.records import Subscription

__all__ = ["LONGEST", "MAX_SIZE", "SHORTEST", "FeedsFile", "parse", "read"]

SHORTEST, LONGEST = 300, 31 * 86_400
"""Bounds of an interval, in seconds."""
_KEYS = ("url", "title", "tags", "interval", "fulltext", "enabled")
_UNITS = {"": 60, "m": 60, "h": 3600, "d": 86_400}
_FORM = Form("feeds", SubscriptionsError, "one address in each item", "feed")


@dataclass(frozen=True, slots=True)
class FeedsFile:
    """A file that was read and found to be in order."""

    list: ListFile
    feeds: tuple[Subscription, ...]
    """One for each item of the list, in its order."""


def read(path: Path) -> FeedsFile:
    """The file at ``path``, in order.

    Raises ``SubscriptionsError`` with file and line for whatever is not as described above: unknown keys,
    addresses that cannot be fetched, the same feed twice.
    """
    return _understood(parsing.read(path, _FORM))


def parse(text: str, path: Path) -> FeedsFile:
    """Read the text of a file; ``path`` is for messages. Raises ``SubscriptionsError``."""
    return _understood(parsing.parse(text, path, _FORM))


def _understood(file: ListFile) -> FeedsFile:
    feeds = tuple(_subscription(file, item.node) for item in file.items)
    _refuse_duplicates(file.path, file.items, feeds)
    return FeedsFile(file, feeds)


def _subscription(file: ListFile, item: Node) -> Subscription:
    if isinstance(item, ScalarNode) and not is_null(item):
        values: dict[str, Node] = {"url": item}
    elif isinstance(item, MappingNode):
        values = keyed(file, item, _KEYS)
    else:
        raise file.wrong(item, "this item has no address; write `- url: https://…`")
    if "url" not in values:
        raise file.wrong(item, "this feed has no `url:`")
    try:
        url = check_url(text(file, values["url"], "`url`"))
    except AddressError as error:
        raise file.wrong(values["url"], str(error)) from error
    tags, interval = given(values, "tags"), given(values, "interval")
    return Subscription(
        url=url,
        title=line(text_if_given(file, values, "title")),
        tags=() if tags is None else _tags(file, tags),
        interval=None if interval is None else _interval(file, interval),
        fulltext=flag(file, values, "fulltext", default=False),
        enabled=flag(file, values, "enabled", default=True),
    )


def _tags(file: ListFile, node: Node) -> tuple[str, ...]:
    if isinstance(node, ScalarNode):
        return tuple(filter(None, [line(text(file, node, "`tags`"))]))
    if not isinstance(node, SequenceNode):
        raise file.wrong(node, "`tags` must be a list of words")
    return tuple(dict.fromkeys(filter(None, (line(text(file, tag, "a tag")) for tag in node.value))))


def _interval(file: ListFile, node: Node) -> int:
    found = re.fullmatch(r"(\d{1,6})\s*([mhd]?)", text(file, node, "`interval`"))
    seconds = int(found[1]) * _UNITS[found[2]] if found else 0
    if not SHORTEST <= seconds <= LONGEST:
        raise file.wrong(node, "`interval` must be between 5m and 31d: minutes as a number, or 30m, 2h, 1d")
    return seconds


def _refuse_duplicates(path: Path, items: Sequence[Item], feeds: Sequence[Subscription]) -> None:
    """Two items with the same address are a mistake: which title, which interval should count?"""
    first: dict[str, int] = {}
    for item, feed in zip(items, feeds, strict=True):
        earlier = first.setdefault(sameness(feed.url), item.first_line)
        if earlier != item.first_line:
            raise SubscriptionsError(path, f"this feed stands already in line {earlier + 1}", item.first_line + 1)
