"""Adding, changing and removing items of a list, by ruamel's round trip: comments, order and quotes stay.

The round trip goes through YAML nodes, not Python values, so that every scalar stays as it was written. ruamel attaches
the comments between two items to the end of the first one; they are moved when that item goes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from io import StringIO
from types import MappingProxyType
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import CommentMark, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.tokens import CommentToken

from iscore.core.yaml_list.parsing import MAX_SIZE, ListFile

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
