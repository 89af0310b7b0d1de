"""Sessions, invitations, passwords of client apps, and failed attempts to sign in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

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
class Identity:
    """An account at a provider of OpenID Connect with which a user signs in."""

    user_id: int
    issuer: str
    """Address of the provider."""
    subject: str
    """The provider's own id of the account."""
    created: datetime


class AppOption(StrEnum):
    """What marks of a client app mean, and what it gets, where that differs from the default."""

    STAR_ONLY_SAVES = "star-only-saves"
    """A star is no like."""
    UNSTAR_UNDOES = "unstar-undoes"
    """Removing a star undoes its like at any time, not only soon after."""
    BROADCAST_DISLIKES = "broadcast-dislikes"
    """Sharing is a dislike; else it means nothing."""
    HIDDEN_UNREAD = "hidden-unread"
    """Stories below the threshold are served as unread."""
    LEARN_READING = "learn-reading"
    """Marks are reading events."""
    RATING_LINKS = "rating-links"
    """Items end with links to rate them, while there are personal feeds, whose key signs them."""


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
    options: tuple[str, ...] = ()
    """Values of ``AppOption`` that are switched on."""
    fever_key: str = ""
    """The digest of what the app sends by the Fever API; empty if it cannot use that."""


@dataclass(frozen=True, slots=True)
class LoginAttempt:
    """Attempts to sign in from one place, or to one account."""

    kind: str
    key: str
    """A digest of the place."""
    wrong: int
    """Failures in a row."""
    at: datetime
    """The last attempt."""
