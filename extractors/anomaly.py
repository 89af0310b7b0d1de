"""Anomaly: how unlike the recent articles on the whole this one is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def anomaly_mean(cosines: npt.NDArray[np.float64]) -> float:
    """Return 1 − mean cos(d, e) over the recent articles e, given their cosines; in [0, 1].

    Missing (NaN) when there are none.

    The anomaly measure of Pon et al. (2007), "iScore", with the recent past for the whole past.
    """
    if len(cosines) == 0:
        return float("nan")
    return max(0.0, 1.0 - float(cosines.sum()) / len(cosines))
