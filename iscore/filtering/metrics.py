"""Counts of deliveries and likes, and precision, recall, F-beta and utility computed from them.

An undefined metric is ``None``: precision if nothing was delivered; recall, F-beta and utility if nothing was liked.
It is not 0, which would mean that the filter failed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Flags = npt.NDArray[np.bool_]

BETA = 0.5
"""Precision counts twice as much as recall."""
LEAST_UTILITY = -0.5
"""Normalised utility below which all filters count as equally bad (TREC-11's MinNU)."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of articles in a part of a stream."""

    articles: int
    liked: int
    delivered: int
    hits: int
    """Liked and delivered."""

    @property
    def precision(self) -> float | None:
        """Share of what was delivered that is liked, in [0, 1]; ``None`` when nothing was delivered."""
        return self.hits / self.delivered if self.delivered else None

    @property
    def recall(self) -> float | None:
        """Share of what is liked that was delivered, in [0, 1]; ``None`` when nothing is liked."""
        return self.hits / self.liked if self.liked else None

    def f_beta(self, beta: float = BETA) -> float | None:
        """F-beta, (1 + beta²) hits / (delivered + beta² liked), in [0, 1]; 0 when nothing was delivered and ``None``
        when nothing is liked. van Rijsbergen 1979, chapter 7."""
        if not self.liked:
            return None
        return (1.0 + beta * beta) * self.hits / (self.delivered + beta * beta * self.liked)

    @property
    def t11su(self) -> float | None:
        """TREC-11's scaled linear utility, in [0, 1]; ``None`` when nothing is liked.

        A delivered article earns 2 if it is liked and costs 1 if not. With the most that could be earned, twice the
        number of liked articles, as unit, and cut off at -0.5:

            T11U = 2 hits − misses,  T11NU = T11U / (2 liked),  T11SU = (max(T11NU, −0.5) + 0.5) / 1.5.

        Delivering nothing gives 1/3, delivering just what is liked gives 1. Robertson and Soboroff, "The TREC 2002
        filtering track report", section on measures.
        """
        if not self.liked:
            return None
        utility = (2 * self.hits - (self.delivered - self.hits)) / (2 * self.liked)
        return (max(utility, LEAST_UTILITY) - LEAST_UTILITY) / (1.0 - LEAST_UTILITY)


def count(delivered: Flags, liked: Flags) -> Counts:
    """Count articles; both arrays have shape (n,)."""
    return Counts(
        articles=len(liked),
        liked=int(np.count_nonzero(liked)),
        delivered=int(np.count_nonzero(delivered)),
        hits=int(np.count_nonzero(delivered & liked)),
    )
