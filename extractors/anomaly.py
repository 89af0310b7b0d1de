"""Anomaly: how unlike the recent articles on the whole this one is."""

from __future__ import annotations

from extractors.neighbours import Neighbours


def anomaly_mean(neighbours: Neighbours) -> float:
    """Return 1 − mean cos(d, e) over the recent articles e; in [0, 1]. Missing (NaN) when there are none.

    The anomaly measure of Pon et al. (2007), "iScore", with the recent past for the whole past.
    """
    if len(neighbours.cosines) == 0:
        return float("nan")
    return max(0.0, 1.0 - float(neighbours.cosines.mean()))
