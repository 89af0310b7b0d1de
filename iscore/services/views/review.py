"""Verdicts, and the review queue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from iscore.services.views.inbox import Learning
from storage.records.users import Kind


@dataclass(frozen=True, slots=True)
class ReviewQueueView:
    """Articles to go through."""

    ids: tuple[str, ...]
    """In order: the best first, what was put off before last; of a digest by number."""
    verdicts: Mapping[str, Kind]
    """Verdicts on some of them, by id."""
    postponed: int
    """How many at the end were put off before."""
    name: str
    """Of the digest, its date; else empty."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is left."""

    waiting: int
    """Articles in the inbox."""
    learning: Learning


@dataclass(frozen=True, slots=True)
class VerdictView:
    id: str
    title: str
    accepted: bool
    """False when it repeated the current verdict."""
    verdict: Kind
    previous: Kind | None
