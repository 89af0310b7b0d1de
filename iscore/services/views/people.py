"""The people who share a data folder, their settings, and the mail of their digests."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from storage.records.deliveries import MailState
from storage.records.users import Role


@dataclass(frozen=True, slots=True)
class PersonView:
    """One person."""

    name: str
    role: Role
    time_zone: str
    """Empty: that of their settings."""
    created: datetime | None
    """None: not known."""
    has_password: bool
    feeds: int
    """How many they follow."""


@dataclass(frozen=True, slots=True)
class AddedPerson:
    """A new person, and what became of the files of the first."""

    person: PersonView
    moved: tuple[Path, ...]
    """Copies of the files that were moved into the database; empty if that was done before."""


@dataclass(frozen=True, slots=True)
class SettingView:
    """One of a user's own settings."""

    name: str
    value: str | bool | float
    default: str | bool | float
    description: str
    variable: str = ""
    """The environment variable that sets it, so that the text does not; empty if none does."""


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
