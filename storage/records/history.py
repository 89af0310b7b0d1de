"""What ``storage.history`` tells of a person's past, as plain frozen values. Nothing here knows SQL."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from storage.records import Kind


@dataclass(frozen=True, slots=True)
class Said:
    """An effective like, dislike or skip, with the first decision about its story."""

    row: int
    """Position in the log."""
    story: int
    kind: Kind
    at: datetime
    """When it was said."""
    arrived: datetime
    """When the story's leading article arrived."""
    decided: datetime | None
    """When it was first judged; this and all below are None for what never was."""
    score: float | None
    interesting: bool | None
    explore: bool | None
    probability: float | None
    """Chance with which it was delivered."""
    overruled: bool = False
    """Whether the person's own rules decided, and not the filter."""


@dataclass(frozen=True, slots=True)
class Round:
    """The first decisions that were made at one moment."""

    at: datetime
    judged: int
    recommended: int
    """By the filter, like the next two: what the person's own rules decided is only among the judged."""
    explored: int
    held_back: int
    """And not explored."""
    threshold: float
    """By which the newest of its articles was decided."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """Articles that came through feeds within a quarter of an hour."""

    quarter: datetime
    """When it began."""
    articles: int
