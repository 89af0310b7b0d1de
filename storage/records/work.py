"""Work that is due, as workers claim it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Task(StrEnum):
    """What is to be done. With a key, it names a row of the work."""

    POLL = "poll"
    """Fetch the feeds of a host that are due. The key is the host."""
    MEASURE = "measure"
    """Compute the features and stories of new articles. There is one row."""
    DECIDE = "decide"
    """Learn a user's verdicts, rescore their inbox, and decide about new articles. The key is the user's number."""
    DIGEST = "digest"
    """Mail a user's digest. The key is the user's number."""
    CONNECT = "connect"
    """Synchronise a user's account on another reader server. The key is the user's number."""
    ICONS = "icons"
    """Ask sites for the icons of feeds. There is one row."""
    PRUNE = "prune"
    """Delete what is old. There is one row."""


class Queue(StrEnum):
    """Why something is due: the first one here is worked on first."""

    VERDICTS = "verdicts"
    """A user has given verdicts that are not learned yet."""
    ACTIVE = "active"
    """Articles wait for a user who is reading just now."""
    POLL = "poll"
    MEASURE = "measure"
    DECIDE = "decide"
    """Articles wait for a user."""
    DIGEST = "digest"
    CONNECT = "connect"
    ICONS = "icons"
    PRUNE = "prune"


@dataclass(frozen=True, slots=True)
class DueWork:
    """Something that is due, or will be."""

    task: Task
    key: str
    queue: Queue
    due: datetime
    user_id: int | None = None
    """Whose it is; None if it is everybody's."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A row of the work that one worker has claimed, until its lease ends."""

    task: Task
    key: str
    queue: Queue
    due: datetime
    user_id: int | None
    fence: int
    """Greater than that of every earlier claim of this row."""
    attempts: int
    """Claims since the row was last finished, this one included."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """A row of the work that nobody works on any more, since it has failed too often."""

    task: Task
    key: str
    """The host, or the number of the user; may be empty."""
    user_id: int | None
    since: datetime
    attempts: int
    reason: str
    """A readable line."""
