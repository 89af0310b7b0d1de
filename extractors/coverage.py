"""Coverage: how many other sources have carried the story lately."""

from __future__ import annotations

from math import log1p

from extractors.neighbours import Neighbours

SAME_STORY = 0.4
"""Cosine from which two articles tell of the same events."""

HOURS = 48.0
"""A story that has been told for longer has become another story."""


def coverage(neighbours: Neighbours) -> float:
    """Return ln(1 + n) for n other sources with an article of cosine ≥ ``SAME_STORY`` in the last ``HOURS``;
    ≥ 0."""
    told = (neighbours.cosines >= SAME_STORY) & (neighbours.hours <= HOURS)
    return log1p(len(set(neighbours.sources[told].tolist()) - {neighbours.source}))
