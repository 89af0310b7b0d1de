"""The whole terminal, borrowed: single keys come in, whole screens go out, and it is given back as it was.

It is given back on every way out: at the end, on an exception, on Ctrl-C and on the signals that ask to end; and for as
long as somebody else has it, who has suspended us (Ctrl-Z) or was started by us. Escape sequences are those that every
terminal since the VT100 knows; what xterm added (another screen, marks around what is pasted) others pass over.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import termios
import tty
from collections import deque
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any, Self

from iscore.cli.keys import Keys

ESCAPE_WAIT = 0.05
"""Seconds after which Escape alone was meant; the rest of a key's bytes comes at once, over ssh too."""
_TAKE = "\x1b[?1049h\x1b[?2004h\x1b[H\x1b[J"
_GIVE_BACK = "\x1b[?2004l\x1b[?1049l"
_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Ended(BaseException):
    """A signal asked the program to end. Like Ctrl-C it is no error, and passes by whoever catches errors."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


def can_show_screens() -> bool:
    """Tell whether there is a terminal that can show screens."""
    dumb = os.environ.get("TERM", "") in ("", "dumb", "unknown")
    return sys.stdin.isatty() and sys.stdout.isatty() and not dumb


class FullScreen:
    """The terminal of standard input and output, from entering to leaving the context.

    Only for the main thread: it handles signals. Raises ``Ended`` wherever the program happens to be.
    """

    def __init__(self) -> None:
        self._keyboard, self._out = sys.stdin.fileno(), sys.stdout.fileno()
        self._keys = Keys()
        self._waiting: deque[str] = deque()
        self._before: list[Any] = []
        self._handlers: dict[int, Any] = {}
        self._wake: tuple[int, int] = (-1, -1)
        self._wakeup = -1
        self._changed = False

    def __enter__(self) -> Self:
        sys.stdout.flush()
        self._before = termios.tcgetattr(self._keyboard)
        self._wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC) if hasattr(os, "pipe2") else _pipe()
        self._wakeup = signal.set_wakeup_fd(self._wake[1], warn_on_full_buffer=False)
        for number, handler in (
            *((each, self._end) for each in _ENDING),
            (signal.SIGTSTP, self._suspend),
            (signal.SIGCONT, self._resume),
            (signal.SIGWINCH, self._resize),
        ):
            self._handlers[number] = signal.getsignal(number)
            signal.signal(number, handler)
        try:
            self._take()
        except BaseException:  # a signal, as early as this
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C waits until all is restored
        self._give_back()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        signal.signal(signal.SIGINT, interrupt)
        signal.set_wakeup_fd(self._wakeup)
        for end in self._wake:
            os.close(end)

    def size(self) -> tuple[int, int]:
        """Return columns and lines; a terminal that does not say has 80 and 24."""
        try:
            columns, lines = os.get_terminal_size(self._out)
        except OSError:
            columns, lines = 0, 0
        return columns or 80, lines or 24

    def draw(self, lines: Sequence[str]) -> None:
        """Show these lines, from the top; none may be wider than the screen. The cursor stands behind the last."""
        text = "\x1b[H" + "\n".join(f"{line}\x1b[K" for line in lines) + "\x1b[J"
        self._write(text)

    def key(self) -> str:
        """Wait for a key.

        ``redraw`` when the screen has to be drawn anew, ``end of input`` when the terminal has gone.
        """
        while not self._waiting:
            if self._changed:
                self._changed = False
                return "redraw"
            pause = ESCAPE_WAIT if self._keys.unfinished else None
            ready = select.select([self._keyboard, self._wake[0]], [], [], pause)[0]
            if self._wake[0] in ready:
                os.read(self._wake[0], 4096)  # handlers have run
            if self._keyboard in ready:
                try:
                    data = os.read(self._keyboard, 4096)
                except OSError:
                    data = b""
                if not data:
                    return "end of input"
                self._waiting.extend(self._keys.feed(data))
            elif not ready:
                self._waiting.extend(self._keys.flush())
        return self._waiting.popleft()

    def forget_typed(self) -> None:
        """Drop what was typed while something took its time: it was meant for another screen."""
        self._waiting.clear()
        with contextlib.suppress(termios.error):
            termios.tcflush(self._keyboard, termios.TCIFLUSH)

    @contextlib.contextmanager
    def lent(self) -> Iterator[None]:
        """Give the terminal to another program for a while."""
        self._give_back()
        try:
            yield
        finally:
            self._take()
            self.forget_typed()

    def _take(self) -> None:
        with contextlib.suppress(termios.error, OSError):
            tty.setcbreak(self._keyboard, termios.TCSANOW)
            self._write(_TAKE)

    def _give_back(self) -> None:
        with contextlib.suppress(OSError):  # the terminal may have gone
            self._write(_GIVE_BACK)
        with contextlib.suppress(termios.error):
            termios.tcsetattr(self._keyboard, termios.TCSANOW, self._before)

    def _write(self, text: str) -> None:
        """Write at once. A signal may come while we write and have to write too, which Python's streams do not bear."""
        data = text.encode(sys.stdout.encoding, "replace")
        while data:
            data = data[os.write(self._out, data) :]

    def _end(self, number: int, _: FrameType | None) -> None:
        for each in _ENDING:
            signal.signal(each, signal.SIG_IGN)  # once is enough; what follows gives the terminal back
        raise Ended(number)

    def _suspend(self, number: int, _: FrameType | None) -> None:
        self._give_back()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)  # here we stop, and here we go on
        signal.signal(number, self._suspend)
        self._resume(number, None)

    def _resume(self, _: int, __: FrameType | None) -> None:
        self._take()
        self._changed = True

    def _resize(self, _: int, __: FrameType | None) -> None:
        self._changed = True


def _pipe() -> tuple[int, int]:
    ends = os.pipe()
    for end in ends:
        os.set_blocking(end, False)
    return ends
