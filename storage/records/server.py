"""What a whole server has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ServerCounts:
    """Counts over all users."""

    users: Mapping[str, int]
    """By the value of ``Role``."""
    feeds_enabled: int
    """Feeds that are polled for somebody."""
    feeds_disabled: int
    """Feeds that all their subscribers have paused."""
    feeds_broken: int
    """Of the enabled ones, those whose last poll failed, or that are gone."""
    articles: int
    """The number of the newest: none is ever deleted."""
    last_fetch: datetime | None
    """When a feed was last fetched without an error; None: never."""
    oldest_due: Mapping[str, float]
    """By ``Queue``, and ``mail`` that is tried again: for how many seconds the oldest that is due has been so."""
    set_aside: int
    """Rows of the work that have failed too often."""


@dataclass(frozen=True, slots=True)
class HostState:
    """A host, with its port, from which feeds are polled."""

    host: str
    feeds: int
    broken: int
    """Of these feeds, those whose last fetch failed, or that are gone."""
    next_due: datetime | None
    """When the first of them is due; None: none was ever polled."""
    paused_until: datetime | None
    """Until when the host asked to be left alone; None: it did not."""


@dataclass(frozen=True, slots=True)
class BrokenFeed:
    """A feed whose last fetch failed, or that is gone."""

    url: str
    """As it is polled: it may contain a password or other secrets."""
    error: str
    failures: int
    """In a row."""
    last_success: datetime | None
    next_due: datetime | None
