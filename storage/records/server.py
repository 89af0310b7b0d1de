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
    last_fetch: datetime | None
    """When a feed was last fetched without an error; None: never."""
    oldest_due: Mapping[str, float]
    """By ``Queue``, and ``mail`` that is tried again: for how many seconds the oldest that is due has been so."""
    set_aside: int
    """Rows of the work that have failed too often."""
