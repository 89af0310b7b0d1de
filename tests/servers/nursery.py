"""Processes that begin with everything loaded: forks of one that waits, since loading takes longer than most answers.

They are processes like others, with a number, signals, streams, settings and an end of their own. For what loads when,
for other options of the interpreter and for libraries that are loaded before it there is :mod:`subprocess`.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

PROGRAM = "import sys; from iscore.cli import main; sys.exit(main())"
_PROCESS = Path(__file__).with_name("nursery_process.py")


class Begun:
    """A process, with what is needed of :class:`subprocess.Popen`; streams that are pipes are texts."""

    def __init__(self, back: int, streams: Mapping[str, IO[str]]) -> None:
        self._back = os.fdopen(back)
        self.stdin, self.stdout, self.stderr = (streams.get(name) for name in ("stdin", "stdout", "stderr"))
        self.pid = int(self._back.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, negative if a signal was the end, or None while it runs."""
        if self.returncode is None and select.select([self._back], [], [], 0)[0]:
            self.returncode = int(self._back.readline())
            self._back.close()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end, at most so many seconds.

        Raises:
            subprocess.TimeoutExpired: It goes on.
        """
        if self.returncode is None and not select.select([self._back], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
        code = self.poll()
        assert code is not None
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it has this very moment
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, given: str = "", timeout: float | None = None) -> tuple[str, str]:
        """Write what is given, read all, and wait for the end; ``timeout``, in seconds, is for that.

        Raises:
            subprocess.TimeoutExpired: It goes on.
        """
        with ThreadPoolExecutor(2) as readers:
            out, err = (readers.submit(each.read) if each else None for each in (self.stdout, self.stderr))
            try:
                if self.stdin is not None:
                    self.stdin.write(given)
                    self.stdin.close()
                self.wait(timeout)
            except BaseException:
                self.kill()
                raise
        for each in (self.stdout, self.stderr):
            if each is not None:
                each.close()
        return out.result() if out else "", err.result() if err else ""


def begin(
    *arguments: str,
    env: Mapping[str, str],
    program: str = PROGRAM,
    stdin: int = subprocess.DEVNULL,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
    cwd: Path | None = None,
    start_new_session: bool = False,
    python: str = sys.executable,
) -> Begun:
    """Begin a Python program, ``iscore`` unless another is given; the words are those of :class:`subprocess.Popen`.

    ``python``: the interpreter of another environment.
    """
    ours: dict[str, IO[str]] = {}
    theirs: list[int] = []
    lent: list[int] = []
    for name, given in (("stdin", stdin), ("stdout", stdout), ("stderr", stderr)):
        if given == subprocess.PIPE:
            near, far = os.pipe()
            if name == "stdin":
                near, far = far, near
            ours[name] = open(near, "w" if name == "stdin" else "r", encoding="utf-8")  # noqa: PTH123, SIM115
            lent.append(far)
        elif given == subprocess.DEVNULL:
            far = os.open(os.devnull, os.O_RDWR)
            lent.append(far)
        else:
            far = theirs[1] if given == subprocess.STDOUT else given
        theirs.append(far)
    back, told = os.pipe()
    lent.append(told)
    os.umask(mask := os.umask(0o077))
    work = {"program": program, "arguments": arguments, "environment": dict(env), "session": start_new_session}
    message = json.dumps({**work, "mask": mask, "folder": str(cwd or Path.cwd())}).encode()
    socket.send_fds(_nursery(python), [message], [*theirs, told])
    for each in lent:
        os.close(each)
    return Begun(back, ours)


def run(
    *arguments: str,
    env: Mapping[str, str],
    program: str = PROGRAM,
    given: str = "",
    cwd: Path | None = None,
    timeout: float = 120.0,
) -> subprocess.CompletedProcess[str]:
    """Run a Python program, ``iscore`` unless another is given, to its end, with a text for its input."""
    process = begin(*arguments, env=env, program=program, stdin=subprocess.PIPE, cwd=cwd)
    out, err = process.communicate(given, timeout)
    assert process.returncode is not None
    return subprocess.CompletedProcess(list(arguments), process.returncode, out, err)


@cache
def _nursery(python: str) -> socket.socket:
    """Return the way to the process that waits; begun when it is needed first, ended with the tests."""
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    left_out = ("ISCORE_", "COV_CORE", "PYTHONUNBUFFERED" if python == sys.executable else "PYTHON")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    process = subprocess.Popen(
        [python, "-P", str(_PROCESS), str(far.fileno())],
        env={**kept, "PYTHONWARNINGS": "error"},
        pass_fds=[far.fileno()],
    )
    far.close()

    def end() -> None:
        near.close()
        process.wait()

    atexit.register(end)
    return near
