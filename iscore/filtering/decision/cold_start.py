"""How articles are ranked while there are too few verdicts to learn a distribution from.

Until there are ``ENOUGH`` likes and as many dislikes, the score is what little is known, as log-odds:

- how often the reader has liked anything so far, (likes + 1) / (verdicts + 2);
- the topic: how much closer the article is to what was liked than to the stream of late. With likes only, the stream
  itself is thereby the other class;
- the source: how its reputation differs from that of an unknown one.

Nothing is known at first, and whoever is shown everything has to say no to nearly all of it. So a few articles that
stand for many others are shown first (``diverse_selection``), and some more each day until one is liked. From then
on the best by the score are recommended, the more the more was liked; and no more representatives are shown, which cost
more than they found.

Who has brought along what they liked elsewhere is known better: the topic counts from the first article on, and of each
batch no more than the best ``SEEDED_SHARE`` are delivered, until verdicts say that more or less is liked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

TOPIC_WEIGHT = 8.0
"""Log-odds for a cosine of 1. Articles of one topic have a cosine of 0.2 to 0.5 to their mean, others below 0.05."""

FIRST_DAY = 20
A_DAY = 5
"""Representatives shown at first, and each day until one is liked. The fewer a day, the more each of them stands for:
twice as many a day need half as many again until one is liked (``docs/experiments.md``). More on the first day cost
little, since there is only one, and the first week is the better for them."""
BEST = 4
PER_LIKE = 2
"""Articles recommended a day from the first like on, and so many more for each like."""
PER_LIKE_WARM = 1
"""The same when the classifier judges. One that has learned from five likes and as few dislikes takes whole topics for
liked that it has never been told of: without a limit it recommended 400 articles in one day."""

SEEDED_SHARE = 0.1
"""Of each batch, what is delivered at first to who has brought seeds; half of it would bring little more of what they
like (``benchmarks/seeding.py``)."""
SEEDED_VERDICTS = 10
"""How many verdicts this guess is worth. With fewer, the first two likes take half of the news."""

Floats = npt.NDArray[np.float64]


class ColdStart:
    """Scores articles by a few features of known meaning.

    Parameters
    ----------
    names
        Names of the features, in the order of the vectors that will be scored. Those it does not find do not count.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._rocchio = _index(names, "rocchio")
        self._anomaly = _index(names, "anomaly_mean")
        self._source = _index(names, "source_reputation")

    def score_many(self, vectors: Floats, likes: int, dislikes: int, *, seeded: bool = False) -> Floats:
        """Return log-odds for vectors of shape (articles, features); ``seeded``: topics are known without verdicts."""
        share = liked_share(likes, dislikes)
        scores = np.full(len(vectors), _logit(share))
        if likes + dislikes == 0 and not seeded:
            return scores
        to_liked = _column(vectors, self._rocchio, 0.0)
        to_stream = 1.0 - _column(vectors, self._anomaly, 1.0)
        scores += TOPIC_WEIGHT * (to_liked - to_stream)
        reputation = np.clip(_column(vectors, self._source, share), 0.01, 0.99)
        return scores + np.log(reputation / (1.0 - reputation)) - _logit(share)


def liked_share(likes: int, dislikes: int) -> float:
    """Return how often the reader likes anything, in (0, 1), drawn towards one half."""
    return (likes + 1) / (likes + dislikes + 2)


def recommended_at_most(
    likes: int, likeable: float, n_articles: int, already: int, *, warm: bool = False, days: float = 1.0
) -> int:
    """Return how many of a batch are recommended at most; what was liked so far limits it less and less.

    ``likeable`` is the share of liked articles among representatives (``threshold_floor.likeable_share``): who likes
    half of them gets half of the batch. ``already`` were recommended today. ``warm`` says whether the classifier
    judges, and ``days`` of how many days the batch is.
    """
    if likes == 0:
        return 0
    a_day = BEST + (PER_LIKE_WARM if warm else PER_LIKE) * likes
    return max(int(a_day * days) - already, int(likeable * n_articles), 0)


def representatives_at_most(likes: int, verdicts: int, already: int) -> int:
    """Return how many representatives are shown now; ``already`` were shown today."""
    a_day = FIRST_DAY if verdicts == 0 else A_DAY if likes == 0 else 0
    return max(a_day - already, 0)


def cut_after(scores: Floats, count: int) -> float:
    """Return a cut that lets at most ``count`` of these scores pass, the best; of equal ones all or none."""
    if count >= len(scores):
        return float(scores.min(initial=0.0))
    first_left_out = float(np.partition(scores, -count - 1)[-count - 1])
    return math.nextafter(first_left_out, math.inf)


def seeded_threshold(scores: Floats, likes: int, dislikes: int) -> float:
    """Return the cut for a reader who has brought seeds: it lets ``SEEDED_SHARE`` of these scores pass at first.

    Then the share of likes among verdicts, drawn towards that as by ``SEEDED_VERDICTS`` more of them; half at most.
    """
    share = (likes + SEEDED_VERDICTS * SEEDED_SHARE) / (likes + dislikes + SEEDED_VERDICTS)
    return _cut(scores, min(share, 0.5))


def _cut(scores: Floats, share: float) -> float:
    return float(np.quantile(scores, 1 - share)) if len(scores) else 0.0


def _index(names: Sequence[str], name: str) -> int | None:
    return names.index(name) if name in names else None


def _column(vectors: Floats, index: int | None, missing: float) -> Floats:
    if index is None:
        return np.full(len(vectors), missing)
    return np.nan_to_num(vectors[:, index], nan=missing)


def _logit(probability: float) -> float:
    return math.log(probability / (1 - probability))
