"""How far work is; and how much of some kinds this process has done and how long it took, for the metrics of a server.

>>> before = totals().get(LEARN, Total(0, 0.0))
>>> add(LEARN, 3, 0.25)
>>> totals()[LEARN].count - before.count
3
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

MEASURE = "measure"
"""Computing the features of articles that arrived; counts articles."""
LOAD = "load"
"""Making a reader's model from its snapshot; counts models."""
LEARN = "learn"
"""Learning verdicts that no snapshot includes; counts verdicts."""
DECIDE = "decide"
"""Deciding about new articles, and scoring those of the inbox again; counts articles that were new."""
KINDS = (MEASURE, LOAD, LEARN, DECIDE)


@dataclass(frozen=True, slots=True)
class Total:
    """Of one kind of work."""

    count: int
    seconds: float


_totals: dict[str, Total] = {}
_lock = threading.Lock()


def add(kind: str, count: int, seconds: float) -> None:
    """Add work that was done."""
    with _lock:
        known = _totals.get(kind, Total(0, 0.0))
        _totals[kind] = Total(known.count + count, known.seconds + seconds)


def totals() -> dict[str, Total]:
    """Return what was done since the process started; kinds of which nothing was done are missing."""
    with _lock:
        return dict(_totals)


def taken() -> dict[str, tuple[int, float]]:
    """Return what was done since the last call, count and seconds: what a child process tells its parent."""
    with _lock:
        found = {kind: (total.count, total.seconds) for kind, total in _totals.items()}
        _totals.clear()
        return found


def merge(done: Mapping[str, tuple[int, float]]) -> None:
    """Add what a child process has ``taken``."""
    for kind, (count, seconds) in done.items():
        add(kind, count, seconds)


Progress = Callable[[int, int, str], None]
"""Called with what is done, all that there is to do (0 while that is unknown), and what is being done, which may be
untrusted text."""
