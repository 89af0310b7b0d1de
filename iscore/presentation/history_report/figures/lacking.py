"""A figure with too little to draw: its place is kept, and says what it waits for."""

from __future__ import annotations

from iscore.presentation.charts.figure import Figure
from iscore.services.views.history import HistoryView


def told(view: HistoryView, figure: str) -> str:
    """Return what a figure lacks; empty when it lacks nothing."""
    return next((each.words for each in view.missing if each.figure == figure), "")


def lacking(view: HistoryView, name: str, heading: str, words: str = "") -> Figure:
    """Return the figure without a drawing."""
    said = words or told(view, name)
    return Figure(name=name, heading=heading, source="", summary=said, panels=(), layout="one", legend=(), caption="")
