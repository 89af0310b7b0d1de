"""The text of a config.toml: its settings, and taking it apart with its comments."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Set as AbstractSet
from typing import Any

MAX_SIZE = 100_000
"""Bytes of a config.toml that is taken apart; one with every setting and its comments has 5,000."""
MAX_LINES = 100
"""Of one value: taking longer ones apart takes a time that grows with their square."""


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
    others, found, piece, lines = "", "", "", 0
    for line in re.split(r"(?<=\n)", text):
        piece, lines = piece + line, lines + 1
        try:
            values = tomllib.loads(piece)
        except (ValueError, RecursionError):
            if lines > MAX_LINES:
                raise ValueError("has a value of too many lines") from None
            continue
        if names & values.keys():
            found += piece
        else:
            others += piece
        piece, lines = "", 0
    return others, found
