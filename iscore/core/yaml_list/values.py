"""Reading what an item of a list says, with file and line in every complaint."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

from iscore.core.yaml_list.parsing import ListFile, is_null, quoted

_YES, _NO = ("true", "yes", "on"), ("false", "no", "off")


def keyed(file: ListFile, node: MappingNode, known: Sequence[str]) -> dict[str, Node]:
    """Return the values of an item by their keys. Raises the file's error for keys unknown or given twice."""
    values: dict[str, Node] = {}
    for key, value in node.value:
        name = text(file, key, "the key")
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean `{near[0]}`?" if near else f"known are {', '.join(known)}"
            raise file.wrong(key, f"{quoted(name)} is not known; {hint}")
        if name in values:
            raise file.wrong(key, f"`{name}` stands here a second time")
        values[name] = value
    return values


def text(file: ListFile, node: Node, what: str) -> str:
    """Return a text without the blanks around it. Raises the file's error for a list or a mapping.

    Programs that write JSON, which is YAML, write a character as the escapes of its two halves; half a one is an error.
    """
    if not isinstance(node, ScalarNode):
        raise file.wrong(node, f"{what} must be a text")
    try:
        return str(node.value).encode("utf-16", "surrogatepass").decode("utf-16").strip()
    except UnicodeDecodeError as error:
        raise file.wrong(node, f"{what} has half of a character") from error


def text_if_given(file: ListFile, values: Mapping[str, Node], name: str) -> str:
    """Return the text under a key, or an empty one."""
    node = given(values, name)
    return "" if node is None else text(file, node, f"`{name}`")


def flag(file: ListFile, values: Mapping[str, Node], name: str, *, default: bool) -> bool:
    """Return a yes or a no in any of YAML's spellings."""
    node = given(values, name)
    if node is None:
        return default
    word = text(file, node, f"`{name}`").lower()
    if word not in _YES + _NO:
        raise file.wrong(node, f"`{name}` must be true or false")
    return word in _YES


def given(values: Mapping[str, Node], name: str) -> Node | None:
    """Return what stands under a key; None when that is nothing."""
    node = values.get(name)
    return None if node is None or is_null(node) else node
