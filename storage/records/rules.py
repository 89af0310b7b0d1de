"""What rules do with a story. Each definition is here once; Python and SQL both evaluate it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from storage.records.feeds import Priority


class Action(StrEnum):
    """What a rule does with a story."""

    ALWAYS = "always"
    """Shows it, whatever its score."""
    NEVER = "never"
    """Hides it, whatever its score; stronger than ``ALWAYS``."""
    BOOST = "boost"
    """Raises or lowers its score."""


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """What the user's rules do with a story. A cache: rules change."""

    seq: int
    action: Action
    """The strongest of the rules that match: never, always, boost."""
    boost: float
    """Log-odds that the rules add to its score, whatever the action."""
    rules: tuple[str, ...]
    """The rules that decided or boosted it, in words."""


@dataclass(frozen=True, slots=True)
class RuleSource:
    """One article of a story, as rules about sources and tags see it."""

    story: int
    feed_id: int
    names: tuple[str, ...]
    """Names of the source: the feed's title, the user's title for it, the article's site, the feed's."""
    tags: tuple[str, ...]
    """The user's tags on the feed."""
    priority: Priority = Priority.FILTERED
    """Of the feed, for the user."""


@dataclass(frozen=True, slots=True)
class RuleInput:
    """What rules look at in a story: its leading article, and the sources of all its articles."""

    seq: int
    title: str
    text: str
    """Empty when it was not asked for, or has been pruned."""
    author: str
    categories: tuple[str, ...]
    sources: tuple[RuleSource, ...]
    """Not empty; the leading article's first."""


Choose = Callable[..., Any]
"""Takes pairs of a condition and a value, and a default; returns the value of the first condition that is true."""


def is_interesting(choose: Choose, action: Any, score: Any, threshold: Any, interesting: Any) -> Any:
    """Whether a story is shown by its score or by a rule.

    Parameters
    ----------
    action
        Of the rule outcome, as text; None without any.
    score
        The model's score with the rules' boost.
    interesting
        Whether the model's own score is at or above the threshold.
    """
    return choose(
        (action == Action.ALWAYS.value, True),
        (action == Action.NEVER.value, False),
        (action == Action.BOOST.value, score >= threshold),
        interesting,
    )


def is_explored(choose: Choose, action: Any, explore: Any) -> Any:
    """Whether a story that is explored may be shown for that; nothing is that a rule hides."""
    return choose((action == Action.NEVER.value, False), explore)
