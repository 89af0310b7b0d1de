"""The scheduler's log on the terminal, for ``iscore run`` and ``iscore serve``."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TextIO

from iscore.cli.terminal.output import line

if TYPE_CHECKING:
    from iscore.jobs.scheduler.log_format import Log, Value


def events_to(ordinary: TextIO, trouble: TextIO, *, as_json: bool) -> Log:
    """Return a log that writes a line for each event: as text, trouble apart, or as JSON, all to ``ordinary``."""

    troubled = trouble

    def log(at: datetime, event: str, *, trouble: bool = False, **values: Value) -> None:
        from iscore.jobs.scheduler.log_format import json_line, text_line

        if as_json:
            print(json_line(at, event, values), file=ordinary, flush=True)
        else:
            print(text_line(at, event, values, line), file=troubled if trouble else ordinary, flush=True)

    return log
