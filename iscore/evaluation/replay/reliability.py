"""Whether posteriors mean what they say: of the articles given 80 %, eight in ten should be liked.

A score is taken as log-odds, so the posterior is 1 / (1 + e^-score). Measured only where the classifier judged: what
stands in for it while there are few verdicts ranks, and claims no probability. For a classifier whose scores are
margins all this tells how far they are from log-odds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

N_BINS = 10
_SUREST = 36.0
"""Log-odds beyond which double precision cannot tell the posterior from 0 or 1; log-loss stays finite."""


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """Posteriors against what was liked, in bins of equal width over [0, 1]; arrays of shape (bins,)."""

    articles: npt.NDArray[np.int64]
    """How many have their posterior in the bin; the last bin includes 1."""
    posterior: Floats
    """Mean posterior in the bin; NaN when it is empty."""
    liked: Floats
    """Share of liked articles in the bin; NaN when it is empty."""
    brier: float | None
    """Mean squared distance of posterior and verdict (Brier 1950), in [0, 1]; 0 is best."""
    log_loss: float | None
    """Mean negative log-likelihood of the verdicts in nats, 0 or more; scores count up to ±36."""
    error: float | None
    """Expected calibration error: distance of share and posterior, averaged over bins by their articles, in [0, 1]
    (Naeini, Cooper, Hauskrecht 2015). The three are ``None`` without articles."""


def reliability(scores: Floats, liked: Flags, *, bins: int = N_BINS) -> Reliability:
    """Measure the calibration of log-odds; shapes (n,). A score that is not a number leaves everything undefined."""
    if np.isnan(scores).any():
        scores, liked = scores[:0], liked[:0]
    sure = np.clip(scores, -_SUREST, _SUREST)
    posterior = expit(sure)
    bin_ = np.minimum((posterior * bins).astype(np.int64), bins - 1)
    articles = np.bincount(bin_, minlength=bins)
    there = np.where(articles > 0, articles, np.nan)
    mean = np.bincount(bin_, posterior, minlength=bins) / there
    share = np.bincount(bin_, liked, minlength=bins) / there
    if not len(scores):
        return Reliability(articles, mean, share, None, None, None)
    return Reliability(
        articles=articles,
        posterior=mean,
        liked=share,
        brier=float(np.mean((posterior - liked) ** 2)),
        log_loss=float(np.mean(np.logaddexp(0.0, np.where(liked, -sure, sure)))),
        error=float(np.nansum(np.abs(share - mean) * articles) / len(scores)),
    )
