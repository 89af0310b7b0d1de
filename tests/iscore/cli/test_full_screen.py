"""The terminal is borrowed and given back: in this process, over a real pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import struct
import termios
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from iscore.cli.full_screen import Ended, FullScreen, can_show_screens

ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
WATCHED = (*ENDING, signal.SIGINT, signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH)


class Ends:
    """Both ends of a terminal."""

    def __init__(self) -> None:
        self.near, self.far = os.openpty()
        self.before = termios.tcgetattr(self.far)

    def size(self, columns: int, lines: int) -> None:
        """Give the window a size."""
        fcntl.ioctl(self.near, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def reads(self, end: str) -> str:
        """Return what has been written, as soon as it ends like this; it comes in pieces."""
        written = ""
        while not written.endswith(end):
            assert select.select([self.near], [], [], 30)[0], written
            written += os.read(self.near, 65536).decode()
        return written


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ends]:
    """A terminal that is standard input and output."""
    made = Ends()
    with open(made.far, encoding="utf-8", closefd=False) as keyboard, open(made.far, "w", closefd=False) as screen:
        # The test runner sets its own standard streams before every phase of a test.
        monkeypatch.setattr("iscore.cli.full_screen.sys", SimpleNamespace(stdin=keyboard, stdout=screen))
        yield made
    for end in (made.near, made.far):
        os.close(end)


def test_an_exception_finds_everything_as_it_was(ends: Ends) -> None:
    handlers = [signal.getsignal(number) for number in WATCHED]
    with pytest.raises(RuntimeError, match="never mind"), FullScreen() as screen:  # noqa: PT012 -- it is about what comes in between
        assert not termios.tcgetattr(ends.far)[3] & (termios.ICANON | termios.ECHO)
        screen.draw(["one", "two"])
        raise RuntimeError("never mind")
    assert termios.tcgetattr(ends.far) == ends.before
    assert [signal.getsignal(number) for number in WATCHED] == handlers
    assert signal.set_wakeup_fd(-1) == -1
    written = ends.reads("\x1b[?2004l\x1b[?1049l")
    assert written.startswith("\x1b[?1049h\x1b[?2004h\x1b[H\x1b[J\x1b[Hone\x1b[K\r\ntwo\x1b[K\x1b[J")


@pytest.mark.parametrize("number", ENDING)
def test_signals_that_ask_to_end(ends: Ends, number: signal.Signals) -> None:
    with pytest.raises(Ended) as ended, FullScreen() as screen:  # noqa: PT012 -- it is about what comes in between
        signal.raise_signal(number)
        screen.key()
    assert ended.value.number == number
    assert termios.tcgetattr(ends.far) == ends.before


def test_it_is_lent_and_taken_again(ends: Ends) -> None:
    with FullScreen() as screen:
        borrowed = termios.tcgetattr(ends.far)
        with pytest.raises(OSError, match="no such browser"), screen.lent():  # noqa: PT012 -- it is about what comes in between
            assert termios.tcgetattr(ends.far) == ends.before
            os.write(ends.near, b"lll\n")  # for the other program
            raise OSError("no such browser")
        assert termios.tcgetattr(ends.far) == borrowed
        os.write(ends.near, b"d")
        assert screen.key() == "d"


def test_keys_and_what_happens_meanwhile(ends: Ends) -> None:
    with FullScreen() as screen:
        os.write(ends.near, b"l\x1b[A\x1b")
        assert [screen.key(), screen.key(), screen.key()] == ["l", "up", "escape"]
        for number in (signal.SIGWINCH, signal.SIGCONT):
            signal.raise_signal(number)
            assert screen.key() == "redraw"
        os.write(ends.near, b"ld")
        assert screen.key() == "l"
        screen.forget_typed()
        os.write(ends.near, b"s")
        assert screen.key() == "s"


def test_its_size(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = FullScreen()
    ends.size(40, 12)
    assert screen.size() == (40, 12)
    ends.size(0, 0)
    assert screen.size() == (80, 24)
    for term, possible in (("xterm", True), ("vt100", True), ("dumb", False), ("", False)):
        monkeypatch.setenv("TERM", term)
        assert can_show_screens() == possible


def test_a_terminal_that_has_gone_is_the_end_of_input(ends: Ends) -> None:
    with FullScreen() as screen:
        ends.reads("\x1b[J")
        near, ends.near = ends.near, os.open(os.devnull, os.O_RDONLY)
        os.close(near)
        assert screen.key() == "end of input"
