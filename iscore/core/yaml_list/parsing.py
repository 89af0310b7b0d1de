"""Reading a file that holds one list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from iscore.core.errors import ListFileError

MAX_SIZE = 5_000_000
"""Bytes of a file that is read: some 50,000 feeds."""

REMEMBERED = 200_000
"""Characters of a file that is not read again while it stays as it is: some 2,000 feeds, read in a second or two."""


@dataclass(frozen=True, slots=True)
class Form:
    """What is fixed about one kind of file."""

    name: str
    """The key that the list stands under, and the only one."""
    error: type[ListFileError]
    wanted: str
    """What each item is, to complete "needs a list named `feeds:` with …"."""
    item: str
    """What an item is called."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item of the list, and where it stands."""

    node: Node
    first_line: int
    """Counted from 0, like ``last_line``; the line of its dash."""
    last_line: int
    """The last line that belongs to it; comments after it do not."""


@dataclass(frozen=True, slots=True)
class ListFile:
    """A file whose list was found; what its items say has not been looked at."""

    path: Path
    form: Form
    text: str
    items: tuple[Item, ...]
    key_line: int | None
    """Line of the list's key, counted from 0; None when the file is empty or has comments only."""
    block: bool
    """Whether the list is written with dashes, one item after the other; false also when it is empty."""

    def wrong(self, node: Node, problem: str) -> ListFileError:
        """Return the error to raise about something that stands in the file."""
        return self.form.error(self.path, problem, node.start_mark.line + 1)


def read(path: Path, form: Form) -> ListFile:
    """Read the file. Raises ``form.error`` with file and line when it holds no such list, and when it is missing."""
    return parse(text_of(path, form), path, form)


def text_of(path: Path, form: Form) -> str:
    """Return what stands in the file. Raises ``form.error`` when it cannot be read, is no UTF-8 or too large."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_SIZE + 1)
    except OSError as error:
        raise form.error(path, f"cannot be read ({(error.strerror or 'error').lower()})") from error
    if len(raw) > MAX_SIZE:
        raise form.error(path, f"is larger than {MAX_SIZE // 1_000_000} MB")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise form.error(path, "is not written in UTF-8", line) from error


def parse(text: str, path: Path, form: Form) -> ListFile:
    """Read the text of a file; ``path`` is for messages. Raises ``form.error``."""
    try:
        root = _composed(text) if len(text) <= REMEMBERED else _composed.__wrapped__(text)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        problem = getattr(error, "problem", None) or "it cannot be understood"
        raise form.error(path, f"is not valid YAML: {problem}", mark and mark.line + 1) from error
    except RecursionError as error:
        raise form.error(path, "is nested too deeply") from error
    except ValueError as error:
        raise form.error(path, f"is not valid YAML: {error}") from error
    if root is None or is_null(root):
        return ListFile(path, form, text, (), None, block=False)
    key, value = _found(root, path, form)
    nodes: list[Node] = [] if is_null(value) else list(value.value)
    lines = text.splitlines()
    items = tuple(Item(node, _dash_line(node, lines), _last_line(node)) for node in nodes)
    dashes = all(lines[item.first_line].lstrip().startswith("-") for item in items)
    block = bool(items) and not value.flow_style and dashes and key.start_mark.line < items[0].first_line
    return ListFile(path, form, text, items, key.start_mark.line, block=block)


@lru_cache(maxsize=2)
def _composed(text: str) -> Node | None:
    """Return the root of a YAML document, which nobody changes; of no other than the files of feeds and of rules."""
    root: Node | None = YAML(typ="safe", pure=True).compose(text)
    return root


def is_null(node: Node) -> bool:
    """Whether nothing stands there, or ``null``."""
    return isinstance(node, ScalarNode) and str(node.tag) == "tag:yaml.org,2002:null"


def quoted(name: object) -> str:
    """Return something of the file, shortened, to be named in a complaint."""
    text = str(name)
    return repr(text if len(text) <= 40 else text[:40] + "…")


def _found(root: Node, path: Path, form: Form) -> tuple[Node, Any]:
    """Return the list's key and its value: nothing, or a list."""

    def wrong(node: Node, problem: str) -> ListFileError:
        return form.error(path, problem, node.start_mark.line + 1)

    found = None
    missing = f"needs a list named `{form.name}:` with {form.wanted}"
    if not isinstance(root, MappingNode):
        raise wrong(root, missing)
    for key, value in root.value:
        if not isinstance(key, ScalarNode):
            raise wrong(key, "the key must be a text")
        if str(key.value).strip() != form.name:
            raise wrong(key, f"{quoted(key.value)} is not known here; only `{form.name}:` is")
        if found is not None:
            raise wrong(key, f"`{form.name}:` stands here a second time")
        found = key, value
    if found is None:
        raise wrong(root, missing)
    if not is_null(found[1]) and not isinstance(found[1], SequenceNode):
        raise wrong(found[1], f"`{form.name}:` must be a list; begin each {form.item} with a dash")
    return found


def _dash_line(node: Node, lines: Sequence[str]) -> int:
    line: int = node.start_mark.line
    while line > 0 and not lines[line].lstrip().startswith("-"):
        line -= 1
    return line


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
