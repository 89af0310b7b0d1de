"""Rank articles while there are too few verdicts to learn a distribution from.

Until there are ``MIN_VERDICTS`` likes and as many dislikes, the score is, as log-odds, what little is known:

- how often the user has liked anything so far, (likes + 1) / (verdicts + 2);
- the topic: how much closer the article is to liked articles than to the recent stream. With likes only, the stream
  itself thereby is the other class;
- the source: how its reputation differs from that of an unknown one.

At first nothing is known, and a user who is shown everything has to reject nearly all of it. So a diverse selection is
shown first (``diverse_selection``), and a few more each day until one article is liked. From then on the best by score
are recommended, the more the more was liked, and no more of the selection, which costs more than it finds.

After an import of liked items more is known: the topic counts from the first article on, and of each batch no more than
the best ``IMPORTED_SHARE`` are delivered, until verdicts show that more or less is liked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

TOPIC_WEIGHT = 8.0
"""Log-odds for a cosine of 1. Articles on one topic have a cosine of 0.2 to 0.5 to their mean, others below 0.05."""

FIRST_DAY = 20
A_DAY = 5
"""Size of the diverse selection on the first day, and on each day until one article is liked. The fewer a day, the more
each of them represents: twice as many a day need half as many again until one is liked (``docs/experiments.md``). More
on the first day cost little, since there is only one, and improve the first week."""
BEST = 4
PER_LIKE = 2
"""Articles recommended a day from the first like on, and so many more for each like."""
PER_LIKE_TRAINED = 1
"""The same once the classifier scores. A classifier that has learned from five likes and five dislikes takes whole
topics for liked that it has no verdict on: without a limit it recommended 400 articles in one day."""

IMPORTED_SHARE = 0.1
"""Share of each batch that is delivered at first after an import; half of it would bring few more liked articles
(``benchmarks/seeding.py``)."""
IMPORTED_VERDICTS = 10
"""Verdicts that this guess is worth. With fewer, the first two likes take half of the news."""

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


def recommended_at_most(
    likes: int, likeable: float, n_articles: int, already: int, *, trained: bool = False, days: float = 1.0
) -> int:
    """Return how many articles of a batch are recommended at most; the limit grows with the likes.

    Parameters
    ----------
    likeable
        Share of liked articles in the diverse selection (``threshold_floor.likeable_share``): a user who likes half of
        it gets up to half of the batch.
    already
        Articles recommended today.
    trained
        Whether the classifier scores.
    days
        Number of days over which the batch arrived.
    """
    if likes == 0:
        return 0
    a_day = BEST + (PER_LIKE_TRAINED if trained else PER_LIKE) * likes
    return max(int(a_day * days) - already, int(likeable * n_articles), 0)


def diverse_at_most(likes: int, verdicts: int, already: int) -> int:
    """Return the size of the diverse selection shown now; ``already`` were shown today."""
    a_day = FIRST_DAY if verdicts == 0 else A_DAY if likes == 0 else 0
    return max(a_day - already, 0)


def best_threshold(scores: Floats, count: int) -> float:
    """Return a threshold that at most ``count`` of these scores reach, the best; of equal scores all or none."""
    if count >= len(scores):
        return float(scores.min(initial=0.0))
    first_left_out = float(np.partition(scores, -count - 1)[-count - 1])
    return math.nextafter(first_left_out, math.inf)


def imported_threshold(scores: Floats, likes: int, dislikes: int) -> float:
    """Return the threshold after an import: at first ``IMPORTED_SHARE`` of these scores reach it.

    Then the share of likes among verdicts, shrunk towards that share as by ``IMPORTED_VERDICTS`` more of them; at most
    one half.
    """
    share = (likes + IMPORTED_VERDICTS * IMPORTED_SHARE) / (likes + dislikes + IMPORTED_VERDICTS)
    return float(np.quantile(scores, 1 - min(share, 0.5))) if len(scores) else 0.0


def _index(names: Sequence[str], name: str) -> int | None:
    return names.index(name) if name in names else None


def _column(vectors: Floats, index: int | None, missing: float) -> Floats:
    if index is None:
        return np.full(len(vectors), missing)
    return np.nan_to_num(vectors[:, index], nan=missing)


def _logit(probability: float) -> float:
    return math.log(probability / (1 - probability))
