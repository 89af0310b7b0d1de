"""The mail of digests."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from storage.records.deliveries import MailState


@dataclass(frozen=True, slots=True)
class MailingView:
    """What became of the mail of one digest."""

    digest: str
    """The digest's date, ``YYYY-MM-DD``."""
    state: MailState
    recipient: str
    message_id: str
    attempts: int
    at: datetime
    """Of the last change."""
    next_attempt: datetime | None
    """Of a waiting mail: not before. None when it is not tried again by itself, or at once."""
    error: str
    """Why the last attempt failed; empty when it did not."""
    advice: str
    """What the user may do; empty when nothing needs doing."""
    made: bool
    """Whether the digest has been made, so that its articles are in no other."""


@dataclass(frozen=True, slots=True)
class TrialMailView:
    """A test message that the server has accepted."""

    recipient: str
    sender: str
    server: str
    """Host and port."""
    security: str
    answer: str
    """The server's answer."""
