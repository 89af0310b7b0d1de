"""Line charts, readable on a phone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from iscore.presentation.charts.marks import mark
from iscore.presentation.charts.scale import Scale, ticks, written
from iscore.presentation.charts.svg import drawing, element, label, text_width

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
