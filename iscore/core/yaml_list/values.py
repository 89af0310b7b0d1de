"""Reading one item of a list, with file and line in every error."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

from iscore.core.yaml_list.parsing import ListFile, is_null, quoted

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
