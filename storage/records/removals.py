"""What a user removed and can bring back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class RemovalKind(StrEnum):
    """What was removed. Stored: never rename one."""

    FEED = "feed"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Removal:
    """Something that a user removed."""

    user_id: int
    key: str
    """Random."""
    at: datetime
    kind: RemovalKind
    content: str
    """All of it, as JSON."""
