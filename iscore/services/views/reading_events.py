"""What the filter learns from what a user does while they read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadingView:
    """The switch, and how much the recorded events count as."""

    on: bool
    """Whether reading is recorded, and counts."""
    stories: int
    """Stories with events, at most the 2,000 of the newest."""
    opened: int
    minutes: float
    """Spent reading."""
    saved: int
    as_likes: float
    """All parts of likes together, before they are limited to what all likes weigh; 0 while it is off."""
    as_dislikes: float
    """The same of dislikes."""
