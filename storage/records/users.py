"""Users, their verdicts, and what was learned from them."""

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
