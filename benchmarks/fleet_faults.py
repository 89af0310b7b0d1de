"""What breaks in the simulated fleet, and how it is mended."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

from benchmarks.fleet_processes import PLACES, WEBS, WORKERS, Fleet, Process
from iscore.jobs.workers.loop import LEASE

OUT = LEASE.total_seconds() + 8
"""Seconds for which a worker is stopped or cut off: longer than a lease, and longer than a silent connection lasts."""
WEB_OUT = 15.0
RESTART = 3.0
"""Seconds after which a process is started again that could not start, since the database was just being restarted."""
WRONG_CLOCK = timedelta(hours=2)
KINDS = ("kill", "stop", "restart", "clock", "cut", "kill web", "cut web", "stop web")


class Faults:
    """Breaks something every few seconds, and mends it later."""

    def __init__(self, fleet: Fleet, every: float) -> None:
        """``every``: seconds between two faults."""
        self.done: Counter[str] = Counter()
        self.ended = 0
        """How often a process ended by itself."""
        self._fleet = fleet
        self._random = random.Random(7)
        self._turn = 0
        self._every = every
        self._next = time.monotonic() + every
        self._repairs: list[tuple[float, Callable[[], None]]] = []

    def look(self) -> None:
        """Do what is due. What has ended by itself is started again after a while, as systemd does."""
        now = time.monotonic()
        for each in self._fleet.processes.values():
            if each.has_ended and not each.is_out:
                each.is_out = True
                self.ended += 1
                self._later(RESTART, each, each.start)
        for at, repair in [each for each in self._repairs if each[0] <= now]:
            repair()
            self._repairs.remove((at, repair))
        if now >= self._next:
            self._next = now + self._every
            for _ in KINDS:
                kind = KINDS[self._turn % len(KINDS)]
                self._turn += 1
                if self._break(kind):
                    self.done[kind] += 1
                    return

    def mend(self) -> None:
        """Mend all."""
        for _, repair in self._repairs:
            repair()
        self._repairs = []
        for each in self._fleet.processes.values():
            if each.has_ended:
                each.start()
        for slot in range(1, len(PLACES) + 1):
            self._fleet.clock.set_wrong(slot, timedelta())

    def _break(self, kind: str) -> bool:
        """Break something, if enough would be left; return whether it was broken."""
        fleet = self._fleet
        if kind == "restart":
            fleet.server.crash()
            fleet.server.start()
            return True
        names = WEBS if kind.endswith("web") else WORKERS
        well = [fleet.processes[name] for name in names if not fleet.processes[name].is_out]
        if kind == "clock":
            return self._set_wrong(self._random.choice(WORKERS))
        if len(well) < 2 and not kind.startswith("kill"):
            return False
        victim = self._random.choice(well)
        if kind.startswith("kill"):
            victim.kill()
            time.sleep(0.5)  # what it has asked a host for is answered
            victim.start()
            return True
        victim.is_out = True
        seconds = OUT if names is WORKERS else WEB_OUT
        if kind.startswith("stop"):
            victim.signal(signal.SIGSTOP)
            self._later(seconds, victim, lambda: victim.signal(signal.SIGCONT))
        else:
            fleet.places.cut(victim.name, off=True)
            self._later(seconds, victim, lambda: fleet.places.cut(victim.name, off=False))
        return True

    def _set_wrong(self, name: str) -> bool:
        by = WRONG_CLOCK * self._random.choice((-1, 1))
        self._fleet.clock.set_wrong(PLACES.index(name) + 1, by)
        return True

    def _later(self, seconds: float, victim: Process, mend: Callable[[], None]) -> None:
        def repair() -> None:
            mend()
            victim.is_out = False

        self._repairs.append((time.monotonic() + seconds, repair))
