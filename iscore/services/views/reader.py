"""Lists of stories to read, and the navigation between them."""

from __future__ import annotations

from dataclasses import dataclass

from iscore.services.views.inbox import ListedStory
from storage.records.marks import Mark


@dataclass(frozen=True, slots=True)
class MarkedStory:
    """A story with the user's marks on it."""

    story: ListedStory
    mark: Mark


@dataclass(frozen=True, slots=True)
class StoryPage:
    """One page of a list."""

    stories: tuple[MarkedStory, ...]
    after: str
    """The place behind which the next page begins; empty on the last page."""
    newest: int
    """The number of the newest article when the page was made: what arrives later is not marked with the page."""


@dataclass(frozen=True, slots=True)
class FeedLink:
    """A feed in the navigation."""

    number: int
    name: str
    """One line without control characters; may be empty."""
    unread: int
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FolderLink:
    """A folder in the navigation: the feeds that have one tag."""

    name: str
    unread: int
    feeds: tuple[FeedLink, ...]


@dataclass(frozen=True, slots=True)
class Navigation:
    """All lists of a user. Unread counts are of stories that arrived within the setting ``inbox_days``."""

    folders: tuple[FolderLink, ...]
    """In alphabetical order; a feed with several tags is in several."""
    feeds: tuple[FeedLink, ...]
    """Those without a tag, in alphabetical order."""
    labels: tuple[tuple[str, int], ...]
    """In alphabetical order, with the number of stories."""
    saved: int
    unread: int
    """Of all feeds; a story in several feeds counts for each."""
