"""What ``iscore.services.inbox`` answers: frozen values, ready to be shown or serialised."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from iscore.services.views.articles import InboxItem, StorySourceView
from storage.records import Kind


@dataclass(frozen=True, slots=True)
class ListedStory:
    """A story of a list that somebody is reading, whether it still waits or not."""

    item: InboxItem
    verdict: Kind | None
    """What the person says of it; None while it waits."""
    carriers: tuple[StorySourceView, ...]
    """Every feed that carried it, in order of arrival."""
    reading_minutes: int


@dataclass(frozen=True, slots=True)
class RecentVerdictView:
    """Something that the person said, and what has become of it."""

    id: str
    """Made by whoever sent it."""
    article_id: str
    title: str
    kind: Kind
    holds: Kind | None
    """What holds of the story now; None when nothing does."""
    stands: bool
    """Whether this is the word that holds; an undo never is."""
    at: datetime
