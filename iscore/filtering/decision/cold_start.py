"""Rank articles while there are too few verdicts to learn a distribution from.

Until there are ``MIN_VERDICTS`` likes and as many dislikes, the score is, as log-odds, what little is known:

- how often the user has liked anything so far, (likes + 1) / (verdicts + 2);
- the topic: how much closer the article is to liked articles than to the recent stream. With likes only, the stream
  itself thereby is the other class;
- the source: how its reputation differs from that of an unknown one.

After an import of liked items the topic counts from the first article on. These are the scores of a model alone; what
is delivered is decided by ``decide``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

TOPIC_WEIGHT = 8.0
"""Log-odds for a cosine of 1. Articles on one topic have a cosine of 0.2 to 0.5 to their mean, others below 0.05."""

Floats = npt.NDArray[np.float64]


class ColdStart:
    """Score articles by a few features of known meaning.

    Parameters
    ----------
    names
        Names of the features, in the order of the vectors that will be scored. Features that are not among them do not
        count.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._rocchio = _index(names, "rocchio")
        self._anomaly = _index(names, "anomaly_mean")
        self._source = _index(names, "source_reputation")

    def score_many(self, vectors: Floats, likes: int, dislikes: int, *, imported: bool = False) -> Floats:
        """Return log-odds for vectors of shape (articles, features); ``imported``: topics are known before verdicts."""
        share = liked_share(likes, dislikes)
        scores = np.full(len(vectors), _logit(share))
        if likes + dislikes == 0 and not imported:
            return scores
        to_liked = _column(vectors, self._rocchio, 0.0)
        to_stream = 1.0 - _column(vectors, self._anomaly, 1.0)
        scores += TOPIC_WEIGHT * (to_liked - to_stream)
        reputation = np.clip(_column(vectors, self._source, share), 0.01, 0.99)
        return scores + np.log(reputation / (1.0 - reputation)) - _logit(share)


def liked_share(likes: int, dislikes: int) -> float:
    """Return how often the user likes anything, in (0, 1), shrunk towards one half."""
    return (likes + 1) / (likes + dislikes + 2)


def _index(names: Sequence[str], name: str) -> int | None:
    return names.index(name) if name in names else None


def _column(vectors: Floats, index: int | None, missing: float) -> Floats:
    if index is None:
        return np.full(len(vectors), missing)
    return np.nan_to_num(vectors[:, index], nan=missing)


def _logit(probability: float) -> float:
    return math.log(probability / (1 - probability))
