"""``iscore run``: poll feeds when they are due and mail the digest."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import Annotated

import typer

from iscore.cli.context import data_folder
from iscore.cli.terminal.events import LogFormat, LogFormatOption, events_to
from iscore.cli.terminal.progress import progress_bar


def run(
    ctx: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="Do what is due now and exit.")] = False,
    log_format: LogFormatOption = LogFormat.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --log-format json.")] = False,
) -> None:
    """Poll feeds when they are due and mail the digest at its time of day, until stopped.

    Logs one line per event; warnings go to standard error. You can edit settings and feeds while it runs.
    `iscore schedule` prints a systemd unit that starts it.

        iscore run
    """
    from iscore import __version__
    from iscore.core import garbage_collection
    from iscore.core.clock import system_clock
    from iscore.core.file_access import LockedError
    from iscore.jobs.scheduler.job_log import with_job_ids
    from iscore.jobs.scheduler.loop import POLLS, Loop
    from iscore.jobs.scheduler.task_process import TaskProcess, stop_on_termination
    from iscore.jobs.scheduler.tasks import run_task

    garbage_collection.set_thresholds(garbage_collection.SERVICE)
    clock, folder = system_clock(), data_folder(ctx)
    log = events_to(sys.stdout, sys.stderr, as_json=as_json or log_format is LogFormat.JSON)
    bar = progress_bar if sys.stderr.isatty() else None
    run = partial(run_task, bar=progress_bar) if once else TaskProcess(bar)
    loop = Loop(folder, clock, log, run_task=with_job_ids(run))
    stop_on_termination()
    try:
        if once:
            if not loop.once():
                raise typer.Exit(1)
            return
        loop.run(lambda: log(clock(), "start", version=__version__, home=str(folder), process=os.getpid()))
    except LockedError as error:
        if not once:
            raise
        log(clock(), "leave", process=error.holder, what=POLLS)
    except KeyboardInterrupt:
        log(clock(), "stop", process=os.getpid())
