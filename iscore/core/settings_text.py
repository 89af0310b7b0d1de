"""The text of a config.toml: its settings, and taking it apart with its comments."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

MAX_SIZE = 100_000
"""Bytes of a config.toml that is taken apart; one with every setting and its comments has 5,000."""
MAX_LINES = 100
"""Of one value: taking longer ones apart takes a time that grows with their square."""
_GONE = frozenset(("explore_share", "extractor_timeout", "follow_changes"))
_FORMER_CLASSIFIER, _CLASSIFIER = "two-opinions", "stacking"


def values_of(text: str) -> dict[str, Any]:
    """Return the settings of a config.toml. Raises ``ValueError``, whose text completes "config.toml …"."""
    if len(text) > MAX_SIZE:
        raise ValueError(f"is larger than {MAX_SIZE // 1000} kB")
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ValueError("is not valid TOML") from error


def readable(text: str) -> dict[str, Any]:
    """Return the settings of a config.toml; none if it cannot be read."""
    try:
        return values_of(text)
    except ValueError:
        return {}


def parted(text: str, names: AbstractSet[str]) -> tuple[str, str]:
    """Return what does not set one of ``names``, and what does. A value may have several lines.

    >>> parted("a = 1\\n# why\\nb = 2\\n", {"a"})
    ('# why\\nb = 2\\n', 'a = 1\\n')
    """
    others, found = "", ""
    for piece in _pieces(text):
        if names & values_of(piece).keys():
            found += piece
        else:
            others += piece
    return others, found


def _pieces(text: str) -> Iterator[str]:
    """Take a text apart: each piece is valid by itself, and sets one name at most. Raises ``ValueError``."""
    piece, lines = "", 0
    for line in re.split(r"(?<=\n)", text):
        piece, lines = piece + line, lines + 1
        try:
            tomllib.loads(piece)
        except (ValueError, RecursionError):
            if lines > MAX_LINES:
                raise ValueError("has a value of too many lines") from None
            continue
        yield piece
        piece, lines = "", 0


def with_values(text: str, values: Mapping[str, str | bool | float]) -> str:
    """Return the text with other values of some settings; comments and all else stay. New ones come last.

    Raises ``ValueError`` if the text cannot be edited.

    >>> with_values("a = 1  # why\\nb = 2\\n", {"a": 3, "c": "x"})
    'a = 3  # why\\nb = 2\\nc = "x"\\n'
    """
    before = values_of(text)
    found, left = "", dict(values)
    for piece in _pieces(text):
        names = readable(piece).keys() & left.keys()
        found += _line(name := names.pop(), left.pop(name), _comment(piece)) if len(names) == 1 else piece
    found += "" if found.endswith("\n") or not found else "\n"
    found += "".join(_line(name, value, "") for name, value in left.items())
    if values_of(found) != before | dict(values):
        raise ValueError("cannot be edited safely by iScore; edit it by hand")
    return found


def updated(text: str) -> str:
    """Return a config.toml from before the first schema without the settings that are gone, and with today's words.

    Raises ``ValueError`` if the text cannot be edited.

    >>> updated('classifier = "two-opinions"  # why\\nexplore_share = 0.2\\nbeta = 1\\n')
    'classifier = "stacking"  # why\\nbeta = 1\\n'
    """
    values = values_of(text)
    if _GONE & values.keys():
        text = parted(text, _GONE)[0]
    if values.get("classifier") == _FORMER_CLASSIFIER:
        text = with_values(text, {"classifier": _CLASSIFIER})
    return text


def _line(name: str, value: str | bool | float, comment: str) -> str:
    # A text of JSON is a basic string of TOML, but for DEL.
    written = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"{name} = {written}{comment or chr(10)}"


def _comment(piece: str) -> str:
    """Return the comment at the end of a setting's last line, with the space before it; empty without one."""
    for found in re.finditer(r"[ \t]*#", piece):
        start = found.start()
        if readable(piece[:start]) == readable(piece) and "\n" not in piece[start:].rstrip("\r\n"):
            return piece[start:]
    return ""
