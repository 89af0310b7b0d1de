"""A clock for many processes that can be put forward: days pass in minutes, and the program knows nothing of it.

A small library in C comes before the C library (``LD_PRELOAD``) and adds seconds to what the machine's clock says, as
many as a file has at that moment: the same for all processes of the simulation, PostgreSQL's included, and some more or
less for one of them, whose clock is wrong. How long something takes is measured as ever, so nothing runs faster.
"""

from __future__ import annotations

import mmap
import shutil
import struct
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

SLOTS = 512
_SIZE = 8


def missing() -> str:
    """Return why there can be no such clock; empty if there can be one."""
    return "" if shutil.which("cc") else "there is no C compiler, which makes the clock of the simulation"


class SimulatedClock:
    """The clock, with its files in a folder that all processes can read."""

    def __init__(self, folder: Path) -> None:
        self._library, self._file = folder / "clock.so", folder / "clock"
        source = Path(__file__).with_name("fleet_clock.c")
        command = ["cc", "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", str(self._library), str(source), "-ldl"]
        subprocess.run(command, check=True)
        self._file.write_bytes(bytes(SLOTS * _SIZE))
        for path in (self._library, self._file):
            path.chmod(0o755)
        with self._file.open("r+b") as file:
            self._seconds = mmap.mmap(file.fileno(), SLOTS * _SIZE)
        self.ahead = timedelta()
        """Of the machine's clock."""

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def put_forward(self, by: timedelta) -> None:
        """Let time pass, for everybody at the same moment."""
        self.ahead += by
        self._put(0, self.ahead)

    def set_wrong(self, slot: int, by: timedelta) -> None:
        """Let the clock of those with a slot differ from the others', which have none or another."""
        self._put(slot, by)

    def environment(self, slot: int = 0) -> dict[str, str]:
        """Return what a process needs to have this clock. Slots count from 1; 0 is no slot."""
        return {
            "LD_PRELOAD": str(self._library),
            "FLEET_CLOCK": str(self._file),
            "FLEET_CLOCK_SLOT": str(slot),
        }

    def _put(self, slot: int, value: timedelta) -> None:
        seconds = int(value.total_seconds())
        self._seconds[slot * _SIZE : (slot + 1) * _SIZE] = struct.pack("=q", seconds)
