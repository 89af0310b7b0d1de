"""Sessions, invitations, and passwords of client apps."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from storage.records.users import Role


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A browser in which a user is signed in. ``key`` is the digest of the session's id."""

    user_id: int
    key: str
    created: datetime
    used: datetime
    agent: str


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation by the user ``user_id``. ``key`` is the digest of the token in its link."""

    user_id: int
    key: str
    name: str
    """Proposed to the guest, who may choose another; may be empty."""
    role: Role
    created: datetime


@dataclass(frozen=True, slots=True)
class AppPassword:
    """A password for one client app. ``key`` is its digest."""

    user_id: int
    name: str
    """The app, as the user calls it."""
    key: str
    created: datetime
    used: datetime | None
    """None: not yet."""
