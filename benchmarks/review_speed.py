"""How long a person waits in ``iscore review``: from a key until the next article is seen, among 50,000.

    python -m benchmarks.review_speed [--articles 50000] [--verdicts 300] [--quick]

The program runs in a pseudo-terminal of its own, as a person has it: a key goes in, and the clock stops when the whole
next screen has come out. Every verdict is on the disk by then. The session is ``--all``, so that there are that many to
go through. Figures are wall-clock times; beside them stands what a verdict costs without a terminal.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import cpu, homes
from benchmarks.results import Cell, write
from iscore.cli.review.controller import Controller
from iscore.cli.review.queues import InboxQueue
from iscore.services.news_filter import NewsFilter
from tests.iscore.cli.pseudo_terminal import Screen

DAYS = 6.9
LEARNED = 300
UNDONE = 20
PATIENCE = 120.0
TARGET = 50.0
"""Milliseconds."""
SETTINGS = {"ISCORE_NOW": homes.NOW.isoformat(), "TERM": "xterm"}
COLUMNS, LINES = 80, 24


class Person:
    """``iscore review`` in a terminal of 80 columns and 24 lines, and somebody who waits for its screens."""

    def __init__(self, home: Path, *arguments: str) -> None:
        self._near, far = os.openpty()
        self._screen = Screen(COLUMNS, LINES)
        fcntl.ioctl(self._near, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            [cpu.program(), "--home", str(home), "review", *arguments],
            stdin=far,
            stdout=far,
            stderr=far,
            env=dict(os.environ) | SETTINGS,
            start_new_session=True,
        )
        os.close(far)

    def waits_for(self, text: str) -> None:
        """Wait until the first line of the screen has this text."""
        end = time.monotonic() + PATIENCE
        while text not in self._screen.lines[0]:
            if time.monotonic() > end:
                raise RuntimeError(f"no {text!r} in {self._screen.lines}")
            if select.select([self._near], [], [], 1.0)[0]:
                self._screen.feed(os.read(self._near, 65536).decode(errors="replace"))

    def presses(self, key: str, text: str) -> float:
        """Press a key, wait for the screen that follows, and return the milliseconds in between."""
        began = time.perf_counter()
        os.write(self._near, key.encode())
        self.waits_for(text)
        return 1000 * (time.perf_counter() - began)

    def ends(self) -> None:
        """Quit."""
        os.write(self._near, b"q")
        while select.select([self._near], [], [], 5.0)[0]:
            try:
                os.read(self._near, 65536)
            except OSError:  # the terminal has gone with the program
                break
        if self.process.wait(PATIENCE):
            raise RuntimeError(f"ended with {self.process.returncode}")
        os.close(self._near)


def in_a_terminal(home: Path, verdicts: int, total: int) -> dict[str, list[float]]:
    """Milliseconds of beginning, verdicts, passing over and going back."""
    began = time.perf_counter()
    person = Person(home, "--all")
    person.waits_for("1 of ")
    found = {"begin, nothing to learn": [1000 * (time.perf_counter() - began)]}
    spent = cpu.spent()
    found["verdict"] = [person.presses("ld"[number % 2], f"{number + 2:,} of {total:,}") for number in range(verdicts)]
    found["verdict, mean processor time"] = [1000 * (cpu.spent() - spent) / verdicts]
    found["undo"] = [person.presses("u", f"{verdicts - number:,} of {total:,}") for number in range(UNDONE)]
    here = verdicts + 1 - UNDONE
    found["next, left for later"] = [person.presses("n", f"{here + number:,} of {total:,}") for number in range(1, 51)]
    found["back"] = [person.presses("b", f"{here + 50 - number:,} of {total:,}") for number in range(1, 21)]
    person.ends()
    return found


def without_a_terminal(home: Path, verdicts: int) -> list[float]:
    """Milliseconds of a verdict, the next article read included, in a process that is warm."""
    with NewsFilter.open(home, clock=lambda: homes.NOW) as news:
        controller = Controller(news, InboxQueue(news, everything=True), str)
        controller.begin()
        found = []
        for number in range(verdicts):
            began = time.perf_counter()
            controller.press("ld"[number % 2])
            found.append(1000 * (time.perf_counter() - began))
            assert not controller.session.notice, controller.session.notice
        assert sum(controller.session.counts().values()) == verdicts
    return found


def alone(folder: Path, times: int) -> list[float]:
    """Milliseconds in which this disk, as busy as it is, takes a page for good: no verdict can be faster."""
    found = []
    with (folder / "page").open("wb", buffering=0) as file:
        for _ in range(times):
            began = time.perf_counter()
            file.write(bytes(4096))
            os.fsync(file.fileno())
            found.append(1000 * (time.perf_counter() - began))
    return found


def waiting(home: Path) -> int:
    """Count what there is to go through; learns what was said, so that the next beginning has nothing to learn."""
    with NewsFilter.open(home, clock=lambda: homes.NOW) as news:
        return len(news.review_queue.inbox(everything=True).ids)


def row(work: str, times: Sequence[float], target: str = "") -> tuple[Cell, ...]:
    """Lay out one row."""
    high = sorted(times)[min(len(times) - 1, round(0.99 * len(times)))]
    return work, len(times), statistics.median(times), high, max(times), target


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=50_000)
    parser.add_argument("--verdicts", type=int, default=300)
    parser.add_argument("--home", type=Path, help="a home that benchmarks.homes has made, instead of a new one")
    parser.add_argument("--quick", action="store_true", help="fewer articles and verdicts")
    options = parser.parse_args()
    many, verdicts = (3_000, 40) if options.quick else (options.articles, options.verdicts)
    with tempfile.TemporaryDirectory() as folder:
        home = options.home or Path(folder) / "home"
        if options.home is None:
            homes.make(home, "summary", many, days=DAYS, verdicts=LEARNED)
        total = waiting(home)
        print(f"{total:,} to go through", file=sys.stderr, flush=True)
        seen = in_a_terminal(home, verdicts, total)
        rows = [row(f"in a terminal: {work}", times, "50" if work == "verdict" else "") for work, times in seen.items()]
        began = time.perf_counter()
        total = waiting(home)
        rows.append(row(f"learning {verdicts - UNDONE} verdicts", [1000 * (time.perf_counter() - began)]))
        rows.append(row("without a terminal: verdict", without_a_terminal(home, verdicts)))
        rows.append(row("for comparison: writing a page to the same disk", alone(home, verdicts)))
    write(
        "review_speed",
        "Going through articles: from a key to the next article",
        ("work", "times", "median ms", "99 % ms", "slowest ms", "target ms"),
        rows,
        notes=(
            f"`iscore review --all` in a pseudo-terminal of 80 × 24, with {many:,} articles of 7 days and {LEARNED} "
            "verdicts learned before. Wall-clock time from the key to the last byte of the next screen, which for a "
            "verdict is that of the next article; it is on the disk by then."
        ),
    )


if __name__ == "__main__":
    main()
