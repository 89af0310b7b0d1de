"""Decisions about stories: the first, the current scores, and what pages count of the past."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from storage.records.users import Kind

FEW = 3
"""Stories more or less that need no explanation, however few there were before."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The first decision about a story for a user. A fact: it never changes."""

    user_id: int
    seq: int
    score: float
    """Log-odds; 0 is neutral."""
    threshold: float
    interesting: bool
    """Score at or above threshold."""
    explore: bool
    """Delivered although it was not interesting, to learn about what is below the threshold."""
    probability: float
    """Chance with which it was delivered: 1 or 0, except where former versions drew articles at random."""
    at: datetime
    margin: float | None = None
    """Log-odds before they were made true; None while there are too few verdicts for a ranking."""
    vote: float | None = None
    """The feature classifier's score; None if it gave none."""
    round: int | None = None
    """The round in which it was made; None for decisions of former versions."""


@dataclass(frozen=True, slots=True)
class DecisionRound:
    """When a batch of stories was decided about. A fact: it never changes."""

    user_id: int
    number: int
    """From 1; the decisions of earlier rounds are known in it."""
    at: datetime
    row: int
    """The last row of the user's log; 0 without any."""


class CurrentScore(NamedTuple):
    """A story's score by the current model. A cache: it changes when the model learns, while first decisions stay."""

    seq: int
    score: float
    threshold: float
    interesting: bool
    """Score at or above threshold, and not archive."""
    archive: bool = False
    """Whether the story was too old to be news when it arrived: it has a score and no decision."""
    interest: str = ""
    """The name of the user's interest that it belongs to; empty if it belongs to none."""


@dataclass(frozen=True, slots=True)
class RecommendationChange:
    """A change of the number of recommended stories without a verdict, and what happened since the count before."""

    at: datetime
    before: int
    after: int
    verdicts: int = 0
    """Likes and dislikes."""
    undone: int = 0
    imported: int = 0
    arrived: int = 0
    """New stories that were decided about."""
    upgraded: bool = False
    """Whether another version of iScore had made the scores before."""
    shown: bool = False
    """Whether the command line has explained it."""

    @property
    def is_worth_explaining(self) -> bool:
        """Whether it comes from an upgrade, or is more than a third and more than a few stories."""
        difference = abs(self.after - self.before)
        return self.upgraded or (3 * difference > self.before and difference > FEW)


@dataclass(frozen=True, slots=True)
class DecisionCounts:
    """First decisions of some time, each counted once."""

    recommended: int
    explored: int
    hidden: int
    muted: int
    """Held back like those, but not to be shown anyway, by a rule."""
    overruled: int
    """Reversed by the user's rules."""
    last_explored: datetime | None

    @property
    def decided(self) -> int:
        """All of them."""
        return self.recommended + self.explored + self.hidden + self.muted + self.overruled


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
    decided: int
    recommended: int
    """By the filter, like the next two: decisions that a rule reversed are only among ``decided``."""
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
