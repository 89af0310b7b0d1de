"""Lists in YAML that both the user and the program edit: feeds.yaml, rules.yaml.

    # Comments and order are the user's, and stay.
    feeds:
      - …
      - …

Reading uses the nodes of ruamel.yaml and builds no values from them: that is fast, knows the line of every node, and is
safe for hostile files (aliases are nodes, not copies; merge keys are unknown keys). Editing is ruamel's round trip
through the same nodes, so that every scalar stays as it was written.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import StringIO
from types import MappingProxyType
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import CommentMark, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.tokens import CommentToken

from iscore.core import documents
from iscore.core.documents import Document
from iscore.core.errors import ListFileError

MAX_SIZE = 5_000_000
"""Bytes of a file that is read: some 50,000 feeds."""
MAX_CACHED = 200_000
"""Characters of a text that is cached: some 2,000 feeds, which take a second or two to read."""


@dataclass(frozen=True, slots=True)
class ListForm:
    """What all files of one kind have in common."""

    name: str
    """The key of the list; no other key is allowed beside it."""
    error: type[ListFileError]
    wanted: str
    """What each item is, to complete "needs a list named `feeds:` with …"."""
    item: str
    """What an item is called."""
    alone: str = ""
    """The key whose value an item is that has no keys; empty where items need keys."""


@dataclass(frozen=True, slots=True)
class ListFile:
    """A file with a list. The items are not checked yet."""

    path: Document
    form: ListForm
    text: str
    items: tuple[Node, ...]

    def error(self, problem: str, node: Node | None = None) -> ListFileError:
        """Return the error to raise about a node, or about the whole file."""
        return self.form.error(self.path, problem, None if node is None else line_of(node))


def read(path: Document, form: ListForm) -> ListFile:
    """Read the file. Raises ``form.error`` with file and line when it is missing or holds no such list."""
    try:
        raw = documents.read(path, MAX_SIZE + 1)
    except OSError as error:
        raise form.error(path, f"cannot be read ({(error.strerror or 'error').lower()})") from error
    if len(raw) > MAX_SIZE:
        raise form.error(path, f"is larger than {MAX_SIZE // 1_000_000} MB")
    try:
        return parse(raw.decode("utf-8-sig"), path, form)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise form.error(path, "is not written in UTF-8", line) from error


def parse(text: str, path: Document, form: ListForm) -> ListFile:
    """Read the text of a file; ``path`` is for messages. Raises ``form.error``."""
    try:
        root = _composed(text) if len(text) <= MAX_CACHED else _composed.__wrapped__(text)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        problem = getattr(error, "problem", None) or "it cannot be understood"
        raise form.error(path, f"is not valid YAML: {problem}", mark and mark.line + 1) from error
    except RecursionError as error:
        raise form.error(path, "is nested too deeply") from error
    except ValueError as error:
        raise form.error(path, f"is not valid YAML: {error}") from error
    items = () if root is None or is_null(root) else _items(root, path, form)
    return ListFile(path, form, text, items)


@lru_cache(maxsize=2)  # feeds.yaml and rules.yaml
def _composed(text: str) -> Node | None:
    """Return the root of a YAML document. Nobody may change it."""
    root: Node | None = YAML(typ="safe", pure=True).compose(text)
    return root


def is_null(node: Node) -> bool:
    """Whether the value is missing or ``null``."""
    return isinstance(node, ScalarNode) and str(node.tag) == "tag:yaml.org,2002:null"


def line_of(node: Node) -> int:
    """Return the node's line, counted from 1."""
    return int(node.start_mark.line) + 1


def quoted(name: object) -> str:
    """Return a text of the file, shortened, to be named in a message."""
    text = str(name)
    return repr(text if len(text) <= 40 else text[:40] + "…")


def _items(root: Node, path: Document, form: ListForm) -> tuple[Node, ...]:
    def error(node: Node, problem: str) -> ListFileError:
        return form.error(path, problem, line_of(node))

    missing = f"needs a list named `{form.name}:` with {form.wanted}"
    if not isinstance(root, MappingNode):
        raise error(root, missing)
    for number, (key, _) in enumerate(root.value):
        if not isinstance(key, ScalarNode):
            raise error(key, "the key must be a text")
        if str(key.value).strip() != form.name:
            raise error(key, f"{quoted(key.value)} is not known here; only `{form.name}:` is")
        if number:
            raise error(key, f"`{form.name}:` appears twice")
    if not root.value:
        raise error(root, missing)
    value = root.value[0][1]
    if is_null(value):
        return ()
    if not isinstance(value, SequenceNode):
        raise error(value, f"`{form.name}:` must be a list; begin each {form.item} with a dash")
    return tuple(value.value)


