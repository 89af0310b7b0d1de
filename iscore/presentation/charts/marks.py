"""Styles of series: five with their own colour, stroke and shape, one for all others, and three for metrics.

No style relies on colour alone. The page sets the colours of ``s1`` … ``s5``. ``s0`` is grey; ``s6`` … ``s8``
have the text colour, for charts whose marks are metrics instead of classifiers.
"""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from iscore.presentation.charts.svg import element

Told = tuple[Markup, ...]
Shape = Callable[[float, float, float, Told], Markup]

N_STYLES = 5
OTHERS = 0
"""The style of background series."""

MEASURES = (6, 7, 8)
"""Styles of measures beside each other: filled, hollow, pointed."""

_SIZE = 4.0


def mark(style: int, x: float, y: float, *, size: float = _SIZE, tooltip: str = "") -> Markup:
    """Draw a point of a series with a tooltip."""
    return _SHAPES[style](x, y, size, (element("title", tooltip),) if tooltip else ())


def key(style: int, *, lined: bool = False) -> Markup:
    """Draw the legend key of a series."""
    line = element("path", d="M1,6H29", class_=f"line s{style}") if lined else Markup()
    return element("svg", line, mark(style, 15, 6), class_="key", viewBox="0 0 30 12", aria_hidden="true")


def _round(style: int, scale: float = 1.0, extra: str = "") -> Shape:
    return lambda x, y, size, tooltip: element(
        "circle", *tooltip, cx=x, cy=y, r=size * scale, class_=f"mark s{style}{extra}"
    )


def _square(style: int) -> Shape:
    return lambda x, y, size, tooltip: element(
        "rect",
        *tooltip,
        x=x - 0.85 * size,
        y=y - 0.85 * size,
        width=1.7 * size,
        height=1.7 * size,
        class_=f"mark hollow s{style}",
    )


def _polygon(style: int, *corners: tuple[float, float]) -> Shape:
    def draw(x: float, y: float, size: float, tooltip: Told) -> Markup:
        points = " ".join(f"{x + size * dx:.2f},{y + size * dy:.2f}" for dx, dy in corners)
        return element("polygon", *tooltip, points=points, class_=f"mark s{style}")

    return draw


_TRIANGLE = ((0.0, -1.15), (1.05, 0.8), (-1.05, 0.8))
_DIAMOND = ((0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0))
_SHAPES: dict[int, Shape] = {
    OTHERS: _round(OTHERS, 0.7),
    1: _round(1),
    2: _square(2),
    3: _polygon(3, *_TRIANGLE),
    4: _polygon(4, *_DIAMOND),
    5: _round(5, 0.95, " hollow"),
    6: _round(6),
    7: _square(7),
    8: _polygon(8, *_TRIANGLE),
}
