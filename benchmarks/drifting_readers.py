"""Made-up readers of Reuters whose interest changes in the middle of the stream, and what a filter did for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

WINDOW = 1_000
"""Articles over which F0.5 is followed."""
FEWEST_LIKES = 10
"""Liked articles among them that are needed."""

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DriftingReader:
    """A reader who likes one topic in the first half of the stream, and another in the second."""

    before: str
    after: str

    @property
    def name(self) -> str:
        """What they go through, to be read."""
        return f"{self.before} → {self.after}"


DECIDING = tuple(
    DriftingReader(before, after)
    for before, after in (
        *(("acq", "crude"), ("earn", "trade"), ("grain", "money-fx"), ("money-fx", "grain"), ("trade", "crude")),
        *(("interest", "acq"), ("ship", "earn"), ("gnp", "interest"), ("coffee", "money-fx"), ("gold", "ship")),
    )
)
"""Nothing was tuned on them."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What a filter did for a reader: which articles it found interesting, which they liked; shapes (articles,)."""

    delivered: Flags
    liked: Flags

    def f05(self) -> float:
        """Return F0.5; 0 when nothing was rightly delivered."""
        hits = int(np.sum(self.delivered & self.liked))
        return 1.25 * hits / (0.25 * int(self.liked.sum()) + int(self.delivered.sum())) if hits else 0.0

    def trailing(self, start: int) -> Floats:
        """Return F0.5 after each article from ``start`` on, over those since; NaN where too few are liked."""
        delivered, liked = self.delivered[start:], self.liked[start:]
        hits, out, all_ = (_sums(part) for part in (delivered & liked, delivered, liked))
        f: Floats = np.where(all_ >= FEWEST_LIKES, 1.25 * hits / np.maximum(0.25 * all_ + out, 1e-9), np.nan)
        return f


def _sums(part: Flags) -> Floats:
    total = np.concatenate([[0.0], np.cumsum(part)])
    ends = np.arange(1, len(total))
    sums: Floats = total[ends] - total[np.maximum(ends - WINDOW, 0)]
    return sums
