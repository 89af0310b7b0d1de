"""What reasons name: words that are typical of what a user likes or dislikes, and the liked article that is nearest.

The largest parts of a score are often words like "one" or "new", which a few likes have by chance. A word is *typical*
of likes if at least two of them have it and it is surely three times as frequent in them as in the archive: its share
of the archive is below a third of the lower end of the 95 % interval (Wilson 1927) of its share of the likes. Words
that are typical of dislikes are found alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from extractors.arrays import Bools, Floats, Int32s, Int64s
from extractors.stream.word_vectors import Basis
from extractors.text.terms import N_TERMS, TermBatch, TermVector
from iscore.core.statistics import share_interval
from iscore.filtering.ranking.evidence import Evidence
from iscore.filtering.ranking.vectors import Vectors

FEWEST = 2
"""Articles that must have a typical word."""
TIMES = 3.0
"""How much more frequent it must be in them than in the archive."""
OF_LARGEST = 0.5
"""A word with less than this part of what the largest adds to a score is not named."""
COMMON = 0.05
"""Share of the archive from which a word of an interest says nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class TypicalWords:
    """The typical words of one user, and the likes that articles can be compared with."""

    of_likes: Int32s
    of_dislikes: Int32s
    of_interests: Int32s
    """Those of the user's own words, the rarest first."""
    likes: TermBatch
    """What is liked, examples included."""
    basis: Basis | None

    @classmethod
    def of(cls, evidence: Evidence) -> Self:
        """Count words in likes, dislikes and the archive."""
        labelled, frequencies = evidence.labelled, shares(evidence.pool.terms)
        surely = ~labelled.implicit
        likes, dislikes = (_chosen(labelled.terms, surely & (labelled.liked == liked)) for liked in (True, False))
        words = np.unique(np.concatenate([np.empty(0, dtype=np.int32), *(each.terms.ids for each in labelled.phrases)]))
        words = words[frequencies[words] < COMMON]
        return cls(
            of_likes=typical(likes, frequencies),
            of_dislikes=typical(dislikes, frequencies),
            of_interests=words[np.argsort(frequencies[words], kind="stable")],
            likes=likes,
            basis=evidence.basis,
        )

    def named(self, terms: TermVector, parts: Floats, *, liked: bool) -> list[int]:
        """Return the typical words of an article that add to its score, or take from it, the strongest first.

        ``parts`` are what its words add, shape (terms,).
        """
        strengths = parts if liked else -parts
        strong = (strengths > 0.0) & (strengths >= OF_LARGEST * strengths.max(initial=0.0))
        found = np.flatnonzero(strong & np.isin(terms.ids, self.of_likes if liked else self.of_dislikes))
        return [int(term) for term in terms.ids[found[np.argsort(-strengths[found], kind="stable")]]]

    def interests(self, terms: TermVector) -> list[int]:
        """Return the words of the user's interests that an article has, the rarest first."""
        return [int(term) for term in self.of_interests[np.isin(self.of_interests, terms.ids)]]

    def nearest(self, articles: TermBatch) -> Int64s:
        """Return the place in ``likes``, which are not empty, of the one nearest to each of some articles."""
        vectors = Vectors.of(TermBatch.joined([self.likes, articles]), self.basis)
        likes, every = np.arange(len(self.likes)), np.arange(len(vectors))
        lengths = np.sqrt(np.maximum(vectors.squares[likes], np.finfo(np.float64).tiny))
        sums = (vectors.sum(every[row : row + 1], np.ones(1)) for row in range(len(likes), len(every)))
        nearest = [np.argmax(vectors.products(likes, each) / lengths) for each in sums]
        return np.array(nearest, dtype=np.int64)


def shares(archive: TermBatch) -> Floats:
    """Return the share of articles that have each term; shape (N_TERMS,). One more article has them all."""
    counts = np.bincount(archive.ids, minlength=N_TERMS).astype(np.float64)
    return (counts + 1.0) / (len(archive) + 1.0)


def typical(articles: TermBatch, frequencies: Floats) -> Int32s:
    """Return the terms that are typical of these articles, given their ``shares`` of the archive."""
    n = len(articles)
    terms, counts = np.unique(articles.ids, return_counts=True)
    surely = np.array([share_interval(count, n)[0] for count in range(n + 1)])
    return terms[(counts >= FEWEST) & (surely[counts] >= TIMES * frequencies[terms])]


def _chosen(terms: TermBatch, rows: Bools) -> TermBatch:
    """Return some articles with their numbers."""
    found = TermBatch.of([terms[row] for row in np.flatnonzero(rows).tolist()])
    return found if terms.numbers is None else replace(found, numbers=terms.numbers[rows])
