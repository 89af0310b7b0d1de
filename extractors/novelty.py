"""Novelty: how little the most similar recent article has in common with this one."""

from __future__ import annotations

from extractors.neighbours import Neighbours


def novelty(neighbours: Neighbours) -> float:
    """Return 1 − max cos(d, e) over the recent articles e; in [0, 1], 0 for a repetition.

    Missing (NaN) when there are none. Zhang, Callan & Minka (2002), "Novelty and redundancy detection in
    adaptive filtering", found this cosine distance the best of their measures.
    """
    if len(neighbours.cosines) == 0:
        return float("nan")
    return max(0.0, 1.0 - float(neighbours.cosines.max()))
