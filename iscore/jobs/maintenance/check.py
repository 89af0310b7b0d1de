"""The result of a check."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """How serious a result is."""

    OK = "ok"
    ATTENTION = "attention"
    """It works, but needs attention."""
    BROKEN = "broken"
    """Something does not work, or may be lost."""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of ``iscore doctor``."""

    name: str
    state: State
    found: str
    """One line."""
    next: str = ""
    """What to do; may be empty."""


@dataclass(frozen=True, slots=True)
class CheckupView:
    """All checks, and the most serious state."""

    state: State
    checks: tuple[Check, ...]


def ok(name: str, found: str) -> Check:
    """Return a check without a problem."""
    return Check(name, State.OK, found)


def attention(name: str, found: str, next_: str) -> Check:
    """Return a check that needs attention."""
    return Check(name, State.ATTENTION, found, next_)


def broken(name: str, found: str, next_: str) -> Check:
    """Return a check that failed."""
    return Check(name, State.BROKEN, found, next_)
