"""What the page is told of a figure, and how it writes numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

UNDEFINED = "–"


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a page. The first cell of a row heads it; all other cells are numbers."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Panel:
    """One drawing."""

    heading: str
    """Empty when the figure has only one."""
    drawing: Markup


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with what it says in words."""

    name: str
    """Letters only: an anchor of the page."""
    heading: str
    source: str
    """Which figure of the paper it is; empty for the others."""
    summary: str
    """What is to be seen, for those who look and for those who cannot."""
    panels: Sequence[Panel]
    """None while there is too little to draw: then the summary says what is missing."""
    layout: Literal["one", "two", "many"]
    legend: Sequence[tuple[Markup, str]]
    caption: str
    """How to read it."""
    file: str = ""
    """The CSV file with its numbers; empty when there is none."""
    table: Table | None = None


def three(value: float | None) -> str:
    """Write a share or a measure with three decimals; an undefined one as a dash."""
    return UNDEFINED if value is None or not math.isfinite(value) else f"{value:.3f}".replace("-", "−")


def whole(value: float | None) -> str:
    """Write a count, thousands apart."""
    return UNDEFINED if value is None or not math.isfinite(value) else f"{value:,.0f}"


def plural(n: int, noun: str) -> str:
    """Write ``n`` of something."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
