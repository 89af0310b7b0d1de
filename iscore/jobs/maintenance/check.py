"""What one check of a home has found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """How bad it is."""

    OK = "ok"
    ATTENTION = "attention"
    """It works, but somebody should look at it."""
    BROKEN = "broken"
    """Something does not work, or may be lost."""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the doctor's."""

    name: str
    state: State
    found: str
    """One line."""
    next: str = ""
    """What to do; empty when nothing is to be done."""


@dataclass(frozen=True, slots=True)
class CheckupView:
    """All lines, and the worst state among them."""

    state: State
    checks: tuple[Check, ...]


def ok(name: str, found: str) -> Check:
    """All is well."""
    return Check(name, State.OK, found)


def attention(name: str, found: str, next_: str) -> Check:
    """It works, but."""
    return Check(name, State.ATTENTION, found, next_)


def broken(name: str, found: str, next_: str) -> Check:
    """It does not work."""
    return Check(name, State.BROKEN, found, next_)