_YES, _NO = ("true", "yes", "on"), ("false", "no", "off")


def fields(file: ListFile, item: MappingNode, known: Sequence[str]) -> dict[str, Node]:
    """Return the values of an item by key, without null ones. Raises the file's error for unknown and double keys."""
    values: dict[str, Node] = {}
    for key, value in item.value:
        name = text(file, key, "the key")
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean `{near[0]}`?" if near else f"known are {', '.join(known)}"
            raise file.error(f"{quoted(name)} is not known; {hint}", key)
        if name in values:
            raise file.error(f"`{name}` appears twice", key)
        values[name] = value
    return {name: value for name, value in values.items() if not is_null(value)}


def text(file: ListFile, node: Node, what: str) -> str:
    """Return a text without surrounding white space. Raises the file's error for a list or a mapping.

    JSON, which is YAML, writes some characters as two escapes, one for each surrogate; a single surrogate is an error.
    """
    if not isinstance(node, ScalarNode):
        raise file.error(f"{what} must be a text", node)
    try:
        return str(node.value).encode("utf-16", "surrogatepass").decode("utf-16").strip()
    except UnicodeDecodeError as error:
        raise file.error(f"{what} contains a broken character", node) from error


def optional_text(file: ListFile, values: Mapping[str, Node], name: str) -> str:
    """Return the text of a key, or an empty one."""
    return text(file, values[name], f"`{name}`") if name in values else ""


def flag(file: ListFile, values: Mapping[str, Node], name: str, *, default: bool) -> bool:
    """Return a yes or a no in any of YAML's spellings."""
    if name not in values:
        return default
    word = text(file, values[name], f"`{name}`").lower()
    if word not in _YES + _NO:
        raise file.error(f"`{name}` must be true or false", values[name])
    return word in _YES


Change = Mapping[str, object]
"""New values of an item by key; None takes the key out."""
Changes = Mapping[str, tuple[Node, Node] | None]
"""The same as nodes: key and value."""


def edited(
    file: ListFile,
    *,
    remove: Collection[int] = (),
    change: Mapping[int, Change] = MappingProxyType({}),
    add: Sequence[Mapping[str, object]] = (),
) -> str:
    """Return the file's text without the items at the positions ``remove``, and with the items ``add`` at the end.

    ``change`` is what changes in the items at some positions.
    Raises the file's error when the text would become too large, or cannot be written again without a loss.
    """
    if len(file.text) + sum(len(str(value)) for item in (*add, *change.values()) for value in item.values()) > MAX_SIZE:
        raise file.error(f"would become larger than {MAX_SIZE // 1_000_000} MB")
    yaml = YAML()
    yaml.width = 1_000_000  # no line is broken
    try:
        changes = {position: _nodes(yaml, each) for position, each in change.items()}
        text = _edited(yaml, file, remove, changes, [_item_node(yaml, item) for item in add])
    except (YAMLError, ValueError, TypeError, LookupError, AttributeError, NotImplementedError) as error:
        raise _not_editable(file) from error  # such as tags and directives: easier to read than to write
    if not remove and text.count("#") < file.text.count("#"):
        raise _not_editable(file)  # a comment within [a, b]
    return text.replace("\n", "\r\n") if "\r\n" in file.text else text


def _edited(
    yaml: YAML, file: ListFile, remove: Collection[int], change: Mapping[int, Changes], add: Sequence[Node]
) -> str:
    text = file.text.replace("\r\n", "\n")
    text += "" if text.endswith("\n") or not text else "\n"
    root: Any = yaml.compose(text)
    if not isinstance(root, MappingNode):  # nothing but comments
        return text + _edited_list(yaml, yaml.compose(f"{file.form.name}:\n"), file.form.alone, remove, change, add)
    return _edited_list(yaml, root, file.form.alone, remove, change, add)


