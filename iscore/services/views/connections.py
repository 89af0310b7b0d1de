"""What is shown of a connection to another reader server. None of it contains a password."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ConnectionView:
    """A connection, and how it is doing."""

    kind: str
    """A value of ``ReaderKind``."""
    address: str
    name: str
    """The user's name there."""
    options: tuple[str, ...]
    connected: datetime
    synced: datetime | None
    """The last synchronisation that was finished."""
    next_due: datetime | None
    failures: int
    """Failed attempts since the last success."""
    error: str
    """Why the last attempt failed; after a success, what it left out."""
    feeds: int
    items: int
    """Known of the other server."""
    labelled: int
    """Of these, on how many iScore has set something there."""
    waiting: int
    """Tags that are still to be set or removed there."""
    refused: int
    """Tags that the other server refuses."""


@dataclass(frozen=True, slots=True)
class SyncView:
    """What one synchronisation did."""

    new: int
    """Articles that came."""
    recommended: int
    """Of these."""
    imported: int
    """Stars and likes from before the connection that are learned from now on."""
    verdicts: int
    """Likes, dislikes and undone ones that were learned."""
    read: int
    """Stories that were read there."""
    sent: int
    """Tags that were set or removed there."""
    seconds: float
    note: str
    """What was left out, and why; empty if nothing was."""


@dataclass(frozen=True, slots=True)
class RemovedView:
    """A connection that was removed."""

    address: str
    sent: int
    """Tags that were removed there."""
    left: int
    """Tags that stay there."""
