"""SVG elements as escaped markup, and the scales that place them.

Drawings carry classes and no colours: the page's style sheet colours them, in light, dark and print.
"""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass

from markupsafe import Markup, escape


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear map of [low, high] onto [start, end]; values outside are clipped."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the position of a value."""
        span = self.high - self.low
        share = (value - self.low) / span if span else 0.0
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return multiples of 1, 2 or 5 times a power of ten within [low, high]; at most ``most`` + 1, at least one."""
    if not high > low:
        return [low]
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * round_ for round_ in (1, 2, 5, 10) if power * round_ >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [multiple * step for multiple in range(first, last + 1)]


def written(value: float, step: float) -> str:
    """Write a tick with as many decimals as its ``step`` needs, thousands separators and a minus sign."""
    decimals = max(0, -math.floor(math.log10(step) + 1e-9)) if step else 0
    return f"{value + 0.0:,.{decimals}f}".replace("-", "−")


GLYPH = 6.6
"""Width of a character in labels, in SVG units: slightly more than average."""


def element(tag: str, *children: Markup | str, **attributes: str | float) -> Markup:
    """Return an element; ``class_`` stands for class and an underscore for a hyphen. Numbers have two decimals."""
    shown = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(number(value) if isinstance(value, int | float) else value)}"'
        for name, value in attributes.items()
    )
    inner = "".join(escape(child) for child in children)
    return Markup(f"<{tag}{shown}>{inner}</{tag}>" if inner else f"<{tag}{shown}/>")  # noqa: S704 - escaped above


def number(value: float) -> str:
    """Format a coordinate with at most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def drawing(width: float, height: float, described: str, *children: Markup) -> Markup:
    """Return an SVG image with ``described`` as its accessible name."""
    return element(
        "svg",
        *children,
        class_="chart",
        viewBox=f"0 0 {number(width)} {number(height)}",
        role="img",
        aria_label=described,
    )


def label(text: str, x: float, y: float, *, anchor: str = "start", class_: str = "label", room: float = 0.0) -> Markup:
    """Return a text at its baseline; with ``room``, cut to that width, with the whole text as tooltip."""
    if not text:
        return Markup()
    cut = shortened(text, room) if room else text
    inner: tuple[Markup | str, ...] = (cut,) if cut == text else (element("title", text), cut)
    return element("text", *inner, x=x, y=y, text_anchor=anchor, class_=class_)


def text_width(text: str) -> float:
    """Estimate the width of a label; wide characters count double."""
    return sum(GLYPH * (2.0 if unicodedata.east_asian_width(letter) in "WF" else 1.0) for letter in text)


def shortened(text: str, room: float) -> str:
    """Cut ``text`` to ``room``, with an ellipsis if it is cut."""
    if text_width(text) <= room:
        return text
    while text and text_width(text) + GLYPH > room:
        text = text[:-1]
    return text.rstrip() + "…"
