"""Digests: which article was in which, the mails that deliver them, and those that confirm an address first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Delivery:
    """One article in one digest."""

    user_id: int
    seq: int
    digest: str
    """The digest's date, ``YYYY-MM-DD``."""
    number: int
    """The number in that digest, from 1."""
    at: datetime


@dataclass(frozen=True, slots=True)
class Candidate:
    """A story that may be chosen for a digest."""

    seq: int
    score: float
    threshold: float
    interesting: bool
    explore: bool
    """Drawn with its first decision; it may have become interesting since."""
    arrived: datetime
    feed_id: int
    """The feed of its leading article."""
    action: str
    """The action of the user's rules; empty when none matches."""
    interest: str = ""
    """The name of the interest that it belongs to; empty if it belongs to none."""


class MailState(StrEnum):
    """The state of the mail of a digest."""

    WAITING = "waiting"
    """To be sent, for the first time or again."""
    SENDING = "sending"
    """From now on the server may have accepted it. Without a process at work nobody can know."""
    SENT = "sent"
    """The server has accepted it from the scheduler."""
    SENT_BY_HAND = "sent by hand"
    """The server has accepted it from the user's command."""
    UNCERTAIN = "uncertain"
    """Perhaps it was accepted. It is sent again only if the user asks for it."""
    FAILED = "failed"
    """It was refused for good, or for too long."""
    EMPTY = "empty"
    """The digest was empty, and the user wants no mail then."""
    MISSED = "missed"
    """The server could not be reached on that day; its news are in the next digest."""


@dataclass(frozen=True, slots=True)
class Mailing:
    """The mail of one digest to one user."""

    user_id: int
    digest: str
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


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A mail with a code that confirms an address."""

    user_id: int
    number: int
    """From 1, for each user."""
    address: str
    """In lower case, its domain in ASCII."""
    asked: datetime
    due: datetime | None
    """When it is to be sent; None: never, or never again."""
    key: str = ""
    """The digest of its code; empty: it is not sent yet, was refused, or its code was used."""
    wrong: int = 0
    """Wrong codes that were entered."""
    confirmed: datetime | None = None
