"""A record on disk of which extractor of another package is running, so that one that ends the program is skipped.

Such an extractor runs in this process: nothing stops one that crashes the interpreter, or hangs until the program is
killed. Each process writes the name of the running extractor to a file of its own; a file of a process that has ended
names what ended it. A skipped extractor stays skipped until its package changes or the list is deleted.
"""

from __future__ import annotations

import atexit
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path

from filelock import FileLock, Timeout

CRASHED = "crashed.json"
"""The list of skipped extractors: name → version of the package."""


class CrashRecord:
    """The record in one folder, which is created when an extractor of another package first runs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / f"{os.getpid()}.running"
        self._lock = FileLock(folder / f"{os.getpid()}.lock")
        self._file: int | None = None

    def skipped(self, entries: tuple[EntryPoint, ...]) -> dict[str, str]:
        """Return which of these entry points to skip, by name, and why."""
        crashed = self._crashed()
        reason = f"iScore crashed or was killed while it ran; it is skipped until its package changes ({CRASHED} in "
        return {
            entry.name: f"{reason}{self._folder} has the list)"
            for entry in entries
            if crashed.get(entry.name) == _version(entry)
        }

    @contextmanager
    def running(self, entry: EntryPoint) -> Iterator[None]:
        """Record that the extractor of an entry point runs, until the block ends."""
        if self._file is None:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._lock.acquire()
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        line = json.dumps([entry.name, _version(entry)]).encode()
        os.pwrite(self._file, line, 0)
        try:
            yield
        finally:
            os.ftruncate(self._file, 0)

    def close(self) -> None:
        """Remove this process's file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
            self._path.unlink(missing_ok=True)
            self._lock.release()
            Path(self._lock.lock_file).unlink(missing_ok=True)

    def _crashed(self) -> dict[str, str]:
        """Return the list, with what the files of ended processes add to it."""
        path = self._folder / CRASHED
        try:
            crashed: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            crashed = {}
        found = False
        for running in self._folder.glob("*.running"):
            lock = FileLock(running.with_suffix(".lock"), blocking=False)
            try:
                with lock:
                    line = running.read_text(encoding="utf-8")
                    running.unlink()
            except (Timeout, OSError):
                continue  # its process is alive
            Path(lock.lock_file).unlink(missing_ok=True)
            if line:
                name, version = json.loads(line)
                crashed[name], found = version, True
        if found:
            path.write_text(json.dumps(crashed), encoding="utf-8")
        return crashed


@cache
def crash_record(folder: Path) -> CrashRecord:
    """Return this process's record in a folder."""
    record = CrashRecord(folder)
    atexit.register(record.close)
    return record


def _version(entry: EntryPoint) -> str:
    return f"{entry.value} {entry.dist.version if entry.dist is not None else ''}"
