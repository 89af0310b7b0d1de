"""Users: how they sign in, their verdicts, and what was learned from them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

LOCAL_USER = 1
"""The first user of every database."""


class Role(StrEnum):
    """What a user may do."""

    ADMIN = "admin"
    """Everything, also what is about the server and other users."""
    READER = "reader"
    """What is about their own feeds, articles and settings."""


@dataclass(frozen=True, slots=True)
class User:
    """A user."""

    id: int
    name: str
    seed: int
    """Decides the sample of what was not delivered."""
    role: Role
    time_zone: str
    """Such as Europe/Rome; empty: that of the settings."""
    created: datetime | None
    """None: not known."""
    has_password: bool
    learns_from_reading: bool = False
    """Whether the filter may learn from what they do while they read."""


class Kind(StrEnum):
    """The kind of a row of the verdict log."""

    LIKE = "like"
    DISLIKE = "dislike"
    SKIP = "skip"
    """Seen, without an opinion: leaves the inbox and is not learned."""
    UNDO = "undo"
    """Undoes the user's verdict on the story."""
    IMPORTED = "imported"
    """Liked elsewhere and imported: it is learned, but is no verdict on anything that was delivered."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A row to append to the feedback log."""

    id: str
    """Made by the client; sending the same id twice counts once."""
    user_id: int
    seq: int
    kind: Kind
    at: datetime
    tags: tuple[str, ...] | None = None
    """The user's tags on the article's feed; None: those of now."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A row of the feedback log, with what learning needs to know about the article's delivery."""

    row: int
    """Position in the log: 1, 2, 3 …"""
    id: str
    user_id: int
    seq: int
    story: int
    kind: Kind
    at: datetime
    probability: float
    """Chance with which its story was explored; 1.0 when it was not, but recommended or looked up."""
    tags: tuple[str, ...]
    """The user's tags on the feed of the story's leading article, when the row was written."""
    form: str = ""
    """Of an imported item: how much was known of it, in the importer's terms; else empty."""
    interest: str = ""
    """Of an imported item: the interest that it is an example of; else empty."""
    weight: float = 1.0
    """Of an imported item: how much it teaches; a verdict on an article has weight 1."""


@dataclass(frozen=True, slots=True)
class CurrentVerdict:
    """A story's verdict now."""

    id: str
    """Made by the client, as in ``Verdict``."""
    kind: Kind
    at: datetime


@dataclass(frozen=True, slots=True)
class RecentVerdict:
    """A verdict as it was given, and the story's verdict now."""

    id: str
    """Made by the client, as in ``Verdict``."""
    article_id: str
    """Public id of the article that leads the story."""
    title: str
    """As lists show it: without one the first sentence of the text."""
    kind: Kind
    current: Kind | None
    """The story's verdict now; None without one."""
    is_current: bool
    """Whether this row is the story's verdict now; an undo never is."""
    at: datetime


@dataclass(frozen=True, slots=True)
class FeedVerdicts:
    """One user's verdicts on one feed's stories. A story counts for each of its feeds."""

    recommended: int = 0
    """Stories whose first decision was interesting and that no rule hid."""
    likes: int = 0
    dislikes: int = 0
    skips: int = 0


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of verdicts against first decisions, over the effective log."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int
    likes: int
    dislikes: int
    skips: int
    imported: int = 0
    """Liked elsewhere; none of the counts above knows of them."""
    interests: int = 0
    """How many of these are interests in words."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Saved state. ``user_id`` None: the stream's, by article seq; else a reader's, by feedback row."""

    user_id: int | None
    sequence: int
    """The last article or log row that the state includes."""
    fingerprint: str
    """Library versions and processor; a snapshot of another fingerprint is not used."""
    state: bytes


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
