"""What a user has marked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


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
