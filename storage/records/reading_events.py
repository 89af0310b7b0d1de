"""What a user did while reading."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Act(StrEnum):
    """What a reading event says that the user did with a story."""

    OPENED = "opened"
    READ = "read"
    """Had the article before them for some seconds."""
    SAVED = "saved"
    UNSAVED = "unsaved"
    ORIGINAL = "original"
    """Opened the publisher's page."""
    LEFT = "left"
    """Marked it as read with all others, unopened, after it had been on screen."""
    NOT_LEFT = "not left"
    """Undid that."""
    PASSED = "passed"
    """Went past it in a list by keyboard, unopened."""


@dataclass(frozen=True, slots=True)
class ReadingEvent:
    """A row to append to the reading events."""

    id: str
    """Made by the client; sending the same id twice counts once."""
    user_id: int
    story: int
    """The article that leads the story for the user."""
    act: Act
    at: datetime
    visit: str = ""
    """The visit of a page that the seconds belong to."""
    seconds: float = 0.0
    """Of ``Act.READ``: on the article in this visit so far."""


@dataclass(frozen=True, slots=True)
class StoryReading:
    """All that a user did with a story."""

    story: int
    opened: bool
    seconds: float
    """On the article, over all visits; 0 where it is not known."""
    saved: bool
    original: bool
    left: bool
    passed: bool
    row: int
    """The last event."""
    at: datetime
    """Of the last event."""
