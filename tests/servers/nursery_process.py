"""The process whose forks do the work; started by ``nursery.py``, with the number of its end of a socket."""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import random
import socket
import sqlite3
import sys
import threading
import time
import warnings
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType
from typing import Any

from benchmarks.sample_news import News, NewsServer
from extractors import published
from iscore.cli import main
from iscore.services.news_filter import NewsFilter

LOADED = (
    *("aiohttp", "alembic.command", "feedparser", "jinja2", "nh3", "regex", "rich.console", "rich.table"),
    *("ruamel.yaml", "starlette.applications", "uvicorn", "uvicorn.protocols.http.h11_impl"),
    *(
        "iscore.services.ingestion",
        "iscore.cli.app",
        "iscore.services.log_replay",
        "iscore.presentation.digest",
        "iscore.feeds.poll",
    ),
    *(
        "iscore.services.scoring",
        "iscore.services.model_store",
        "iscore.learners",
        "iscore.jobs.mail",
        "iscore.services.news_filter",
        "iscore.filtering.pipeline",
    ),
    *(
        "iscore.cli.review",
        "benchmarks.sample_news",
        "iscore.jobs.scheduler.loop",
        "iscore.services.status",
        "extractors.near_duplicates",
    ),
    "iscore.web.server",
)
"""What the commands load, one or the other."""

DAY = datetime(2026, 3, 3, tzinfo=UTC)
PRACTICE = ("poll", "like {}", "dislike {}", "inbox", "why {}", "status", "feeds list", "digest", "doctor --quick")
"""What is done once in a home that nobody keeps: half of what a command takes is taken by whoever does it first, to
load compiled kernels and to make options and statements. ``{}`` is an article."""


def practise() -> None:
    """Do it, and leave nothing of it but what is in this process."""
    news = News(seed=13, start=DAY - timedelta(days=1), days=1)
    with TemporaryDirectory() as folder, NewsServer(news, at=DAY) as server:
        home = Path(folder, "home")
        home.mkdir(0o700)
        (home / "config.toml").write_text("allow_private_networks = true\nhost_spacing = 0\ntime_zone = 'UTC'\n")
        (home / "feeds.yaml").write_text("feeds:\n" + "".join(f"  - url: {url}\n" for url in server.urls.values()))
        NewsFilter.create(home, clock=lambda: DAY).close()
        os.environ["ISCORE_NOW"] = DAY.isoformat()
        name = ""
        for words in PRACTICE:
            with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                main(["--home", str(home), *words.format(name).split()])
            if words == "poll":
                with closing(sqlite3.connect(home / "iscore.db")) as database:
                    (name,) = database.execute("SELECT max(id) FROM articles").fetchone()


def begin(gate: socket.socket) -> str:
    """Wait for work; return, in the process that is to do it, the program."""
    while True:
        message, files, *_ = socket.recv_fds(gate, 1 << 20, 4)
        if not message:
            os._exit(0)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if _fork() == 0:
            child = _fork()
            gate.close()
            if child == 0:
                return _become(json.loads(message), files)
            _mind(child, files)
        for each in files:
            os.close(each)


def live_to_the_end(program: CodeType) -> None:
    """Run it; if it ends well or by ``sys.exit``, end as Python does, but do not take apart all that was loaded: that
    takes longer than most commands."""
    code = 0
    try:
        exec(program, {"__name__": "__main__"})
    except SystemExit as error:
        if error.code is not None and not isinstance(error.code, int):
            raise
        code = error.code or 0
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads
    atexit._run_exitfuncs()
    gc.collect()  # what was left open complains
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code & 0xFF)


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of the threads of linear algebra, which mind forks
        return os.fork()


def _mind(child: int, files: list[int]) -> None:
    """Tell the child's number, and later its end."""
    *streams, back = files
    for each in streams:
        os.close(each)
    os.write(back, b"%d\n" % child)
    _, status = os.waitpid(child, 0)
    with suppress(BrokenPipeError):
        os.write(back, b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _become(work: dict[str, Any], files: list[int]) -> str:
    """Be as a process is that was started with these arguments, settings and streams."""
    for place, each in enumerate(files[:3]):
        os.dup2(each, place)
    for each in files:
        os.close(each)
    if work["session"]:
        os.setsid()
    os.chdir(work["folder"])
    os.umask(work["mask"])
    os.environ.clear()
    os.environ.update(work["environment"])
    time.tzset()
    random.seed()
    sys.argv = ["-c", *work["arguments"]]
    at_once = "PYTHONUNBUFFERED" in os.environ or os.isatty(1)
    sys.stdin = sys.__stdin__ = _stream(0, "r", "surrogateescape")
    sys.stdout = sys.__stdout__ = _stream(1, "w", "surrogateescape", at_once)
    sys.stderr = sys.__stderr__ = _stream(2, "w", "backslashreplace", True)
    return str(work["program"])


def _stream(number: int, mode: str, errors: str, at_once: bool = False) -> Any:
    return open(number, mode, 1 if at_once else -1, "utf-8", errors, closefd=False)


if __name__ == "__main__":
    for name in LOADED:
        importlib.import_module(name)
    if not published().entries:  # those of others run in processes of their own, which a fork cannot share
        practise()
    gc.freeze()
    live_to_the_end(compile(begin(socket.socket(fileno=int(sys.argv[1]))), "<string>", "exec"))
