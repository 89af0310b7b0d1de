"""What a search found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from storage.records.users import Kind


@dataclass(frozen=True, slots=True)
class FoundArticle:
    """One article; of a story with several that match, the newest."""

    id: str
    title: str
    url: str
    source: str
    author: str
    published: datetime | None
    arrived: datetime
    language: str
    excerpt: str
    """The text around the first match, else its beginning, as one line; empty when the text was pruned."""
    score: float | None
    """Of its story, with the user's rules; None before it is scored."""
    threshold: float | None
    interesting: bool | None
    verdict: Kind | None


@dataclass(frozen=True, slots=True)
class SearchView:
    """Articles that were found, newest first."""

    items: tuple[FoundArticle, ...]
    matches: int
    """Articles that match, counted up to a thousand."""
    more: bool
    """Whether there are more than were counted."""
