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

Reading looks at the document's nodes and builds no values from them: that is quick, knows every line's
number, and leaves nothing for a hostile file to blow up (aliases are nodes, not copies; merge keys are unknown
keys). ``subscriptions`` adds and removes.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from iscore.feeds.address import check_url, sameness
from iscore.feeds.errors import AddressError, SubscriptionsError
from storage.records import Subscription

MAX_SIZE = 5_000_000
"""Bytes of a file that is read: some 50,000 feeds."""
SHORTEST, LONGEST = 300, 31 * 86_400
"""Bounds of an interval, in seconds."""
_KEYS = ("url", "title", "tags", "interval", "fulltext", "enabled")
_UNITS = {"": 60, "m": 60, "h": 3600, "d": 86_400}
_YES, _NO = ("true", "yes", "on"), ("false", "no", "off")


@dataclass(frozen=True, slots=True)
class Entry:
    """One item of the list, and where it stands."""

    subscription: Subscription
    first_line: int
    """Counted from 0, like ``last_line``; the line of its dash."""
    last_line: int
    """The last line that belongs to it; comments after it do not."""


@dataclass(frozen=True, slots=True)
class FeedsFile:
    """A file that was read and found to be in order."""

    path: Path
    text: str
    entries: tuple[Entry, ...]
    feeds_line: int | None
    """Line of the key ``feeds``, counted from 0; None when the file is empty or has comments only."""
    block: bool
    """Whether the list is written with dashes, one item after the other; false also when it is empty."""


