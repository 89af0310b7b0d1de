"""Which of the user's interests an article belongs to.

An interest begins with what the user gave: examples, and the articles that match its words best. An article belongs to
the interest whose mean is nearest, if that is nearer than the mean of what was not delivered; else to none. A verdict
belongs to the interest of its article, and likes move the mean of their interest. What people are told is stricter: an
article "matches" an interest in words only if it has most of them (``named``).

All of it is derived from what a round knows: an interest that is removed, restored or renamed takes its verdicts along.

Source: Rocchio's method as a classifier (Manning, Raghavan, Schütze 2008, "Introduction to Information Retrieval",
14.2). How near members of an interest are to its mean is measured without the products of articles with themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from extractors.arrays import Floats, Int64s
from extractors.text.terms import N_TERMS, TermBatch
from iscore.filtering.ranking.labelled import NO_INTEREST, Labelled
from iscore.filtering.ranking.rankers import Training
from iscore.filtering.ranking.vectors import Vectors, Weights

ALONE = 0.25
"""How near an article is to the others of its interest, where it is 1 to itself, while there is no other."""
PASSES = 2
"""How often verdicts are assigned; in each pass the likes of the pass before have moved the means."""

MOST_OF_IT = 0.5
"""What an article must have of a phrase, by the squares of its words' weights: the rare words count."""


@dataclass(frozen=True, slots=True, eq=False)
class Interests:
    """The means of the user's interests, as differences to the mean of what was not delivered."""

    means: Sequence[Weights]
    halfway: Floats
    """The product with each mean of the point between it and the mean of what was not delivered; infinite for an
    interest without articles; shape (interests,)."""

    def of(self, vectors: Vectors, places: Int64s) -> Int64s:
        """Return the number of the interest of each of these articles, or ``NO_INTEREST``; shape (places,)."""
        nearness = np.zeros(len(places))
        found = np.full(len(places), NO_INTEREST)
        for number, mean in enumerate(self.means):
            beyond = vectors.products(places, mean) - self.halfway[number]
            found[beyond > nearness] = number
            nearness = np.maximum(nearness, beyond)
        return found


def assigned(training: Training, given: Int64s, count: int) -> tuple[Interests, Int64s]:
    """Return the means of ``count`` interests, and the number of the interest of each labelled article.

    Parameters
    ----------
    given
        Of each labelled article: the number of its interest for examples and stand-ins, ``NO_INTEREST`` for verdicts.
    """
    vectors, undelivered = training.vectors, training.undelivered
    background = vectors.sum(undelivered, np.full(len(undelivered), 1.0 / max(len(undelivered), 1)))
    found, owners = Interests((), np.empty(0)), given
    for _ in range(PASSES):
        mine = [(owners == number) & training.liked for number in range(count)]
        pairs = [_mean(vectors, training.labelled[each], training.weights[each], background) for each in mine]
        found = Interests([mean for mean, _ in pairs], np.array([halfway for _, halfway in pairs]))
        owners = np.where(given == NO_INTEREST, found.of(vectors, training.labelled), given)
    return found, owners


def named(articles: TermBatch, belongs: Int64s, labelled: Labelled) -> Int64s:
    """Return the interests that articles belong to, less those in words of which they do not have most.

    Means drift to whatever is liked, and an article may be nearest to one with which it has nothing in common. An
    interest with examples is more than its words.
    """
    found, ones = belongs.copy(), np.ones(len(articles.ids), dtype=np.float32)
    squares = np.zeros(N_TERMS)
    for number in np.unique(belongs[belongs != NO_INTEREST]).tolist():
        phrases = np.flatnonzero(labelled.phrase_interests == number).tolist()
        if not phrases or (labelled.interests[labelled.n_stand_ins :] == number).any():
            continue
        matches = np.zeros(len(articles), dtype=np.bool_)
        for phrase in (labelled.phrases[place] for place in phrases):
            squares[phrase.ids] = phrase.weights.astype(np.float64) ** 2
            here = articles.sums(ones, squares[articles.vocabulary.terms])
            matches |= here >= MOST_OF_IT * squares[phrase.ids].sum()
            squares[phrase.ids] = 0.0
        found[(belongs == number) & ~matches] = NO_INTEREST
    return found


def _mean(vectors: Vectors, members: Int64s, weights: Floats, background: Weights) -> tuple[Weights, float]:
    """Return the mean of an interest less that of the background, and the product of the point halfway with it."""
    total = float(weights.sum())
    if total == 0.0:
        return vectors.zero(), np.inf
    sums = vectors.sum(members, weights)
    mean = Weights(sums.words / total - background.words, sums.stream / total - background.stream)
    if len(members) == 1:
        nearness = ALONE * float(vectors.products(members, mean)[0])
    else:
        others = (vectors.products(members, sums) - weights * vectors.squares[members]) / (total - weights)
        nearness = float((weights * (others - vectors.products(members, background))).sum()) / total
    there = float((background.words * mean.words).sum() + (background.stream * mean.stream).sum())
    return mean, 0.5 * (nearness + there)
