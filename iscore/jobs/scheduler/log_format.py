"""The log lines of ``iscore run`` and ``iscore serve``, one per event: as text, or as JSON for programs.

2026-03-30T05:00:03Z poll feeds=12 changed=4 failed=0 new=31 recommended=6 seconds=2.4

Ids of jobs, and a line for each job and each request, are for programs only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

Value = str | int | float | None
FOR_PROGRAMS = frozenset({"job", "request"})
"""Events, and names of ids, that are in JSON only."""

_PLAIN = re.compile(r"[\w.:/@+,-]+")


class Log(Protocol):
    """Where events go."""

    def __call__(self, at: datetime, event: str, *, trouble: bool = False, **values: Value) -> None:
        """Log an event; ``trouble`` marks one that may need the user's attention."""


def text_line(at: datetime, event: str, values: dict[str, Value], clean: Callable[[str], str]) -> str:
    """Return an event as one line: time, name, and its known values. ``clean`` makes foreign text harmless."""
    shown = {name: value for name, value in values.items() if value not in (None, "") and name not in FOR_PROGRAMS}
    words = [f"{name}={_quoted(clean(str(value)))}" for name, value in shown.items()]
    return " ".join([_time(at), event, *words])


def json_line(at: datetime, event: str, values: dict[str, Value]) -> str:
    """Return an event as one JSON object in ASCII."""
    return json.dumps({"time": _time(at), "event": event, **values})


def _quoted(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _time(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