def read(path: Path) -> FeedsFile:
    """The file at ``path``, in order.

    Raises ``SubscriptionsError`` with file and line for whatever is not as described above: unknown keys,
    addresses that cannot be fetched, the same feed twice.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_SIZE + 1)
    except OSError as error:
        raise SubscriptionsError(path, f"cannot be read ({(error.strerror or 'error').lower()})") from error
    if len(raw) > MAX_SIZE:
        raise SubscriptionsError(path, f"is larger than {MAX_SIZE // 1_000_000} MB")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise SubscriptionsError(path, "is not written in UTF-8", line) from error
    return parse(text, path)


def parse(text: str, path: Path) -> FeedsFile:
    """Read the text of a file; ``path`` is for messages. Raises ``SubscriptionsError``."""
    try:
        root = YAML(typ="safe", pure=True).compose(text)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        problem = getattr(error, "problem", None) or "it cannot be understood"
        raise SubscriptionsError(path, f"is not valid YAML: {problem}", mark and mark.line + 1) from error
    except RecursionError as error:
        raise SubscriptionsError(path, "is nested too deeply") from error
    except ValueError as error:
        raise SubscriptionsError(path, f"is not valid YAML: {error}") from error
    if root is None or _is_null(root):
        return FeedsFile(path, text, (), None, block=False)
    reader = _Reader(path, text.splitlines())
    key, items = reader.list_of_feeds(root)
    entries = tuple(reader.entry(item) for item in items)
    reader.refuse_duplicates(entries)
    block = bool(items) and not _list_node(root).flow_style
    return FeedsFile(path, text, entries, key.start_mark.line, block)


class _Reader:
    """Turns nodes into entries, with the file's name and line in every complaint."""

    def __init__(self, path: Path, lines: Sequence[str]) -> None:
        self._path = path
        self._lines = lines

    def _wrong(self, node: Node, problem: str) -> SubscriptionsError:
        return SubscriptionsError(self._path, problem, node.start_mark.line + 1)

    def list_of_feeds(self, root: Node) -> tuple[Node, list[Node]]:
        """The key ``feeds`` and the items of its list."""
        if not isinstance(root, MappingNode):
            raise self._wrong(root, "needs a list named `feeds:` with one address in each item")
        found = None
        for key, value in root.value:
            if self._text(key, "the key") != "feeds":
                raise self._wrong(key, f"{_quoted(key.value)} is not known here; only `feeds:` is")
            if found is not None:
                raise self._wrong(key, "`feeds:` stands here a second time")
            found = key, value
        if found is None:
            raise self._wrong(root, "needs a list named `feeds:` with one address in each item")
        key, value = found
        if _is_null(value):
            return key, []
        if not isinstance(value, SequenceNode):
            raise self._wrong(value, "`feeds:` must be a list; begin each feed with a dash")
        return key, list(value.value)

    def entry(self, item: Node) -> Entry:
        """One item of the list."""
        if isinstance(item, ScalarNode) and not _is_null(item):
            values: dict[str, Node] = {"url": item}
        elif isinstance(item, MappingNode):
            values = self._values(item)
        else:
            raise self._wrong(item, "this item has no address; write `- url: https://…`")
        if "url" not in values:
            raise self._wrong(item, "this feed has no `url:`")
        return Entry(self._subscription(values), self._dash_line(item), _last_line(item))

    def _values(self, item: MappingNode) -> dict[str, Node]:
        values: dict[str, Node] = {}
        for key, value in item.value:
            name = self._text(key, "the key")
            if name not in _KEYS:
                near = difflib.get_close_matches(name, _KEYS, 1)
                hint = f"did you mean `{near[0]}`?" if near else f"known are {', '.join(_KEYS)}"
                raise self._wrong(key, f"{_quoted(name)} is not known; {hint}")
            if name in values:
                raise self._wrong(key, f"`{name}` stands here a second time")
            values[name] = value
        return values

    def _subscription(self, values: dict[str, Node]) -> Subscription:
        url = self._text(values["url"], "`url`")
        try:
            url = check_url(url)
        except AddressError as error:
            raise self._wrong(values["url"], str(error)) from error
        interval = values.get("interval")
        return Subscription(
            url=url,
            title=self._text(values["title"], "`title`") if _given(values.get("title")) else "",
            tags=self._tags(values["tags"]) if _given(values.get("tags")) else (),
            interval=self._interval(interval) if interval is not None and _given(interval) else None,
            fulltext=self._flag(values.get("fulltext"), "fulltext", default=False),
            enabled=self._flag(values.get("enabled"), "enabled", default=True),
        )

    def _text(self, node: Node, what: str) -> str:
        if not isinstance(node, ScalarNode):
            raise self._wrong(node, f"{what} must be a text")
        return str(node.value).strip()

    def _tags(self, node: Node) -> tuple[str, ...]:
        if isinstance(node, ScalarNode):
            return (self._text(node, "`tags`"),)
        if not isinstance(node, SequenceNode):
            raise self._wrong(node, "`tags` must be a list of words")
        return tuple(dict.fromkeys(self._text(tag, "a tag") for tag in node.value))

    def _interval(self, node: Node) -> int:
        found = re.fullmatch(r"(\d{1,6})\s*([mhd]?)", self._text(node, "`interval`"))
        seconds = int(found[1]) * _UNITS[found[2]] if found else 0
        if not SHORTEST <= seconds <= LONGEST:
            raise self._wrong(node, "`interval` must be between 5m and 31d: minutes as a number, or 30m, 2h, 1d")
        return seconds

    def _flag(self, node: Node | None, name: str, *, default: bool) -> bool:
        if node is None or _is_null(node):
            return default
        word = self._text(node, f"`{name}`").lower()
        if word not in _YES + _NO:
            raise self._wrong(node, f"`{name}` must be true or false")
        return word in _YES

    def _dash_line(self, item: Node) -> int:
        line: int = item.start_mark.line
        while line > 0 and not self._lines[line].lstrip().startswith("-"):
            line -= 1
        return line

    def refuse_duplicates(self, entries: Sequence[Entry]) -> None:
        """Two items with the same address are a mistake: which title, which interval should count?"""
        first: dict[str, int] = {}
        for entry in entries:
            line = first.setdefault(sameness(entry.subscription.url), entry.first_line)
            if line != entry.first_line:
                raise SubscriptionsError(
                    self._path, f"this feed stands already in line {line + 1}", entry.first_line + 1
                )


def _list_node(root: Node) -> Any:
    return next(value for key, value in root.value if key.value == "feeds")


def _given(node: Node | None) -> bool:
    return node is not None and not _is_null(node)


def _is_null(node: Node) -> bool:
    return isinstance(node, ScalarNode) and str(node.tag) == "tag:yaml.org,2002:null"


def _last_line(node: Node) -> int:
    """The last line on which something of the node stands; the parser's own end mark lies after its comments."""
    if not isinstance(node, MappingNode | SequenceNode) or not node.value or node.flow_style:
        end = node.end_mark
        return int(end.line if end.column > 0 or end.line == node.start_mark.line else end.line - 1)
    last = node.value[-1]
    if not isinstance(node, MappingNode):
        return _last_line(last)
    key, value = last
    nothing = isinstance(value, ScalarNode) and value.value == ""  # its marks lie at whatever comes next
    return _last_line(key if nothing and value.style is None else value)


def _quoted(name: str) -> str:
    return repr(name if len(name) <= 40 else name[:40] + "…")
