"""Sparklines and bars in a line of text, with block characters or ASCII."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDEST = 32
"""Characters of a sparkline."""


@dataclass(frozen=True, slots=True)
class Pen:
    """The characters to draw with."""

    levels: str
    """From lowest to highest."""
    full: str
    empty: str

    def line(self, values: Sequence[float | None], low: float | None = None, high: float | None = None) -> str:
        """Draw values between ``low`` and ``high`` (by default their minimum and maximum), one character each.

        None leaves a gap. More than ``WIDEST`` values are thinned evenly, keeping the last.
        """
        chosen = thinned(values)
        known = [value for value in chosen if value is not None]
        if not known:
            return ""
        low = min(known) if low is None else low
        span = (max(known) if high is None else high) - low
        top = len(self.levels) - 1

        def level(value: float) -> str:
            share = (value - low) / span if span > 0 else 0.5
            return self.levels[min(max(math.floor(share * (top + 1)), 0), top)]

        return "".join(" " if value is None else level(value) for value in chosen)

    def bar(self, share: float, width: int = 10) -> str:
        """Draw a share, 0 to 1, ``width`` characters wide."""
        filled = round(min(max(share, 0.0), 1.0) * width)
        return self.full * filled + self.empty * (width - filled)


BLOCKS = Pen("▁▂▃▄▅▆▇█", "█", "░")
ASCII = Pen("_.-:=+*#", "#", ".")


def thinned(values: Sequence[float | None]) -> list[float | None]:
    """Return at most ``WIDEST`` of the values, evenly chosen, including the last."""
    step = -(-len(values) // WIDEST) or 1
    return list(values[::-step])[::-1]
