"""F-beta over time: in windows, over the last articles, and the position from which a filter was useful.

Positions count, from 1, the articles that the reader has a verdict on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from iscore.evaluation.replay.outcome import Outcome
from iscore.filtering.metrics import BETA, Counts, count

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

WINDOW = 5000
"""Articles, about as in TREC-11's adaptive filtering (Pon, Cardenas, Buttler 2008, section 6)."""
USEFUL = 0.5
"""Smallest F0.5 of a useful filter: half of its deliveries are liked and it delivers half of the liked articles, or all
of its deliveries are liked and it delivers a sixth."""
USEFUL_LIKES = 20
"""Liked articles over which that is measured, and for which it has to last."""


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a stream."""

    first: int
    last: int
    """Positions of its first and last article."""
    counts: Counts


def part(outcome: Outcome, start: int, stop: int | None = None) -> Outcome:
    """Return the outcome of the articles ``start`` … ``stop`` - 1, as slices count, with all verdicts and seconds."""
    cut = slice(start, stop)
    names = ("liked", "scores", "thresholds", "recommended", "explored", "trained")
    return replace(outcome, **{name: getattr(outcome, name)[cut] for name in names})


def windows(delivered: Flags, liked: Flags, size: int = WINDOW) -> list[Window]:
    """Return consecutive windows of ``size`` articles; the last may have fewer. Shapes (n,)."""
    return [
        Window(
            start + 1,
            min(start + size, len(liked)),
            count(delivered[start : start + size], liked[start : start + size]),
        )
        for start in range(0, len(liked), size)
    ]


def trailing_f(
    delivered: Flags, liked: Flags, positions: npt.NDArray[np.int64], *, size: int = WINDOW, beta: float = BETA
) -> Floats:
    """Return F-beta over the last ``size`` articles, fewer at the beginning, at each of ``positions``, 1 … n.

    Shape of ``positions``; NaN where none of these articles is liked. Pon, Cardenas, Buttler 2008, Figure 4.
    """
    return _f_between(delivered, liked, np.maximum(positions - size, 0), positions, beta)


def articles_until_useful(
    delivered: Flags, liked: Flags, *, level: float = USEFUL, likes: int = USEFUL_LIKES, beta: float = BETA
) -> int | None:
    """Return the position from which the filter was useful; ``None`` if it never was.

    F-beta is measured over the articles from the last ``likes`` liked ones on: the same evidence for a reader who likes
    one article in three and one who likes one in a thousand. The filter is useful from the first position at which that
    is at least ``level`` and stays so until ``likes`` more liked articles have arrived. For a reader with fewer than
    twice ``likes`` this is unknown, and the result is ``None`` as well.
    """
    (at,) = np.nonzero(liked)
    if len(at) < 2 * likes:
        return None
    positions = np.arange(at[likes - 1] + 1, len(liked) + 1)
    so_far = np.cumsum(liked)[positions - 1]
    starts = np.concatenate([[0], at + 1])[so_far - likes]
    bad = _f_between(delivered, liked, starts, positions, beta) < level
    # The next bad position from each position on, and the position until which there must be none.
    next_bad = np.where(bad, positions, len(liked) + 1)
    next_bad = np.minimum.accumulate(next_bad[::-1])[::-1]
    enough = so_far + likes <= len(at)
    proven = at[np.minimum(so_far + likes, len(at)) - 1] + 1
    (found,) = np.nonzero(enough & (next_bad > proven))
    return int(positions[found[0]]) if len(found) else None


def _f_between(
    delivered: Flags, liked: Flags, starts: npt.NDArray[np.int64], stops: npt.NDArray[np.int64], beta: float
) -> Floats:
    """Return F-beta of the articles ``starts`` … ``stops`` - 1, as slices count; NaN where none is liked."""
    all_delivered, all_liked, all_hits = (
        np.concatenate([[0], np.cumsum(flags)]) for flags in (delivered, liked, delivered & liked)
    )
    n_liked = all_liked[stops] - all_liked[starts]
    hits = (1.0 + beta * beta) * (all_hits[stops] - all_hits[starts])
    every = all_delivered[stops] - all_delivered[starts] + beta * beta * n_liked
    f: Floats = hits / np.where(n_liked > 0, every, np.nan)
    return f
