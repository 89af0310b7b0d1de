"""``iscore run``: poll feeds when they are due and mail the digest."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.context import data_folder
from iscore.cli.terminal.output import line

if TYPE_CHECKING:
    from iscore.jobs.scheduler.log_format import Value


def run(
    ctx: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="Do what is due now and exit.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Log each event as one JSON document per line.")] = False,
) -> None:
    """Poll feeds when they are due and mail the digest at its time of day, until stopped.

    Logs one line per event; problems go to standard error. You can edit settings and feeds while it runs.
    [dim]iscore schedule[/dim] prints a systemd unit that starts it.

    [dim]iscore run[/dim]
    """
    from iscore import __version__
    from iscore.core.clock import system_clock
    from iscore.jobs.scheduler.loop import Loop
    from iscore.jobs.scheduler.signals import stop_on_termination
    from iscore.jobs.scheduler.worker import run_in_subprocess, run_task

    def log(at: datetime, event: str, *, trouble: bool = False, **values: Value) -> None:
        from iscore.jobs.scheduler.log_format import json_line, text_line

        if as_json:
            print(json_line(at, event, values), flush=True)
        else:
            print(text_line(at, event, values, line), file=sys.stderr if trouble else sys.stdout, flush=True)

    clock, folder = system_clock(), data_folder(ctx)
    loop = Loop(folder, clock, log, run_task=run_task if once else run_in_subprocess)
    stop_on_termination()
    try:
        if once:
            if not loop.once():
                raise typer.Exit(1)
            return
        loop.run(lambda: log(clock(), "start", version=__version__, home=str(folder), process=os.getpid()))
    except KeyboardInterrupt:
        log(clock(), "stop", process=os.getpid())
