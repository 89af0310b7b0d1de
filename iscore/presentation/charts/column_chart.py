"""Columns over time, one per day, week or month."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from iscore.presentation.charts.scale import Scale, ticks, written
from iscore.presentation.charts.svg import drawing, element, label, text_width


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
