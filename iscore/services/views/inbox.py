"""The inbox, and lists of stories. Scores are log-odds with neutral 0; times are aware and in UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from storage.records.articles import StorySource
from storage.records.decisions import RecommendationChange
from storage.records.users import Kind


@dataclass(frozen=True, slots=True)
class InboxItem:
    """One article of the inbox."""

    id: str
    title: str
    url: str
    source: str
    sources: tuple[str, ...]
    """Every feed with the story, ``source`` first."""
    author: str
    published: datetime | None
    arrived: datetime
    summary: str
    """The beginning of the text, one paragraph."""
    score: float
    threshold: float
    interesting: bool
    explore: bool
    rule_outcome: str = ""
    """Which of the user's rules decided or moved it, in words; empty when none did."""
    language: str = ""
    """ISO 639 code, from the feed or detected; empty when unknown."""
    archive: bool = False
    """Whether it was too old to be news when it arrived: it is not offered, only listed with all others."""
    interest: str = ""
    """The name of the user's interest that it belongs to; empty if it belongs to none."""
    boost: float = 0.0
    """Log-odds of ``score`` that the user's rules added; the probability is that of the score without them."""


@dataclass(frozen=True, slots=True)
class Learning:
    """How far the filter has got to know its reader."""

    likes: int
    dislikes: int
    trained: bool
    """Whether there are enough likes and dislikes (``MIN_VERDICTS`` each) for the classifier to decide."""
    imported: int = 0
    """Imported items, which are no verdicts."""


@dataclass(frozen=True, slots=True)
class InboxView:
    """The inbox."""

    items: tuple[InboxItem, ...]
    waiting: int
    """Number of stories without the limit."""
    hidden: int
    """News below the threshold, that arrived within the setting ``inbox_days`` and have no verdict."""
    feeds: int
    """Number of subscriptions, so that an empty inbox can say whether there is anything to poll."""
    has_articles: bool
    """Whether any article ever came through a feed that the user follows."""
    learning: Learning
    archive: int = 0
    """Stories that were too old to be news when they arrived, within that time and without a verdict."""
    change: RecommendationChange | None = None
    """The last change of the number of recommendations by over a third or by an upgrade, if it was within a day."""


@dataclass(frozen=True, slots=True)
class ListedStory:
    """A story of a digest or of another list, in the inbox or not."""

    number: int
    """In a digest, from 1; else 0."""
    item: InboxItem
    reasons: tuple[str, ...]
    """Two or three, in words; empty where they were not asked for."""
    reading_minutes: int
    sources: tuple[StorySource, ...] = ()
    """Every source of the story, in order of arrival; in a digest those until it was made."""
    verdict: Kind | None = None
    """The user's verdict; None without one, and in digests."""
