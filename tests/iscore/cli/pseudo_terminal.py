"""A person before a terminal: a real pseudo-terminal with a process in it, keys that are typed, and what is seen."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from tests.servers import nursery

PATIENCE = 60.0
"""Seconds until a test gives up; what is waited for takes a tenth of one, on a machine that is not busy."""
CONTROLLED = (
    "import fcntl, signal, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
)
"""What a Python program has to do first, so that Ctrl-C on its terminal reaches it, even if whoever runs the tests runs
them in the background, where it is ignored."""

_MODES = re.compile(r"\x1b\[\?(\d+)([hl])")
_SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


class Terminal:
    """A process in a terminal of its own. Use as a context manager; what still runs is killed at the end."""

    def __init__(
        self, arguments: Sequence[str], environment: Mapping[str, str], *, columns: int = 80, lines: int = 24
    ) -> None:
        self._near, self.far = os.openpty()
        self._written = ""
        self.resize(columns, lines)
        self.before = termios.tcgetattr(self.far)
        streams: dict[str, Any] = {"stdin": self.far, "stdout": self.far, "stderr": self.far}
        if list(arguments[:2]) == [sys.executable, "-c"]:
            _, _, program, *words = arguments
            self.process = nursery.begin(*words, program=program, env=environment, start_new_session=True, **streams)
        else:
            self.process = subprocess.Popen(arguments, env=environment, start_new_session=True, **streams)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._near)
        os.close(self.far)

    def resize(self, columns: int, lines: int) -> None:
        """Give the window another size."""
        fcntl.ioctl(self._near, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def types(self, keys: str) -> None:
        """Type keys."""
        os.write(self._near, keys.encode())

    @property
    def written(self) -> str:
        """All that has been written to the terminal."""
        while select.select([self._near], [], [], 0)[0]:
            self._written += os.read(self._near, 65536).decode(errors="replace")
        return self._written

    @property
    def screen(self) -> list[str]:
        """The lines of the screen that was drawn last, without colours; empty while there is none."""
        drawn = self.written.rpartition("\x1b[H")[2]
        whole = drawn.endswith("\x1b[J")
        return [_SEQUENCE.sub("", line) for line in drawn.split("\r\n")] if whole else []

    @property
    def is_as_before(self) -> bool:
        """Whether nothing that was switched on is left switched on, and keys are handled as before."""
        modes = dict(_MODES.findall(self.written))
        return set(modes.values()) <= {"l"} and termios.tcgetattr(self.far) == self.before

    def until(self, condition: Callable[[], object]) -> None:
        """Wait until something is seen."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, self.written[-3000:]
            select.select([self._near], [], [], 0.01)

    def sees(self, text: str) -> None:
        """Wait until the screen has a text."""
        self.until(lambda: text in "\n".join(self.screen))

    def reads(self, text: str) -> None:
        """Wait until something was written, on a screen or not."""
        self.until(lambda: text in self.written)

    def ends(self) -> int:
        """Wait for the end of the process and return its code; negative is a signal."""
        self.until(lambda: self.process.poll() is not None)
        return int(self.process.returncode)
