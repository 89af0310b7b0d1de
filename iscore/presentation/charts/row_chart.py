"""Dot plots: one row per classifier, user or feature, on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from iscore.presentation.charts.line_chart import Axis
from iscore.presentation.charts.marks import mark
from iscore.presentation.charts.scale import Scale, ticks, written
from iscore.presentation.charts.svg import drawing, element, label, text_width


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
_MOST_ROOM = 150.0


def row_chart(rows: Sequence[Row], x: Axis, described: str, *, width: float = 360) -> Markup:
    """Draw rows from top to bottom, with the axis at the top and, for many rows, also at the bottom."""
    room = min(_MOST_ROOM, max([text_width(row.name) for row in rows], default=0.0) + 1)
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
