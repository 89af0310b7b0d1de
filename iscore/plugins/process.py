"""The process of one extractor, from outside: it is asked, and ended when it does not answer in time."""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from importlib.metadata import EntryPoint
from itertools import count
from typing import Any

from iscore.filtering.features.fault_isolation import ApartError
from iscore.filtering.serialization import StateError, unpack
from iscore.plugins import host
from iscore.plugins.frames import receive, send
from iscore.plugins.letters import Introduction, Request, written

_GRACE = 2.0
"""Seconds beyond the limit after which a process is ended from here, should its own clock have been stopped."""


class PluginProcess:
    """One extractor. Once it has hung or died it is never asked again: all that ask are told why."""

    def __init__(self, entry: EntryPoint, context: str) -> None:
        self._introduction = Introduction((entry.name, entry.value, entry.group), context, tuple(sys.path))
        self._channel: socket.socket | None = None
        self._host: _Host | None = None
        self._number = 0
        self._problem = ""
        self._instances = count(1)
        self._dropped: deque[int] = deque()
        self._lock = threading.Lock()
        self.description: dict[str, Any] | None = None
        """What the extractor says of itself, once it has been made."""

    @property
    def gone(self) -> bool:
        """Whether it will never be asked again."""
        return bool(self._problem)

    def make(self, seed: int, seconds: float) -> int:
        """Make an instance, and give its number. Raises ``ApartError``."""
        number = next(self._instances)
        self.description = self.ask("make", number, seed, seconds=seconds)
        return number

    def drop(self, instance: int) -> None:
        """Note that nobody will ask an instance any more."""
        self._dropped.append(instance)

    def ask(self, verb: str, instance: int, *about: Any, seconds: float) -> dict[str, Any]:
        """Return what an instance answers. Raises ``ApartError`` if it fails, or is gone, or goes now."""
        with self._lock:
            if self._problem:
                raise ApartError(self._problem)
            dropped = tuple(self._dropped.popleft() for _ in range(len(self._dropped)))
            request = written(Request(verb, instance, about, seconds, dropped))
            began = time.monotonic()
            try:
                if self._channel is None:
                    self._start()
                    began = time.monotonic()
                answer = self._exchange(request, seconds)
            except (OSError, EOFError, StateError) as error:
                late = isinstance(error, TimeoutError) or time.monotonic() - began >= seconds
                self._end(f"took longer than {seconds:g} s and was stopped" if late else "its process has died")
                raise ApartError(self._problem) from error
            except BaseException:
                self._end("was interrupted")  # what it still says would be taken for the next answer
                raise
        if "error" in answer:
            raise ApartError(str(answer["error"]))
        return answer

    def close(self) -> None:
        """Let go of a process that has ended; whoever still waits for its answer has a moment to see that."""
        if self._lock.acquire(timeout=2.0):
            self._end("has ended")
            self._lock.release()

    def forget(self) -> None:
        """Let go of a process that belongs to the one that this was forked from."""
        self._lock = threading.Lock()
        self._host = None
        self._end("belongs to another process")

    def _start(self) -> None:
        self._host = _host()
        ours, theirs = socket.socketpair()
        with theirs:
            self._number = self._host.start(theirs)
        self._channel = ours
        send(ours, written(self._introduction))

    def _exchange(self, request: bytes, seconds: float) -> dict[str, Any]:
        assert self._channel is not None  # noqa: S101 -- it was started
        self._channel.settimeout(seconds + _GRACE)
        send(self._channel, request)
        return unpack(receive(self._channel, seconds + _GRACE))

    def _end(self, problem: str) -> None:
        self._problem = self._problem or problem
        if self._channel is not None:
            self._channel.close()
            self._channel = None
            if self._host is not None:
                self._host.end(self._number)


class _Host:
    """The process that others are forked from."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair()
        with theirs:
            # -P: whatever lies in the current folder must not be imported.
            self._process = subprocess.Popen(  # noqa: S603 -- this interpreter and a module of ours
                [sys.executable, "-P", "-m", "iscore.plugins.host", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                # What measures articles needs no password.
                env={name: value for name, value in os.environ.items() if not name.startswith("ISCORE_MAIL_")},
            )
        self._lock = threading.Lock()

    def start(self, channel: socket.socket) -> int:
        """Start a process that serves at ``channel``; return its number. Raises ``OSError``."""
        with self._lock:
            socket.send_fds(self._ours, [host.MESSAGE.pack(host.START, 0)], [channel.fileno()])
            answer = self._ours.recv(4)
        if len(answer) != 4:
            raise OSError("the process that extractors are started from has died")
        return int.from_bytes(answer, "little")

    def end(self, number: int) -> None:
        """Kill a process, if it is not gone."""
        try:
            self._ours.sendall(host.MESSAGE.pack(host.END, number))
        except OSError:
            return  # then they are all gone

    def close(self) -> None:
        """Let it end, and wait for that."""
        self._ours.close()
        try:
            self._process.wait(2.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def forget(self) -> None:
        """Let go of what belongs to the process that this was forked from."""
        self._ours.close()
        self._process.returncode = 0  # nobody's to wait for


class _Running:
    """What this process has started."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.host: _Host | None = None
        self.plugins: dict[tuple[str, str], PluginProcess] = {}


_running = _Running()


def process_of(entry: EntryPoint, context: str) -> PluginProcess:
    """Return the one process of an extractor; it is started when it is first asked."""
    with _running.lock:
        key = (entry.name, entry.value)
        if key not in _running.plugins:
            _running.plugins[key] = PluginProcess(entry, context)
        return _running.plugins[key]


def _host() -> _Host:
    with _running.lock:
        if _running.host is None:
            _running.host = _Host()
        return _running.host


def end_all() -> None:
    """End every process; who asks for an extractor afterwards begins anew."""
    global _running
    running, _running = _running, _Running()
    if running.host is not None:
        running.host.close()
    for plugin in running.plugins.values():
        plugin.close()


def _after_fork() -> None:
    global _running
    running, _running = _running, _Running()
    for plugin in running.plugins.values():
        plugin.forget()
    if running.host is not None:
        running.host.forget()


atexit.register(end_all)
os.register_at_fork(after_in_child=_after_fork)
