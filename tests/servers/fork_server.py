"""Python processes that start fast: forks of one process that has imported everything.

They are ordinary processes with a PID, signals, streams, an environment and an exit code. Use :mod:`subprocess` where
it matters what is imported when, for other interpreter options, and for libraries that are loaded first.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

from filelock import FileLock

PROGRAM = "import sys; from iscore.cli import main; sys.exit(main())"
_PROCESS = Path(__file__).with_name("fork_server_process.py")


class Process:
    """A process, with the part of :class:`subprocess.Popen` that tests need; pipes are text streams."""

    def __init__(self, status: int, streams: Mapping[str, IO[str]]) -> None:
        self._status = os.fdopen(status)
        self.stdin, self.stdout, self.stderr = (streams.get(name) for name in ("stdin", "stdout", "stderr"))
        self.pid = int(self._status.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, negative after a signal, or None while it runs."""
        if self.returncode is None and select.select([self._status], [], [], 0)[0]:
            self.returncode = int(self._status.readline())
            self._status.close()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the exit code. Raises ``subprocess.TimeoutExpired`` after ``timeout`` seconds."""
        if self.returncode is None and not select.select([self._status], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
        code = self.poll()
        assert code is not None
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it ended just now
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it with SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, given: str = "", timeout: float | None = None) -> tuple[str, str]:
        """Write ``given``, read all output and wait for the end.

        Raises ``subprocess.TimeoutExpired`` after ``timeout`` seconds; then the process is killed.
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


def start(
    *arguments: str,
    env: Mapping[str, str],
    program: str = PROGRAM,
    stdin: int = subprocess.DEVNULL,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
    cwd: Path | None = None,
    start_new_session: bool = False,
    python: str = sys.executable,
) -> Process:
    """Start a Python program, ``iscore`` by default; the parameters are those of :class:`subprocess.Popen`.

    ``python`` is the interpreter of another environment.
    """
    ours: dict[str, IO[str]] = {}
    theirs: list[int] = []
    handed_over: list[int] = []
    for name, given in (("stdin", stdin), ("stdout", stdout), ("stderr", stderr)):
        if given == subprocess.PIPE:
            near, far = os.pipe()
            if name == "stdin":
                near, far = far, near
            ours[name] = open(near, "w" if name == "stdin" else "r", encoding="utf-8")  # noqa: PTH123, SIM115 -- a file descriptor, open as long as the process
            handed_over.append(far)
        elif given == subprocess.DEVNULL:
            far = os.open(os.devnull, os.O_RDWR)
            handed_over.append(far)
        else:
            far = theirs[1] if given == subprocess.STDOUT else given
        theirs.append(far)
    status, write_status = os.pipe()
    handed_over.append(write_status)
    os.umask(mask := os.umask(0o077))
    work = {"program": program, "arguments": arguments, "environment": dict(env), "session": start_new_session}
    message = json.dumps({**work, "mask": mask, "folder": str(cwd or Path.cwd())}).encode()
    socket.send_fds(_server(python), [message], [*theirs, write_status])
    for each in handed_over:
        os.close(each)
    return Process(status, ours)


def run(
    *arguments: str,
    env: Mapping[str, str],
    program: str = PROGRAM,
    given: str = "",
    cwd: Path | None = None,
    timeout: float = 600.0,
) -> subprocess.CompletedProcess[str]:
    """Run a Python program, ``iscore`` by default, to its end, with ``given`` as its input."""
    process = start(*arguments, env=env, program=program, stdin=subprocess.PIPE, cwd=cwd)
    out, err = process.communicate(given, timeout)
    assert process.returncode is not None
    return subprocess.CompletedProcess(list(arguments), process.returncode, out, err)


@cache
def _server(python: str) -> socket.socket:
    """Return a connection to the process that forks.

    The first process of a test run that needs it starts it, for all of them; it ends with the last.
    """
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"{os.getpid()}")
    name = hashlib.sha256(f"{run} {python}".encode()).hexdigest()[:16]
    path = Path(tempfile.gettempdir(), f"iscore-tests-{name}.socket")
    near, started = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET), None
    with FileLock(path.with_suffix(".lock")):
        try:
            near.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):  # it is not there, or was killed
            path.unlink(missing_ok=True)
            started = _started(python, path)
            near.connect(str(path))

    def end() -> None:
        near.close()
        if started is not None:
            started.wait()
            path.unlink(missing_ok=True)
            path.with_suffix(".lock").unlink(missing_ok=True)

    atexit.register(end)
    return near


def _started(python: str, path: Path) -> subprocess.Popen[bytes]:
    """Start the process that forks, listening at a socket for this user only."""
    excluded = ("ISCORE_", "COV_CORE", "PYTHONUNBUFFERED" if python == sys.executable else "PYTHON")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(excluded)}
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as far:
        mask = os.umask(0o177)
        far.bind(str(path))
        os.umask(mask)
        far.listen()
        return subprocess.Popen(
            [python, "-P", str(_PROCESS), str(far.fileno())],
            env={**kept, "PYTHONWARNINGS": "error"},
            pass_fds=[far.fileno()],
        )
