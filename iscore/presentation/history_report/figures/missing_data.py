"""A figure without enough data: it says what is missing."""

from __future__ import annotations

from iscore.presentation.charts.figure import Figure
from iscore.services.views.history import HistoryView


def missing_data(view: HistoryView, figure: str) -> str:
    """Return what a figure lacks; empty if nothing."""
    return next((each.words for each in view.missing if each.figure == figure), "")


def lacking(view: HistoryView, name: str, heading: str, words: str = "") -> Figure:
    """Return the figure without a chart."""
    text = words or missing_data(view, name)
    return Figure(name=name, heading=heading, source="", summary=text, panels=(), layout="one", legend=(), caption="")
