"""Adding items to a list and removing them without touching another line of the file."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Collection, Sequence
from io import StringIO
from pathlib import Path

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from iscore.core.yaml_list.parsing import MAX_SIZE, ListFile

_PLAIN = re.compile(r"[A-Za-z](?:[\w .+-]*\w)?")
_WORDS_OF_YAML = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def with_items(file: ListFile, new: Sequence[Sequence[str]]) -> str:
    """Return the file's text with more items at the end of its list; each is its lines ``key: value``, unindented."""
    lines = file.text.splitlines(keepends=True)
    ending = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += ending
    name = file.form.name
    if file.block:
        after = file.items[-1].last_line
        dash = lines[file.items[-1].first_line]
        indent = dash[: len(dash) - len(dash.lstrip())]
    elif file.items:
        return _rewritten(file, new, ())
    elif file.key_line is not None:
        comment = lines[file.key_line].partition(" #")
        lines[file.key_line] = f"{name}:" + (f"  #{comment[2].rstrip()}" if comment[1] else "") + ending
        after, indent = file.key_line, "  "
    else:
        lines.append(f"{name}:{ending}")
        after, indent = len(lines) - 1, "  "
    lines[after + 1 : after + 1] = [
        f"{indent}{'  ' if number else '- '}{key}{ending}" for keys in new for number, key in enumerate(keys)
    ]
    return "".join(lines)


def without_items(file: ListFile, places: Collection[int]) -> str:
    """Return the file's text without the items at these places of the list, counted from 0."""
    if not file.block:
        return _rewritten(file, (), places)
    lines = file.text.splitlines(keepends=True)
    for place in sorted(places, reverse=True):
        del lines[file.items[place].first_line : file.items[place].last_line + 1]
    if len(set(places)) == len(file.items) and file.key_line is not None:
        name = file.form.name
        lines[file.key_line] = lines[file.key_line].replace(f"{name}:", f"{name}: []", 1)
    return "".join(lines)


def word(text: str) -> str:
    """Return a text as YAML: plain where nothing else could be meant, else quoted; JSON's quotes are YAML's."""
    plain = _PLAIN.fullmatch(text) and text.lower() not in _WORDS_OF_YAML
    return text if plain else json.dumps(text, ensure_ascii=False)


def replace(path: Path, text: str, file: ListFile) -> None:
    """Put a new text in the place of the one that was read, at once: readers see the old file or the new one.

    Raises the file's error for a text that is too large, ``OSError`` when it cannot be written.
    """
    path = path.resolve()
    if len(text.encode()) > MAX_SIZE:
        raise file.form.error(file.path, f"would become larger than {MAX_SIZE // 1_000_000} MB")
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        unfinished.chmod(mode)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _rewritten(file: ListFile, new: Sequence[Sequence[str]], gone: Collection[int]) -> str:
    """For lists whose items have no lines of their own (``[a, b]``): written anew, comments kept."""
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 1_000_000
    out = StringIO()
    try:
        document = yaml.load(file.text)
        items = document[file.form.name]
        for place in sorted(gone, reverse=True):
            del items[place]
        items.extend(YAML(typ="safe", pure=True).load("\n".join(keys)) for keys in new)
        yaml.dump(document, out)
    except (YAMLError, ValueError, TypeError, LookupError, AttributeError, NotImplementedError) as error:
        # Tags, anchors, directives: reading a file is easier than writing it again.
        problem = "is written in a way that cannot be edited safely; edit it by hand"
        raise file.form.error(file.path, problem) from error
    return out.getvalue()
