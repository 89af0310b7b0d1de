"""The process that forks; ``fork_server.py`` starts it with the file descriptor of a listening socket."""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import json
import os
import random
import re
import select
import signal
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
from urllib.request import urlopen

from benchmarks.sample_news import News, NewsServer
from extractors.text.language import detected
from iscore.cli import main
from iscore.services.news_filter import NewsFilter
from iscore.web import model_process, server
from iscore.web.security.credentials import CredentialStore

IMPORTED = (
    *("aiohttp", "alembic.command", "feedparser", "jinja2", "nh3", "regex", "rich.console", "rich.table"),
    *("ruamel.yaml", "starlette.applications", "uvicorn", "uvicorn.protocols.http.h11_impl"),
    *(
        "iscore.services.learning.ingestion",
        "iscore.cli.app",
        "iscore.services.learning.log_replay",
        "iscore.presentation.digest",
        "iscore.feeds.poll",
    ),
    *(
        "iscore.services.learning.scoring",
        "iscore.services.learning.model_store",
        "iscore.learners",
        "iscore.jobs.mail",
        "iscore.services.news_filter",
        "iscore.filtering.pipeline",
    ),
    *(
        "iscore.cli.review",
        "benchmarks.sample_news",
        "iscore.jobs.scheduler.loop",
        "iscore.services.insight.status",
        "extractors.stream.near_duplicates",
    ),
    "iscore.web.server",
)
"""Modules that at least one command imports."""

DAY = datetime(2026, 3, 3, tzinfo=UTC)
WARM_UP = (
    *("poll", "like {0} {1} {2} {3} {4} {5}", "dislike {6} {7} {8} {9} {10} {11}", "inbox", "why {12}", "status"),
    *("feeds list", "digest", "doctor --quick"),
)
"""Commands that run once in a temporary data folder, since the first run of a command takes twice as long as the next:
it loads compiled kernels and builds options, statements and templates. The numbers stand for articles."""
PAGES = ("", "article/{12}", "hidden", "rules", "feeds", "settings", "login")
"""Pages that a server shows once."""

HUGE_PAGE, MADV_HUGEPAGE, MADV_COLLAPSE = 2 << 20, 14, 25
_ANONYMOUS = re.compile(r"(?P<start>[0-9a-f]+)-(?P<end>[0-9a-f]+) rw-p 0+ 00:00 0 +(\[heap\])?$")
"""A line of ``/proc/self/maps`` for memory that is no file's."""


def warm_up() -> None:
    """Run some commands in a temporary data folder."""
    news = News(seed=13, start=DAY - timedelta(days=1), days=1)
    with TemporaryDirectory() as folder, NewsServer(news, at=DAY) as server:
        home = Path(folder, "home")
        home.mkdir(0o700)
        (home / "config.toml").write_text("allow_private_networks = true\nhost_spacing = 0\ntime_zone = 'UTC'\n")
        (home / "feeds.yaml").write_text("feeds:\n" + "".join(f"  - url: {url}\n" for url in server.urls.values()))
        NewsFilter.create(home, clock=lambda: DAY).close()
        os.environ["ISCORE_NOW"] = DAY.isoformat()
        names: list[str] = []
        for words in WARM_UP:
            with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                main(["--home", str(home), *words.format(*names).split()])
            if words == "poll":
                with closing(sqlite3.connect(home / "iscore.db")) as database:
                    names = [name for (name,) in database.execute("SELECT id FROM articles WHERE story = seq LIMIT 13")]
        show_pages(home, [page.format(*names) for page in PAGES])
    gc.collect()  # ends the server's threads
    detected("Loads the language detector, which takes half a second.")


def show_pages(home: Path, pages: list[str]) -> None:
    """Serve a data folder until these pages have been fetched."""
    done: list[object] = []

    def visit(address: str) -> None:
        try:
            for page in pages:
                with urlopen(address + page) as answer:
                    done.append(len(answer.read()))
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    def ready(address: str, _: str) -> None:
        threading.Thread(target=visit, args=[address]).start()

    CredentialStore(home).mark_set_up()
    own_process = server.ModelProcess
    server.ModelProcess = model_process.LocalModels  # type: ignore[assignment,misc]  # has loaded everything
    with NewsFilter.open(home, clock=lambda: DAY) as news:
        server.serve(news, home, clock=lambda: DAY, host="127.0.0.1", port=0, address="", ready=ready, log=done.append)
    server.ModelProcess = own_process
    assert len(done) == len(pages), done


def use_huge_pages() -> None:
    """Move this process's memory into pages of 2 MB, where Linux can.

    A fork copies the table of all pages, and frees it at its end. With pages of 4 KB that takes longer than most
    commands do.
    """
    if sys.platform != "linux":
        return
    c_library = ctypes.CDLL(None)
    for line in Path("/proc/self/maps").read_text("ascii").splitlines():
        if found := _ANONYMOUS.match(line):
            start = -(-int(found["start"], 16) // HUGE_PAGE) * HUGE_PAGE
            size = int(found["end"], 16) // HUGE_PAGE * HUGE_PAGE - start
            if size > 0:
                for advice in (MADV_HUGEPAGE, MADV_COLLAPSE):  # what the kernel does not know changes nothing
                    c_library.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), advice)


def serve(listening: socket.socket) -> str:
    """Fork for each request, until all who asked have ended; return, in the fork, the program that it has to run."""
    woken, wake = os.pipe()  # says that a process has ended
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    asking, running = [listening.accept()[0]], dict[int, int]()
    while asking:
        for ready in select.select([listening, woken, *asking], [], [])[0]:
            if ready is listening:
                asking.append(listening.accept()[0])
                continue
            if ready == woken:
                os.read(woken, 1 << 12)
                _report_ended(running)
                continue
            message, files, *_ = socket.recv_fds(ready, 1 << 20, 4)
            if not message:
                asking.remove(ready)
                ready.close()
                continue
            child = _fork()
            if child == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for each in (listening, *asking):
                    each.close()
                for number in (woken, wake, *running.values()):
                    os.close(number)
                return _become(json.loads(message), files)
            *streams, running[child] = files
            for each in streams:
                os.close(each)
            with suppress(BrokenPipeError):
                os.write(running[child], b"%d\n" % child)
    os._exit(0)


def run(program: CodeType) -> None:
    """Run a program and exit as Python does, but without destroying every imported module, which takes longer than most
    commands."""
    code = 0
    try:
        exec(program, {"__name__": "__main__"})
    except SystemExit as error:
        if error.code is not None and not isinstance(error.code, int):
            raise
        code = error.code or 0
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads
    atexit._run_exitfuncs()
    gc.collect()  # what was left open warns
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code & 0xFF)


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about forking with the threads of BLAS
        return os.fork()


def _report_ended(running: dict[int, int]) -> None:
    """Write the exit code of each process that has ended into its file, and forget it."""
    for child, file in list(running.items()):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            with suppress(BrokenPipeError):
                os.write(file, b"%d\n" % os.waitstatus_to_exitcode(status))
            os.close(file)
            del running[child]


def _become(work: dict[str, Any], files: list[int]) -> str:
    """Take over arguments, environment and streams, and return the program."""
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
    for name in IMPORTED:
        importlib.import_module(name)
    warm_up()
    gc.freeze()
    use_huge_pages()
    run(compile(serve(socket.socket(fileno=int(sys.argv[1]))), "<string>", "exec"))
