"""Interests, and headlines to choose from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ExampleView:
    """An example of an interest."""

    id: str
    """Of its article, as the other commands take it."""
    title: str
    url: str
    form: str
    """How much is known of it: text, title, address, keywords or feed."""
    weight: float
    """How much it teaches; a verdict on an article has weight 1."""


@dataclass(frozen=True, slots=True)
class InterestView:
    """An interest: what a user likes, by name and examples."""

    name: str
    examples: tuple[ExampleView, ...]
    """Those in use."""
    weight: float
    """1 as it was added; halved each time that it is weakened."""


@dataclass(frozen=True, slots=True)
class InterestChangeView:
    """What a command has changed of an interest."""

    name: str
    changed: int
    """Examples that were added, weakened, removed or restored."""
    examples: int
    """In use now."""
    weight: float
    """1 as it was added; halved each time that it is weakened."""


@dataclass(frozen=True, slots=True)
class HeadlineView:
    """A headline to choose."""

    number: int
    """From 1, in this list."""
    id: str
    title: str
    source: str
    url: str
    published: datetime | None
