"""Line charts, readable on a phone, and the labels of a time axis: months, weeks or days, whichever fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from iscore.presentation.charts.marks import mark
from iscore.presentation.charts.svg import Scale, drawing, element, label, text_width, ticks, written

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A series; NaN in ``y`` breaks it. Shapes (points,)."""

    style: int
    x: Floats
    y: Floats
    marked: bool = False
    """Whether each point gets a mark."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis."""

    title: str
    """Empty if the caption says it."""
    low: float
    high: float
    most: int = 5
    """Approximate number of ticks."""
    names: Sequence[tuple[float, str]] | None = None
    """Labels and their positions, instead of numbers."""


def line_chart(
    lines: Sequence[Line],
    x: Axis,
    y: Axis,
    described: str,
    *,
    width: float = 360,
    height: float = 240,
    diagonal: bool = False,
    upright: float | None = None,
) -> Markup:
    """Draw lines, the first on top. ``diagonal`` adds the line y = x, ``upright`` a vertical line at an x value."""
    steps_y = ticks(y.low, y.high, y.most)
    written_y = [written(value, _step(steps_y)) for value in steps_y]
    left = 10 + max(text_width(text) for text in written_y)
    top, right, bottom = 24.0 if y.title else 8.0, width - 14, height - (38 if x.title else 22)
    across, up = Scale(x.low, x.high, left, right), Scale(y.low, y.high, bottom, top)
    parts = [label(y.title, 0, 11, class_="axis"), label(x.title, right, height - 4, anchor="end", class_="axis")]
    for value, text in zip(steps_y, written_y, strict=True):
        parts.append(element("path", d=f"M{left:.2f},{up(value):.2f}H{right:.2f}", class_="grid"))
        parts.append(label(text, left - 6, up(value) + 4, anchor="end"))
    parts += _ticks_across(x, across, left, right, bottom)
    if diagonal:
        ends = (max(x.low, y.low), min(x.high, y.high))
        (x0, y0), (x1, y1) = ((across(end), up(end)) for end in ends)
        parts.append(element("path", d=f"M{x0:.2f},{y0:.2f}L{x1:.2f},{y1:.2f}", class_="reference"))
    if upright is not None:
        parts.append(element("path", d=f"M{across(upright):.2f},{top:.2f}V{bottom:.2f}", class_="reference"))
    for line in reversed(lines):
        path = _path(line, across, up)
        if path:
            parts.append(element("path", d=path, class_=f"line s{line.style}"))
        there = np.isfinite(line.y)
        if line.marked or np.count_nonzero(there) == 1:
            points = zip(line.x[there], line.y[there], strict=True)
            parts += [mark(line.style, across(a), up(b), size=3.2) for a, b in points]
    return drawing(width, height, described, *parts)


def _ticks_across(x: Axis, across: Scale, left: float, right: float, bottom: float) -> list[Markup]:
    steps = ticks(x.low, x.high, x.most)
    named = [(value, written(value, _step(steps))) for value in steps] if x.names is None else x.names
    parts = [element("path", d=f"M{left:.2f},{bottom:.2f}H{right:.2f}", class_="base")]
    taken = -np.inf
    for value, text in named:
        place = across(value)
        half = text_width(text) / 2
        # Move a label at the edge into the picture.
        middle = min(place, right + 12 - half)
        if middle - half < taken:
            continue
        taken = middle + half + 4
        parts.append(element("path", d=f"M{place:.2f},{bottom:.2f}v4", class_="base"))
        parts.append(label(text, middle, bottom + 16, anchor="middle"))
    return parts


def _path(line: Line, across: Scale, up: Scale) -> str:
    pieces, pen = [], "M"
    for a, b in zip(line.x.tolist(), line.y.tolist(), strict=True):
        if not np.isfinite(b):
            pen = "M"
            continue
        pieces.append(f"{pen}{across(a):.1f},{up(b):.1f}")
        pen = "L"
    return "".join(pieces)


def _step(steps: Sequence[float]) -> float:
    return steps[1] - steps[0] if len(steps) > 1 else abs(steps[0])


MOST = 5
"""Labels that fit on a phone."""
_DAYS = (1, 2, 7, 14)
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120)


def moment(day: date, zone: tzinfo | None) -> float:
    """Return the start of a day in ``zone`` (None for the machine's), in seconds since 1970."""
    return datetime.combine(day, time(), tzinfo=zone).timestamp()


def named_days(first: date, last: date, most: int = MOST) -> list[tuple[date, str]]:
    """Return one to ``most`` days from ``first`` to ``last``, evenly spaced, each with its label."""
    days = (last - first).days + 1
    for step in _DAYS:
        if days <= step * most:
            found = [first + timedelta(days=number) for number in range(_to_monday(first, step), days, step)]
            if found:
                return [(day, _day_name(day)) for day in found]
    for months in _MONTHS:
        found = [day for day in _firsts(first, last) if (12 * day.year + day.month - 1) % months == 0]
        if 0 < len(found) <= most:
            return [(day, _month_name(day, months)) for day in found]
    return [(first, _day_name(first))]


def _to_monday(first: date, step: int) -> int:
    """Return the days until the first label; weeks start on Monday."""
    return -first.weekday() % 7 if step >= 7 else 0


def _firsts(first: date, last: date) -> Iterator[date]:
    day = first if first.day == 1 else (first.replace(day=1) + timedelta(days=32)).replace(day=1)
    while day <= last:
        yield day
        day = (day + timedelta(days=32)).replace(day=1)


def _day_name(day: date) -> str:
    return f"{day.day} {day:%b}"


def _month_name(day: date, months: int) -> str:
    if months >= 12:
        return f"{day:%Y}"
    return f"{day:%b %Y}" if day.month == 1 else f"{day:%b}"
