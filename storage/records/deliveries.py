"""What stood in which digest, and the mails that carry digests."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Delivery:
    """One article in one digest."""

    user_id: int
    seq: int
    edition: str
    """The digest's date, ``YYYY-MM-DD``."""
    number: int
    """Its number in that digest, from 1."""
    at: datetime


@dataclass(frozen=True, slots=True)
class Candidate:
    """A story that may come into a digest: how it stands, and what a choice goes by."""

    seq: int
    score: float
    threshold: float
    interesting: bool
    explore: bool
    """Drawn when it was first judged; it may have become interesting since."""
    arrived: datetime
    feed_id: int
    """The feed of its leading article."""
    ruling: str
    """What the person's own rules do with it; empty when none speaks of it."""


class MailState(StrEnum):
    """What became of the mail that carries a digest."""

    WAITING = "waiting"
    """To be sent, for the first time or again."""
    SENDING = "sending"
    """From now on the server may have accepted it. Whoever finds this without a process at work cannot know."""
    SENT = "sent"
    """The server has accepted it, at the scheduler's wish."""
    SENT_BY_HAND = "sent by hand"
    """The server has accepted it, at the person's own wish."""
    UNCERTAIN = "uncertain"
    """Perhaps it was accepted. It is not sent again unless the person says so."""
    FAILED = "failed"
    """It was refused for good, or for too long."""
    EMPTY = "empty"
    """There was nothing in it, and the person wants no mail then."""
    MISSED = "missed"
    """The server could not be reached on that day; its news are in the next edition."""


@dataclass(frozen=True, slots=True)
class Mailing:
    """The mail of one edition to one person."""

    user_id: int
    edition: str
    """The digest's date, ``YYYY-MM-DD``."""
    message_id: str
    """With its angle brackets; it never changes."""
    recipient: str
    state: MailState
    attempts: int
    at: datetime
    """Of the last change."""
    next_attempt: datetime | None
    """Not before; None: at once, or never, by the state."""
    error: str
    """Why the last attempt failed, and what to do; empty when it did not."""
