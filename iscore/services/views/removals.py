"""What ``iscore.services.rules.removals`` answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class RemovedFeed:
    """A feed that the user follows no longer."""

    name: str


@dataclass(frozen=True, slots=True)
class RemovedRule:
    """A rule that the user removed; its fields are those of ``RuleView``."""

    action: str
    field: str
    text: str
    boost: float
    in_title: bool
    until: date | None
    note: str
