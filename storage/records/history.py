"""Records of ``storage.log.history``."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from storage.records.users import Kind


@dataclass(frozen=True, slots=True)
class PastVerdict:
    """An effective like, dislike or skip, with the first decision about its story."""

    row: int
    """Position in the log."""
    story: int
    kind: Kind
    at: datetime
    """When the verdict was given."""
    arrived: datetime
    """When the story's leading article arrived."""
    decided: datetime | None
    """When the first decision was made; this and all below are None without one."""
    score: float | None
    interesting: bool | None
    explore: bool | None
    probability: float | None
    """Chance with which it was delivered."""
    overruled: bool = False
    """Whether a rule reversed the decision."""


@dataclass(frozen=True, slots=True)
class DecisionBatch:
    """The first decisions that were made at one moment."""

    at: datetime
    judged: int
    recommended: int
    """By the filter, like the next two: decisions that a rule reversed are only among ``judged``."""
    explored: int
    hidden: int
    """And not explored."""
    threshold: float
    """By which the newest of its articles was decided."""


@dataclass(frozen=True, slots=True)
class ArrivalCount:
    """Articles that came through feeds within a quarter of an hour."""

    quarter: datetime
    """When it began."""
    articles: int
