"""Interests, headlines to choose from, and imports of what the user liked elsewhere."""

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
    phrases: int
    """How many of ``examples`` are words of the user."""


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


@dataclass(frozen=True, slots=True)
class ImportedItemsView:
    """What became of things liked elsewhere."""

    found: int
    """Seeds in all sources, each counted once."""
    learned: int
    """New ones, that the next poll, inbox or digest learns from."""
    known: int
    """Of these, what was in the archive already."""
    old: int
    """Left out: imported before, or with a verdict."""
    left_out: int
    """What was too much: only the newest count."""
    pages_fetched: int
    pages_failed: int
    page_problem: str
    """Why pages could not be read, for the first of them; empty when none failed."""
    number: int | None
    """By which the import can be taken back; None when nothing was new."""
    saved: int = 0
    """Stories that were saved or labelled there, and are so here now."""
    rules: int = 0
    """New rules, from NewsBlur's training."""
    skipped: int = 0
    """Entries of files that were left out: without a web address, or neither liked nor saved there."""
    problems: tuple[str, ...] = ()
    """A line for each file that is damaged, and was read up to there."""
    without_words: int = 0
    """Left out: they have no words that iScore compares."""


@dataclass(frozen=True, slots=True)
class ImportView:
    """One import of things liked elsewhere."""

    number: int
    name: str
    """What was read, in short."""
    at: datetime
    items: int
    in_use: int
    """How many of them are still learned."""
    saved: int = 0
    """Stories that it saved or labelled, and that an undo would take back."""


@dataclass(frozen=True, slots=True)
class ImportedItemView:
    """One thing liked elsewhere."""

    id: str
    """Of its article, as the other commands take it."""
    title: str
    url: str
    form: str
    """How much was known of it: text, title, address, keywords or feed."""
    in_use: bool
    """Whether it is still learned."""
