"""The scheduler's log on the terminal, for ``iscore run`` and ``iscore serve``."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from iscore.cli.terminal.output import line

if TYPE_CHECKING:
    from iscore.jobs.scheduler.log_format import Log, Value


class LogFormat(StrEnum):
    """How each event is logged."""

    TEXT = "text"
    JSON = "json"


LogFormatOption = Annotated[
    LogFormat, typer.Option(help="How events are logged: as text, or one JSON document per line, with ids.")
]


def events_to(ordinary: TextIO, trouble: TextIO, *, as_json: bool) -> Log:
    """Return a log that writes a line for each event: as text, trouble apart, or as JSON, all to ``ordinary``.

    Events for programs are in JSON only.
    """

    troubled = trouble

    def log(at: datetime, event: str, *, trouble: bool = False, **values: Value) -> None:
        from iscore.jobs.scheduler.log_format import FOR_PROGRAMS, json_line, text_line

        if as_json:
            print(json_line(at, event, values), file=ordinary, flush=True)
        elif event not in FOR_PROGRAMS:
            print(text_line(at, event, values, line), file=troubled if trouble else ordinary, flush=True)

    return log
