"""Output for programs: one JSON document on standard output, keys in snake_case."""

from __future__ import annotations

import dataclasses
import json
import math
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
"""The option of every command with output."""


def print_json(answer: Any) -> None:
    """Print a view, a list of views or plain values as one JSON document.

    Times are ISO 8601 in UTC; unknown values, NaN and infinities are null. Non-ASCII characters are escaped, so the
    output does not depend on the terminal's encoding and holds no control sequences.
    """
    print(json.dumps(plain(answer), indent=2, allow_nan=False))


def plain(answer: Any) -> Any:  # noqa: PLR0911 -- one return per type
    """Convert to dicts, lists, strings, finite numbers, booleans and None.

    Raises ``TypeError`` for another type.
    """
    if dataclasses.is_dataclass(answer) and not isinstance(answer, type):
        return {field.name: plain(getattr(answer, field.name)) for field in dataclasses.fields(answer)}
    if isinstance(answer, dict):
        return {str(name): plain(value) for name, value in answer.items()}
    if isinstance(answer, list | tuple):
        return [plain(each) for each in answer]
    if isinstance(answer, date):  # datetimes too
        return answer.isoformat()
    if isinstance(answer, float):
        return answer if math.isfinite(answer) else None
    if isinstance(answer, Path | str):
        return str(answer)
    if answer is None or isinstance(answer, bool | int):
        return answer
    raise TypeError(f"no JSON for {type(answer).__name__}")
