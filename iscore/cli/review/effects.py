"""What a key asks the world to do."""

from __future__ import annotations

from dataclasses import dataclass

from storage.records import Kind


@dataclass(frozen=True, slots=True)
class Give:
    """Record a verdict."""

    id: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class PutOff:
    """Remember that the article is to come last the next time."""

    id: str


@dataclass(frozen=True, slots=True)
class Open:
    """Open the article in a browser; with a ``number`` from 1 that article of its story."""

    id: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Mute:
    """Write a rule against a word, or, with an empty ``text``, against the article's source or author."""

    id: str
    field: str
    """``source``, ``author`` or ``word``."""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Unmute:
    """Remove such a rule."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class Refresh:
    """Learn what was said, and begin anew with what waits then."""


@dataclass(frozen=True, slots=True)
class Quit:
    """End."""


Effect = Give | PutOff | Open | Mute | Unmute | Refresh | Quit
