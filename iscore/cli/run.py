"""``iscore run``: polls when feeds are due and mails the digest at its hour."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.context import home_of
from iscore.cli.terminal.output import line

if TYPE_CHECKING:
    from iscore.jobs.scheduler.log_format import Value


def run(
    ctx: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="Do what is due now, and end.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Tell each event as one JSON document a line.")] = False,
) -> None:
    """Poll when feeds are due, and mail the digest at its hour, until it is stopped.

    It tells each event on one line; what somebody may want to look at goes to standard error. Settings and feeds may be
    changed meanwhile. [dim]iscore schedule[/dim] prints what your system needs to start it by itself.

    [dim]iscore run[/dim]
    """
    from iscore import __version__
    from iscore.core.clock import system_clock
    from iscore.jobs.scheduler.loop import Loop
    from iscore.jobs.scheduler.signals import stop_on_termination
    from iscore.jobs.scheduler.subprocess import in_a_child

    def log(at: datetime, event: str, *, trouble: bool = False, **values: Value) -> None:
        from iscore.jobs.scheduler.log_format import json_line, text_line

        if as_json:
            print(json_line(at, event, values), flush=True)
        else:
            print(text_line(at, event, values, line), file=sys.stderr if trouble else sys.stdout, flush=True)

    clock = system_clock()
    loop = Loop(home_of(ctx), clock, log) if once else Loop(home_of(ctx), clock, log, apart=in_a_child)
    stop_on_termination()
    try:
        if once:
            if not loop.once():
                raise typer.Exit(1)
            return
        loop.run(lambda: log(clock(), "start", version=__version__, home=str(home_of(ctx)), process=os.getpid()))
    except KeyboardInterrupt:
        log(clock(), "stop", process=os.getpid())
