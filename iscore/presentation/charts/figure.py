"""The figures and tables of a page, and number formats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

UNDEFINED = "–"


@dataclass(frozen=True, slots=True)
class Table:
    """A table; the first cell of a row is its header, the others are numbers."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart of a figure."""

    heading: str
    """Empty if the figure has one panel."""
    drawing: Markup


@dataclass(frozen=True, slots=True)
class Figure:
    """One or more charts with heading, summary, caption and table."""

    name: str
    """The anchor on the page; letters only."""
    heading: str
    source: str
    """The figure of the paper that it reproduces; empty for others."""
    summary: str
    """What the figure shows, in words."""
    panels: Sequence[Panel]
    """Empty if there is too little data; the summary then says what is missing."""
    layout: Literal["one", "two", "many"]
    legend: Sequence[tuple[Markup, str]]
    caption: str
    """How to read it."""
    file: str = ""
    """The CSV file with its numbers, or empty."""
    table: Table | None = None


def three(value: float | None) -> str:
    """Format a number with three decimals; None as a dash."""
    return UNDEFINED if value is None or not math.isfinite(value) else f"{value:.3f}".replace("-", "−")


def whole(value: float | None) -> str:
    """Format a count with thousands separators."""
    return UNDEFINED if value is None or not math.isfinite(value) else f"{value:,.0f}"


def plural(n: int, noun: str) -> str:
    """Format a count with its noun."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
