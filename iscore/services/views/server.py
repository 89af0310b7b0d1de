"""A server as its admins see it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from storage.records.server import HostState, ServerCounts
from storage.records.work import Task


@dataclass(frozen=True, slots=True)
class SetAsideView:
    """Work that has failed too often."""

    task: Task
    key: str
    """The host, or the number of the user; may be empty."""
    user: str
    """The name of the user whose it is; empty if it is everybody's."""
    since: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class BrokenFeedView:
    """A feed whose last fetch failed, or that is gone."""

    url: str
    """Without user, password and what may be a secret."""
    error: str
    """As it is stored, in English; empty if it is gone."""
    failures: int
    """In a row."""
    last_success: datetime | None


@dataclass(frozen=True, slots=True)
class ServerView:
    """The state of a server. Counts are those of all people together."""

    database: str
    """Its file, or its address without user and password."""
    size: int
    """Bytes."""
    counts: ServerCounts
    set_aside: tuple[SetAsideView, ...]
    hosts: tuple[HostState, ...]
    """First those with most broken feeds, then by name."""
    broken: tuple[BrokenFeedView, ...]
    """At most ``MOST_FEEDS``, first those that have failed most often."""
