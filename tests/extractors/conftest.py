"""Articles for the tests of extractors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from benchmarks.sample_news import News

MORNING = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Piece:
    """An article as extractors see it."""

    title: str = ""
    text: str = ""
    id: str = "a1"
    url: str = "https://example.org/a1"
    source: str = "The Example"
    site: str = "example.org"
    author: str = "Ada Rossi"
    categories: tuple[str, ...] = ("Economy", "Harbour")
    language: str = "en"
    published: datetime | None = MORNING
    arrived: datetime = MORNING + timedelta(hours=1)
    links: int = 2
    pictures: int = 1
    tags: tuple[str, ...] = ("harbour", "Work")


_ENGLISH = (
    ("Harbour cranes stand still", "The dockers of the old harbour went on strike at dawn. Cranes stood still."),
    ("Council votes for tram line", "The city council voted for a new tram line. “It will be fast,” the mayor said."),
    ("Bees return to the valley", "Beekeepers count more hives than last year. Warm weather helped the colonies."),
    ("Crane drivers end strike", "The strike in the harbour ended. Crane drivers and dockers go back to work."),
    ("Telescope sees early galaxy", "Astronomers found a galaxy 13.2 billion years old, Dr. Weiss told reporters."),
)
_ITALIAN = (
    ("Sciopero nel porto", "I portuali hanno scioperato all'alba. «Non torniamo indietro», ha detto il sindacato."),
    ("Il tram arriva in centro", "Il consiglio comunale ha approvato la nuova linea del tram per il centro."),
)


@pytest.fixture
def piece() -> Callable[..., Piece]:
    """Return the class of a single article; every field has a default."""
    return Piece


@pytest.fixture
def stream() -> list[Piece]:
    """Return forty articles in order of arrival: recurring stories, two languages, things missing."""
    pieces = []
    for number in range(40):
        italian = number % 5 == 4
        title, text = _ITALIAN[number % 2] if italian else _ENGLISH[(number * 3) % 5]
        pieces.append(
            Piece(
                title=title,
                text=f"{text} Edition {number} brings page{number % 11}.",
                id=f"a{number}",
                source=f"Paper {number % 4}",
                site=f"paper{number % 4}.example",
                author="" if number % 3 == 0 else f"Author {number % 7}",
                categories=() if number % 6 == 0 else (f"Desk {number % 3}", "News"),
                language="" if number % 2 else ("it" if italian else "en"),
                published=None if number % 8 == 7 else MORNING + timedelta(minutes=40 * number),
                arrived=MORNING + timedelta(hours=number),
                links=number % 5,
                tags=((), ("Europe",), ("city", "work"), ("science",))[number % 4],
                pictures=number % 3,
            )
        )
    return pieces


@pytest.fixture(scope="session")
def world() -> News:
    """Six days of sample news."""
    return News(seed=3, start=datetime(2026, 3, 2, tzinfo=UTC), days=6)


def printed(script: str, **environment: str) -> str:
    """Run a script in a process of its own; return what it prints."""
    command, given = [sys.executable, "-c", script], {**os.environ, **environment}
    return subprocess.run(command, env=given, capture_output=True, text=True, check=True, timeout=600).stdout
