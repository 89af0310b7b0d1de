"""What is wrong with a setting, and where it is."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from iscore.core.errors import ConfigError


def variable_of(name: str) -> str:
    """Return the environment variable that sets a setting; empty if none does."""
    return next((each for each in os.environ if each.upper() == f"ISCORE_{name.upper()}"), "")


def mistake(
    config: Path, error: ValidationError, fields: Mapping[str, FieldInfo], places: Mapping[str, str]
) -> ConfigError:
    """Name the place of the first mistake, and what is allowed there.

    ``fields``: all settings, by name. ``places``: where those are that are not in ``config``.
    """
    first = error.errors()[0]
    name = str(first["loc"][0])
    place = variable_of(name) or f"{config}{_line(config, name)}"
    place = places.get(name, place)
    if first["type"] == "extra_forbidden":
        near = get_close_matches(name, fields, 1)
        meant = f"did you mean {near[0]!r}?" if near else "the guide lists the settings"
        return ConfigError(place, f"there is no setting {name!r}; {meant}")
    if first["type"] == "value_error":  # a check of ours
        return ConfigError(place, f"setting {name!r}: {first['msg'].removeprefix('Value error, ')}")
    return ConfigError(place, f"setting {name!r}: {_allowed(fields[name])}")


def _line(config: Path, name: str) -> str:
    """Return ``, line 7``: where the file has a setting; empty when it is not at the beginning of a line."""
    try:
        lines = config.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return ""
    begins = re.compile(rf"[\s\['\"]*{re.escape(name)}\b")
    return next((f", line {number}" for number, line in enumerate(lines, 1) if begins.match(line)), "")


def _allowed(field: FieldInfo) -> str:
    """Say what a setting may be: its words, or its kind and bounds."""
    if get_origin(field.annotation) is Literal:
        return f"write one of {', '.join(map(repr, get_args(field.annotation)))}"
    kinds: dict[Any, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "a text in quotes"}
    if field.annotation not in kinds:
        return 'write a list of texts in quotes, such as ["a", "b"]'
    words = {"ge": "at least", "gt": "more than", "le": "at most"}
    bounds = [
        f"{word} {getattr(each, key)}" for each in field.metadata for key, word in words.items() if hasattr(each, key)
    ]
    return f"write {kinds[field.annotation]}" + (f", {' and '.join(bounds)}" if bounds else "")
