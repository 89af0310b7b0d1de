"""Charts of rows and columns: horizontal bars, columns over time, and dots on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from iscore.presentation.charts.line_chart import Axis
from iscore.presentation.charts.marks import mark
from iscore.presentation.charts.svg import Scale, drawing, element, label, text_width, ticks, written


@dataclass(frozen=True, slots=True)
class Bar:
    """One row."""

    name: str
    value: float
    style: int
    words: str
    """Label after the bar."""


_BAR = 22.0
_THICK = 12.0
_MOST_BAR_ROOM = 130.0


def bar_chart(bars: Sequence[Bar], described: str, *, width: float = 360) -> Markup:
    """Draw bars from top to bottom on one scale, with their labels on the right."""
    room = min(_MOST_BAR_ROOM, max([text_width(bar.name) for bar in bars], default=0.0) + 1)
    words = max([text_width(bar.words) for bar in bars], default=0.0)
    low, high = min([0.0, *(bar.value for bar in bars)]), max([0.0, *(bar.value for bar in bars)])
    left, right = room + 10, max(width - words - 8, room + 40)
    across = Scale(low, high or (1.0 if not low else 0.0), left, right)
    bottom = _BAR * len(bars) + 4
    parts = []
    for number, bar in enumerate(bars):
        y = _BAR * (number + 0.5) + 2
        parts.append(label(bar.name, room, y + 4, anchor="end", class_="label name", room=room))
        start, end = sorted((across(0.0), across(bar.value)))
        if end > start:
            parts.append(
                element("rect", x=start, y=y - _THICK / 2, width=end - start, height=_THICK, class_=f"bar s{bar.style}")
            )
        parts.append(label(bar.words, width, y + 4, anchor="end"))
    parts.append(element("path", d=f"M{across(0.0):.2f},0V{bottom:.2f}", class_="base"))
    return drawing(width, bottom, described, *parts)


@dataclass(frozen=True, slots=True)
class Column:
    """One column with an optional name below it."""

    value: float
    name: str = ""
    tooltip: str = ""
    """What pointing at it tells."""


_GAP = 0.18
"""Share of the width of a column that is empty."""


def column_chart(
    columns: Sequence[Column], style: int, described: str, *, width: float = 190, height: float = 120
) -> Markup:
    """Draw columns from 0 upwards, the first on the left; names that would overlap are left out."""
    high = max([column.value for column in columns], default=0.0) or 1.0
    steps = [value for value in ticks(0.0, high, 2) if value == int(value)]
    step = steps[1] - steps[0] if len(steps) > 1 else 1.0
    left = 10 + max(text_width(written(value, step)) for value in steps)
    top, right, bottom = 8.0, width - 4, height - 22
    up = Scale(0.0, high, bottom, top)
    parts = []
    for value in steps:
        parts.append(element("path", d=f"M{left:.2f},{up(value):.2f}H{right:.2f}", class_="grid"))
        parts.append(label(written(value, step), left - 6, up(value) + 4, anchor="end"))
    room = (right - left) / max(1, len(columns))
    taken = -1.0
    for number, column in enumerate(columns):
        x = left + room * (number + _GAP / 2)
        if column.value > 0:
            title = (element("title", column.tooltip),) if column.tooltip else ()
            tall = max(bottom - up(column.value), 1.0)
            place = {"x": x, "y": bottom - tall, "width": room * (1 - _GAP), "height": tall}
            parts.append(element("rect", *title, **place, class_=f"bar s{style}"))
        half = text_width(column.name) / 2
        middle = min(max(left + room * (number + 0.5), half), width - half)
        if column.name and middle - half >= taken:
            taken = middle + half + 4
            parts.append(label(column.name, middle, bottom + 16, anchor="middle"))
    parts.append(element("path", d=f"M{left:.2f},{bottom:.2f}H{right:.2f}", class_="base"))
    return drawing(width, height, described, *parts)


@dataclass(frozen=True, slots=True)
class Dot:
    """A value in a row; ``None`` draws nothing."""

    style: int
    value: float | None
    tooltip: str = ""
    """What pointing at it tells."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row with its dots, the first on top."""

    name: str
    dots: Sequence[Dot]
    span: tuple[float, float] | None = None
    """An interval, drawn instead of a line between the dots."""


ROW = 20.0
_LEAST_PLOT = 180.0
"""Width that names leave to the dots."""


def row_chart(rows: Sequence[Row], x: Axis, described: str, *, width: float = 360) -> Markup:
    """Draw rows from top to bottom, with the axis at the top and, for many rows, also at the bottom."""
    room = min(width - _LEAST_PLOT, max([text_width(row.name) for row in rows], default=0.0) + 1)
    left, right, top = room + 12, width - 14, 38.0
    bottom = top + ROW * len(rows)
    across = Scale(x.low, x.high, left, right)
    steps = ticks(x.low, x.high, x.most)
    step = steps[1] - steps[0] if len(steps) > 1 else abs(steps[0])
    tall = len(rows) > 12
    parts = [label(x.title, right, 11, anchor="end", class_="axis")]
    for value in steps:
        kind = "base" if value == 0 and x.low < 0 else "grid"
        parts.append(element("path", d=f"M{across(value):.2f},{top - 4:.2f}V{bottom:.2f}", class_=kind))
        for place in (top - 9, bottom + 13) if tall else (top - 9,):
            parts.append(label(written(value, step), across(value), place, anchor="middle"))
    for number, row in enumerate(rows):
        y = top + ROW * (number + 0.5)
        parts.append(label(row.name, room, y + 4, anchor="end", class_="label name", room=room))
        values = [dot.value for dot in row.dots if dot.value is not None and np.isfinite(dot.value)]
        ends = values if row.span is None else list(row.span)
        if len(ends) > 1:
            parts.append(element("path", d=f"M{across(min(ends)):.2f},{y:.2f}H{across(max(ends)):.2f}", class_="range"))
        for dot in reversed(row.dots):
            if dot.value is not None and np.isfinite(dot.value):
                parts.append(mark(dot.style, across(dot.value), y, tooltip=dot.tooltip))
    return drawing(width, bottom + (20 if tall else 6), described, *parts)
