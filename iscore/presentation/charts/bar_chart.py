"""Horizontal bars with a name and a label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from iscore.presentation.charts.scale import Scale
from iscore.presentation.charts.svg import drawing, element, label, text_width


@dataclass(frozen=True, slots=True)
class Bar:
    """One row."""

    name: str
    value: float
    style: int
    words: str
    """Label after the bar."""


ROW = 22.0
_THICK = 12.0
_MOST_ROOM = 130.0


def bar_chart(bars: Sequence[Bar], described: str, *, width: float = 360) -> Markup:
    """Draw bars from top to bottom on one scale, with their labels on the right."""
    room = min(_MOST_ROOM, max([text_width(bar.name) for bar in bars], default=0.0) + 1)
    words = max([text_width(bar.words) for bar in bars], default=0.0)
    low, high = min([0.0, *(bar.value for bar in bars)]), max([0.0, *(bar.value for bar in bars)])
    left, right = room + 10, max(width - words - 8, room + 40)
    across = Scale(low, high or (1.0 if not low else 0.0), left, right)
    bottom = ROW * len(bars) + 4
    parts = []
    for number, bar in enumerate(bars):
        y = ROW * (number + 0.5) + 2
        parts.append(label(bar.name, room, y + 4, anchor="end", class_="label name", room=room))
        start, end = sorted((across(0.0), across(bar.value)))
        if end > start:
            parts.append(
                element("rect", x=start, y=y - _THICK / 2, width=end - start, height=_THICK, class_=f"bar s{bar.style}")
            )
        parts.append(label(bar.words, width, y + 4, anchor="end"))
    parts.append(element("path", d=f"M{across(0.0):.2f},0V{bottom:.2f}", class_="base"))
    return drawing(width, bottom, described, *parts)
