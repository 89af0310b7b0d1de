"""The user's rules, and what they have removed: rules and feeds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from iscore.services.views.stories import StoryView


@dataclass(frozen=True, slots=True)
class RuleView:
    """One of the user's rules."""

    number: int
    """The place in rules.yaml, from 1; removing a rule moves those behind it up."""
    action: str
    """``always``, ``never`` or ``boost``."""
    field: str
    """What it looks at: ``word``, ``phrase``, ``source``, ``author``, ``category``, ``tag`` or ``regex``."""
    text: str
    boost: float
    """Log-odds added to the score; 0 unless it boosts."""
    in_title: bool
    """Whether it looks at titles only."""
    until: date | None
    """The last day on which it is in force; None: for ever."""
    note: str
    words: str
    """All that it does, in words."""
    in_force: bool
    problem: str = ""
    """Why it is switched off although it has not expired; empty when nothing is wrong with it."""


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """What a rule would touch among the unrated stories that arrived in the last days."""

    days: int
    stories: int
    """How many were looked at."""
    touched: int
    shown: int
    """Of those it touches, how many would newly be shown."""
    hidden: int
    """How many would no longer be."""
    items: tuple[StoryView, ...]
    """The newest that it matches, up to a limit, with today's scores."""


@dataclass(frozen=True, slots=True)
class RemovedFeed:
    """A feed that the user follows no longer."""

    name: str


@dataclass(frozen=True, slots=True)
class RemovedRule:
    """A rule that the user removed; its fields are those of ``RuleView``."""

    action: str
    field: str
    text: str
    boost: float
    in_title: bool
    until: date | None
    note: str
