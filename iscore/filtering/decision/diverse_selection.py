"""Select the few articles of a batch that represent most of the others: what to show a user who has liked nothing yet.

Whatever the user is interested in, it is most likely a topic that many articles share. An article covers another by
their cosine, from ``SAME_TOPIC`` up; articles shown before cover as well. The next one is the article that adds most to
the sum over all articles of how well each is covered: the greedy way to a maximum, which no polynomial algorithm
improves on in general (Nemhauser, Wolsey, Fisher 1978). On Reuters it takes two thirds as many articles as a random
selection until one is liked (``docs/experiments.md``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from extractors.text.terms import N_TERMS, TermBatch, TermVector
from iscore.filtering.decision.fair_share import fair_share, first_fair

if TYPE_CHECKING:
    from scipy import sparse

SAME_TOPIC = 0.2
"""Smallest cosine at which one article says anything about another."""
CANDIDATES = 1000
"""Newest articles that are compared, of each source its fair share: the work grows with their square."""

Floats = npt.NDArray[np.float64]


def diverse_selection(
    articles: Sequence[TermVector], sources: Sequence[str], shown: Sequence[TermVector], count: int
) -> list[int]:
    """Return the places of at most ``count`` articles, the best first, of each source no more than its fair share.

    ``sources`` has the source of each article; ``shown`` are known to the user.
    """
    places = sorted(first_fair(reversed(range(len(articles))), sources, CANDIDATES))
    count = min(count, len(places))
    if count <= 0:
        return []
    rows = _matrix([articles[place] for place in places])
    similar = _similarity(rows, rows)
    covered = _similarity(_matrix(shown), rows).max(axis=0) if shown else np.zeros(len(similar))
    names = np.array([sources[place] for place in places])
    share = fair_share(count, names.tolist())
    left = np.ones(len(similar), dtype=np.bool_)
    chosen: list[int] = []
    for _ in range(count):
        gains = np.where(left, np.maximum(similar - covered, 0.0).sum(axis=1), -1.0)
        best = int(np.argmax(gains))
        left[best] = False
        covered = np.maximum(covered, similar[best])
        chosen.append(best)
        if np.count_nonzero(names[chosen] == names[best]) == share:
            left &= names != names[best]
    return [places[row] for row in chosen]


def _matrix(vectors: Sequence[TermVector]) -> sparse.csr_array:
    from scipy import sparse  # for the first days only

    batch = TermBatch.of(vectors)
    return sparse.csr_array((batch.weights.astype(np.float64), batch.ids, batch.indptr), shape=(len(vectors), N_TERMS))


def _similarity(left: sparse.csr_array, right: sparse.csr_array) -> Floats:
    """Return cosines of rows with rows, those below ``SAME_TOPIC`` as 0; the rows have length 1."""
    cosines: Floats = (left @ right.T).toarray()
    cosines[cosines < SAME_TOPIC] = 0.0
    return cosines
