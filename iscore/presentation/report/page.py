"""The page of a report: summary, figures, and notes on how things were measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from markupsafe import Markup

from iscore.presentation.charts.figure import Figure, Table
from iscore.presentation.html import render


@dataclass(frozen=True, slots=True)
class Tile:
    """One number at the top of the page, with its meaning."""

    name: str
    value: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a page says. Texts may contain anything: they are escaped, unless they are ``Markup``."""

    kind: Literal["history", "replay"]
    """Whose notes stand at the end: the template of that name."""
    title: str
    headline: str
    """What the report covers, in one line."""
    lead: Sequence[str | Markup]
    """The paragraphs of the summary; without any there is no summary."""
    tiles: Sequence[Tile] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    """Anchor → a table of the summary."""
    figures: Sequence[Figure]
    listing: Table | None = None
    """A long table below the figures."""
    notes: Mapping[str, Any] = field(default_factory=dict)
    """What the notes need."""


def report_page(report: Report) -> str:
    """Return the page, to be stored as UTF-8."""
    return render("iscore.presentation.report", f"{report.kind}.html", report=report, **report.notes)
