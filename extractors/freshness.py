"""Freshness: how long ago the articles appeared that are most like this one."""

from __future__ import annotations

from math import log1p

import numpy as np

from extractors.neighbours import Neighbours

K = 3
"""So many of the most similar articles are asked: one alone may be a chance likeness."""


def freshness(neighbours: Neighbours) -> float:
    """Return ln(1 + h), h the mean hours since the (up to) K most similar articles with the
    same topic; ≥ 0.

    Missing (NaN) when no article is that similar: a topic that was never there cannot be told from one that
    is long over, and ``novelty`` says so already. Of equally similar articles the most recent ones count.
    """
    if len(neighbours.cosines) == 0:
        return float("nan")
    nearest = np.lexsort((neighbours.hours, -neighbours.cosines))[:K]
    hours = neighbours.hours[nearest].tolist()
    return log1p(sum(hours) / len(hours))
