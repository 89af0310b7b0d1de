"""Stories of a user: their marks, and how lists and client apps have them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from storage.records.articles import Article, StorySource
from storage.records.decisions import CurrentScore
from storage.records.rules import RuleOutcome
from storage.records.users import Kind


@dataclass(frozen=True, slots=True)
class Mark:
    """A user's marks on a story. Times are aware and in UTC."""

    read_at: datetime | None = None
    """None while it is unread."""
    kept_unread: bool = False
    """Whether the user marked it as unread."""
    saved_at: datetime | None = None
    """None when it is not saved."""
    labels: tuple[str, ...] = ()
    """In alphabetical order."""


UNMARKED = Mark()


@dataclass(frozen=True, slots=True)
class StoryRow:
    """A story as lists show it, with the outcome of the user's rules."""

    article: Article
    """The leading article; in lists its ``text`` is cut to the first 600 characters."""
    score: CurrentScore | None
    """With the user's rules: boosted, and interesting or not as they say; None before it is scored."""
    explore: bool | None
    """Whether it is shown only to be explored; None before it is decided about."""
    sources: tuple[StorySource, ...]
    """The first article of each feed with the story, in order of arrival."""
    outcome: RuleOutcome | None = None
    """What the user's rules do with it; None when none matches."""
    hidden: bool = False
    """Whether it is neither shown nor near it, and no archive."""


@dataclass(frozen=True, slots=True)
class Item:
    """The state of a story in client apps, which call it an item."""

    seq: int
    """Of its leading article."""
    story: int
    feed_id: int
    arrived: datetime
    dated: datetime
    """See ``records.articles.dated``."""
    read: bool
    saved: bool
    kept_unread: bool
    best: bool
    maybe: bool
    hidden: bool
    verdict: Kind | None
    changed: datetime
    """When it arrived, was read last, or was saved, whichever is the latest."""
