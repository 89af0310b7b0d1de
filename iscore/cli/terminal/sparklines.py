"""Small drawings in a line of text: sparklines and bars, in blocks on a terminal that has them, else in ASCII."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDEST = 32
"""Characters of a sparkline."""


@dataclass(frozen=True, slots=True)
class Pen:
    """What to draw with."""

    levels: str
    """From the least to the most."""
    full: str
    empty: str

    def line(self, values: Sequence[float | None], low: float | None = None, high: float | None = None) -> str:
        """Draw values from ``low`` to ``high`` (their own by default), a character each; None leaves a gap.

        Of more than ``WIDEST`` values as many are drawn as fit, evenly chosen, the last among them.
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
        """Draw a share, 0 to 1, of ``width`` characters."""
        filled = round(min(max(share, 0.0), 1.0) * width)
        return self.full * filled + self.empty * (width - filled)


BLOCKS = Pen("▁▂▃▄▅▆▇█", "█", "░")
ASCII = Pen("_.-:=+*#", "#", ".")


def thinned(values: Sequence[float | None]) -> list[float | None]:
    """Return at most ``WIDEST`` of the values, evenly chosen, the last among them."""
    step = -(-len(values) // WIDEST) or 1
    return list(values[::-step])[::-1]
