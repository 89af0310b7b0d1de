"""A real pseudo-terminal with a process in it: type keys, and read the screen."""

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

from tests.servers import fork_server

PATIENCE = 600.0
"""Seconds until a test gives up; only a failing test waits that long."""
CONTROLLED = (
    "import fcntl, signal, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
)
"""Makes Ctrl-C on the terminal reach a Python program, also when the tests run in the background, where SIGINT is
ignored."""

_MODES = re.compile(r"\x1b\[\?(\d+)([hl])")
_TOKEN = re.compile(r"\x1b\[([0-?]*)[ -/]*([@-~])|\x1b[^\[]|([\x00-\x1f])|([^\x00-\x1f\x1b]+)")
_HALF = re.compile(r"\x1b(\[[0-?]*[ -/]*)?$")
_SWITCHED_OFF = {"1049": "l", "2004": "l", "25": "h", "7": "h"}
"""Modes that a program must leave like this: other screen, marks around pasted text, cursor, automatic wrap."""


class Screen:
    """The screen of a terminal: understands the sequences that prompt_toolkit writes."""

    def __init__(self, columns: int, lines: int) -> None:
        self._cells = [[" "] * columns for _ in range(lines)]
        self._row = self._column = 0
        self._pending = ""

    @property
    def lines(self) -> list[str]:
        """The lines, without colours."""
        return ["".join(each).rstrip() for each in self._cells]

    def feed(self, written: str) -> None:
        """Draw what a program writes; half a sequence waits for the rest."""
        written, self._pending = self._pending + written, ""
        half = _HALF.search(written)
        if half is not None:
            written, self._pending = written[: half.start()], half[0]
        for parameters, command, control, text in _TOKEN.findall(written):
            count = int(parameters) if parameters.isdecimal() else 1
            if text:
                self._write(text)
            elif control:
                self._row += control == "\n"
                self._column = 0 if control == "\r" else self._column - (control == "\b")
            elif command == "H":
                self._row = self._column = 0
            elif command in ("A", "B"):
                self._row += count if command == "B" else -count
            elif command in ("C", "D"):
                self._column += count if command == "C" else -count
            elif command in ("J", "K"):
                self._erase(to_the_end=command == "J")

    def _write(self, text: str) -> None:
        for column, character in enumerate(text, self._column):
            if self._row < len(self._cells) and column < len(self._cells[0]):
                self._cells[self._row][column] = character
        self._column += len(text)

    def _erase(self, *, to_the_end: bool) -> None:
        for number, cells in enumerate(self._cells):
            if number == self._row:
                cells[self._column :] = [" "] * len(cells[self._column :])
            elif number > self._row and to_the_end:
                cells[:] = [" "] * len(cells)


class Terminal:
    """A process in a terminal of its own. As a context manager it kills the process at the end."""

    def __init__(
        self, arguments: Sequence[str], environment: Mapping[str, str], *, columns: int = 80, lines: int = 24
    ) -> None:
        self._near, self.far = os.openpty()
        self._written = ""
        self._size = columns, lines
        self.resize(columns, lines)
        self.before = termios.tcgetattr(self.far)
        streams: dict[str, Any] = {"stdin": self.far, "stdout": self.far, "stderr": self.far}
        if list(arguments[:2]) == [sys.executable, "-c"]:
            _, _, program, *words = arguments
            self.process: fork_server.Process | subprocess.Popen[bytes] = fork_server.start(
                *words, program=program, env=environment, start_new_session=True, **streams
            )
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
        self._size = columns, lines
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
        """The lines of the screen, without colours."""
        screen = Screen(*self._size)
        screen.feed(self.written.rpartition("\x1b[?1049h")[2])
        return screen.lines

    @property
    def is_as_before(self) -> bool:
        """Whether the terminal was restored: its modes, and how it handles keys."""
        modes = dict(_MODES.findall(self.written))
        restored = all(modes.get(mode, value) == value for mode, value in _SWITCHED_OFF.items())
        return restored and termios.tcgetattr(self.far) == self.before

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
        return self.process.wait()
