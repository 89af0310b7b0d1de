"""Reading a file that holds one list."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

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