def _edited_list(
    yaml: YAML, root: MappingNode, key: str, remove: Collection[int], change: Mapping[int, Changes], add: Sequence[Node]
) -> str:
    (name, node) = root.value[0]
    if not isinstance(node, SequenceNode):  # nothing
        node = SequenceNode("tag:yaml.org,2002:seq", [], comment=node.comment, flow_style=True)
        root.value[0] = (name, node)
    items = node.value
    for position, pairs in change.items():
        items[position] = _changed(_with_keys(items[position], key), pairs)
    for position in sorted(remove, reverse=True):
        item = items.pop(position)
        comments = _taken_before(item) + _taken_behind(item)
        _append_comments(_last_part(items[position - 1]) if position else node, comments)
    if add:
        comments = _taken_behind(items[-1]) if items and not node.flow_style else ""
        node.flow_style = node.flow_style and bool(items)
        items += add
        _append_comments(_last_part(items[-1]), comments)
    elif not items:
        node.flow_style = True
        _append_comments(node, _taken_before(node))
    indent = 2 if node.flow_style or not node.start_mark else node.start_mark.column
    yaml.indent(mapping=2, sequence=indent + 2, offset=indent)
    out = StringIO()
    yaml.serialize(root, out)
    return out.getvalue()


def _with_keys(item: Node, key: str) -> MappingNode:
    """Return an item as a mapping; one that is a text alone is the value of ``key``."""
    if isinstance(item, MappingNode):
        return item
    return MappingNode("tag:yaml.org,2002:map", [(ScalarNode("tag:yaml.org,2002:str", key), item)])


def _changed(item: MappingNode, pairs: Changes) -> MappingNode:
    """Return an item with other values. Comments at the ends of lines stay with their keys."""
    following = _taken_behind(item)
    for name, pair in pairs.items():
        places = [place for place, (key, _) in enumerate(item.value) if key.value == name]
        if pair and places:
            (key, value), new = item.value[places[0]], pair[1]
            new.comment = value.comment
            item.value[places[0]] = (key, new)
        elif pair:
            item.value.append(pair)
        elif places:
            del item.value[places[0]]
    _append_comments(_last_part(item), following)
    return item


def _nodes(yaml: YAML, change: Change) -> Changes:
    """Return key and value, as nodes, of each key that gets another value."""
    node: Any = _item_node(yaml, {key: value for key, value in change.items() if value is not None})
    pairs = {pair[0].value: pair for pair in node.value}
    return {key: pairs.get(key) for key in change}


def _item_node(yaml: YAML, item: Mapping[str, object]) -> Node:
    node: Node = yaml.representer.represent_data(item)
    for _, value in node.value:
        if isinstance(value, SequenceNode):
            value.flow_style = True
            for each in value.value:
                each.style = None if each.value.isalnum() else '"'  # ruamel writes "?x" without quotes
    return node


def _last_part(node: Node) -> Node:
    """Return the node within ``node`` to which ruamel attaches the comments behind it."""
    while isinstance(node, MappingNode | SequenceNode) and node.value and not node.flow_style:
        node = node.value[-1][1] if isinstance(node, MappingNode) else node.value[-1]
    return node


def _taken_before(node: Node) -> str:
    """Detach the lines of comments before a node, and return them. Mostly they are behind the node before it."""
    behind, before = node.comment or (None, None)
    node.comment = behind and [behind, None]
    return "".join(" " * token.start_mark.column + token.value for token in before or ())


def _taken_behind(item: Node) -> str:
    """Detach the lines of comments (and blank lines) behind an item, and return them. The comment at the end of its
    last line stays with it."""
    last = _last_part(item)
    behind, before = last.comment or (None, None)
    if not behind:
        return ""
    end_of_line, _, following = ("", "", behind.value) if _is_block_text(last) else behind.value.partition("\n")
    last.comment = [CommentToken(end_of_line + "\n", behind.start_mark) if end_of_line else None, before]
    return str(following)


def _append_comments(node: Node, comments: str) -> None:
    """Attach lines of comments behind a node."""
    behind, before = node.comment or (None, None)
    if before and isinstance(node, SequenceNode) and not node.flow_style:  # the whole list: before its first item
        before.append(CommentToken(comments, CommentMark(0)))
    elif comments:
        text = behind.value if behind else "" if _is_block_text(node) else "\n"
        mark = behind.start_mark if behind else CommentMark(0)
        node.comment = [CommentToken(text + comments, mark), before]


def _is_block_text(node: Node) -> bool:
    """Whether it is a text of several lines (``|``, ``>``), which includes its last line break."""
    return isinstance(node, ScalarNode) and node.style in ("|", ">")


def _not_editable(file: ListFile) -> Exception:
    return file.error("cannot be edited safely by iScore; edit it by hand")
