"""``iscore run`` and ``iscore worker``: do what is due until stopped, alone or with other machines."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.context import data_folder
from iscore.cli.terminal.events import LogFormat, LogFormatOption, events_to
from iscore.cli.terminal.progress import progress_bar

if TYPE_CHECKING:
    from iscore.core.clock import Clock
    from iscore.core.data_folder import DataFolder


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
    from iscore.jobs.scheduler.loop import POLLS, Loop
    from iscore.jobs.scheduler.task_process import TaskProcess, stop_on_termination
    from iscore.jobs.scheduler.tasks import run_task, with_job_ids

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


def worker(
    ctx: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="Do what is due now and exit.")] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TASK",
            help="Do only this: poll, measure, decide, digest, connect, icons or prune. Can be given more than once. "
            "Other workers have to do the rest.",
            show_default=False,
        ),
    ] = None,
    metrics: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Serve /metrics for Prometheus there, such as 127.0.0.1:8474: what this worker has done. The settings "
            "metrics_networks, metrics_user and metrics_password say who may ask.",
            show_default=False,
        ),
    ] = "",
    log_format: LogFormatOption = LogFormat.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --log-format json.")] = False,
) -> None:
    """Poll, decide and mail for all users of a database on a PostgreSQL server, until stopped.

    Start as many as you like, on any machines: each takes what is due and nobody else has. See the guide, "Workers".

        iscore worker --database postgresql://iscore@db.example.org/news
    """
    from iscore import __version__
    from iscore.core import garbage_collection
    from iscore.core.clock import system_clock
    from iscore.core.data_folder import DataFolder
    from iscore.jobs.scheduler.task_process import stop_on_termination
    from iscore.jobs.workers.loop import Worker
    from storage.opening.database import open_database
    from storage.records.work import Task

    known = {task.value: task for task in Task}
    if unknown := next((name for name in only or () if name not in known), None):
        raise typer.BadParameter(f"no task is called {unknown!r}; the tasks are {', '.join(known)}")
    garbage_collection.set_thresholds(garbage_collection.SERVICE)
    clock, folder = system_clock(), data_folder(ctx)
    where = DataFolder(folder)
    if not where.database_address:
        raise typer.BadParameter(
            "workers need a database on a PostgreSQL server, by --database or the setting `database`; for one in the "
            "data folder there is `iscore run`"
        )
    where.require()
    log = events_to(sys.stdout, sys.stderr, as_json=as_json or log_format is LogFormat.JSON)
    with open_database(where.database_address) as database, _metrics(where, metrics, clock):
        stop_on_termination()
        try:
            made = Worker(folder, database, log, tasks=[known[name] for name in only or known])
            log(clock(), "start", version=__version__, database=database.name, process=os.getpid())
            if not once:
                made.run()
            elif not made.once():
                raise typer.Exit(1)
        except KeyboardInterrupt:
            log(clock(), "stop", process=os.getpid())


def _metrics(folder: DataFolder, address: str, clock: Clock) -> AbstractContextManager[object]:
    """Return what serves metrics at an address, if there is one."""
    if not address:
        return nullcontext()
    from iscore.core.settings import load_settings
    from iscore.web.metrics import MetricsAccess
    from iscore.web.server import serving_metrics

    found = load_settings(folder.config)
    access = MetricsAccess(found.metrics_networks, found.metrics_user, found.metrics_password)
    return serving_metrics(address, access, clock)
