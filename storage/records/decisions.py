"""What was decided about articles, what the newest model thinks of them, and what the person's own rules say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from storage.records.articles import Article


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about an article for a person when it was first judged. A fact: never changed."""

    user_id: int
    seq: int
    score: float
    """Log-odds; 0 is neutral."""
    threshold: float
    interesting: bool
    """Score at or above threshold."""
    explore: bool
    """Delivered although it was not interesting, to learn about what is held back."""
    probability: float
    """Chance with which it was delivered; 1.0 for what is interesting, the drawing probability for all
    others.
    """
    at: datetime


@dataclass(frozen=True, slots=True)
class CurrentScore:
    """What the newest model thinks of an article that the person has not seen yet. A cache: re-scored as one
    learns.
    """

    seq: int
    score: float
    threshold: float
    interesting: bool


class Action(StrEnum):
    """What a person's own rule does with a story."""

    ALWAYS = "always"
    """Shows it, whatever its score."""
    NEVER = "never"
    """Holds it back, whatever its score; stronger than ``ALWAYS``."""
    BOOST = "boost"
    """Raises or lowers its score."""


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """What a person's own rules say of a story. A cache: rules change."""

    seq: int
    action: Action
    """The strongest of the rules that speak of it: never, always, boost."""
    boost: float
    """Log-odds that they add to its score, whatever the action."""
    rules: tuple[str, ...]
    """The rules that decided or moved it, in words."""


@dataclass(frozen=True, slots=True)
class InboxRow:
    """One undecided article with its standing, as the inbox lists it."""

    article: Article
    """Its ``text`` is cut to the first 600 characters."""
    standing: CurrentScore
    """As the person's rules make it: the score with their boost, interesting or not as they say."""
    explore: bool
    sources: tuple[str, ...]
    """Titles of all feeds that carried the story so far, the article's own first."""
    ruling: RuleOutcome | None = None
    """What the person's own rules say of it; None when they do not speak of it."""


@dataclass(frozen=True, slots=True)
class Carried:
    """One article of a story, as rules by source and tag look at it."""

    story: int
    feed_id: int
    names: tuple[str, ...]
    """By which a person may call its source: the feed's title, their own for it, the article's site, the feed's."""
    tags: tuple[str, ...]
    """The person's own on the feed."""


@dataclass(frozen=True, slots=True)
class RuleInput:
    """What rules look at in a story: the article that leads it, and all that carried it."""

    seq: int
    title: str
    text: str
    """Empty when it was not asked for, or has been pruned."""
    author: str
    categories: tuple[str, ...]
    carried: tuple[Carried, ...]
    """Not empty; the leading article first."""


@dataclass(frozen=True, slots=True)
class DecisionCounts:
    """First decisions of some time, each counted once."""

    recommended: int
    explored: int
    held_back: int
    muted: int
    """Held back like those, but not to be shown anyway, by a rule."""
    overruled: int
    """Turned round by the person's own rules: delivered or held back by them alone."""
    last_explored: datetime | None

    @property
    def judged(self) -> int:
        """All of them."""
        return self.recommended + self.explored + self.held_back + self.muted + self.overruled
