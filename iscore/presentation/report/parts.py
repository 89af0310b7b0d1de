"""What figures share: formats of numbers and times, charts of both reports, and the figure that lacks data."""

from __future__ import annotations

import math
from datetime import date, datetime, tzinfo

from markupsafe import Markup

from iscore.presentation.charts.figure import UNDEFINED, Figure
from iscore.presentation.charts.line_chart import Axis, Floats, Line, line_chart
from iscore.services.views.history import HistoryView


def percent(share: float | None) -> str:
    """Format a share as whole per cent; None as a dash."""
    if share is None:
        return UNDEFINED
    whole = f"{share:.0%}"
    if whole in {"0%", "100%"} and share not in {0.0, 1.0}:
        whole = "< 1%" if share < 0.5 else "> 99%"
    return whole.replace(" ", "\u00a0").replace("%", "\u00a0%")


def two(value: float | None) -> str:
    """Format a rate with two decimals; None as a dash."""
    return UNDEFINED if value is None else f"{value:.2f}".replace("-", "−")


def signed(value: float | None) -> str:
    """Format log-odds or a correlation with sign and two decimals; None as a dash."""
    if value is None:
        return UNDEFINED
    written = f"{value:+.2f}".replace("-", "−")
    return "0.00" if written[1:] == "0.00" else written


def day(when: date | datetime, zone: tzinfo | None = None) -> str:
    """Format a date; of a time, in ``zone``."""
    local = when.astimezone(zone) if isinstance(when, datetime) else when
    return f"{local.day} {local:%B %Y}"


def hours(number: float) -> str:
    """Format a duration in hours: ``an hour``, ``7.5 hours``, ``3 days``."""
    if number <= 1:
        return "an hour"
    return f"{number:.3g} hours" if number < 48 else f"{number / 24:.3g} days"


def listed(words: list[str]) -> str:
    """Format as ``a``, ``a and b``, or ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def period(first: date, last: date) -> str:
    """Format a period: ``3 Mar 2026``, ``2–8 Mar 2026``, ``March 2026``."""
    if first == last:
        return f"{first.day} {first:%b %Y}"
    if first.day == 1 and last.day >= 28 and first.month == last.month:
        return f"{first:%B %Y}"
    if first.month == last.month:
        return f"{first.day}–{last.day} {last:%b %Y}"
    start = f"{first.day} {first:%b}" if first.year == last.year else f"{first.day} {first:%b %Y}"
    return f"{start} – {last.day} {last:%b %Y}"


def calibration_chart(
    style: int, predicted: Floats, liked: Floats, axes: tuple[str, str], described: str, *, size: tuple[float, float]
) -> Markup:
    """Draw the share of liked articles against the predicted one, with the line on which both are equal."""
    line = Line(style, predicted, liked, marked=True)
    x, y = (Axis(title, 0.0, 1.0) for title in axes)
    width, height = size
    return line_chart([line], x, y, described, width=width, height=height, diagonal=True)


def correlation_axis(title: str, largest: float) -> Axis:
    """Return an axis for correlations up to ``largest`` of either sign."""
    bound = min(1.0, math.ceil(largest * 5 + 1e-9) / 5)
    return Axis(title, -bound, bound, 6)


def missing_data(view: HistoryView, figure: str) -> str:
    """Return what a figure lacks; empty if nothing."""
    return next((each.words for each in view.missing if each.figure == figure), "")


def lacking(view: HistoryView, name: str, heading: str, words: str = "") -> Figure:
    """Return the figure without a chart."""
    text = words or missing_data(view, name)
    return Figure(name=name, heading=heading, source="", summary=text, panels=(), layout="one", legend=(), caption="")
