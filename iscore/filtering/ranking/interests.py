"""Which of the user's interests an article belongs to.

An interest begins with what the user gave. An article belongs to the interest in words to which it is most similar, if
few articles are more similar (``nearest``). Else it belongs to the interest whose mean is nearest, of its examples and
of likes that belong to it, if that is nearer than the mean of what was not delivered; else to none. What people are
told is stricter: an interest of which no article has the words is named for none, and beyond those that are similar to
it only articles that have most of a part of it (``named``).

All of it is derived from what a round knows: an interest that is removed, restored or renamed takes its verdicts along.

Source: Rocchio's method as a classifier (Manning, Raghavan, Schütze 2008, "Introduction to Information Retrieval",
14.2). How near members of an interest are to its mean is measured without the products of articles with themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from extractors.arrays import Bools, Floats, Int64s
from iscore.filtering.ranking.labelled import NO_INTEREST
from iscore.filtering.ranking.phrases import Match, Scale, Words
from iscore.filtering.ranking.rankers import Training
from iscore.filtering.ranking.vectors import Vectors, Weights

ALONE = 0.25
"""How near an article is to the others of its interest, where it is 1 to itself, while there is no other."""
PASSES = 2
"""How often verdicts are assigned; in each pass the likes of the pass before have moved the means."""
NEAR = -1.0
"""Deviations from the middle of an interest in words from which articles belong to it: one in twenty at most."""


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


def nearest(words: Sequence[Words], matches: Sequence[Match], scales: Sequence[Scale], count: int) -> Int64s:
    """Return of each of ``count`` articles the number of the interest in words that is nearest, or ``NO_INTEREST``."""
    found, nearness = np.full(count, NO_INTEREST), np.full(count, NEAR)
    for each, match, scale in zip(words, matches, scales, strict=True):
        deviations = scale.deviations(match.similarities)
        found[deviations > nearness] = each.interest
        nearness = np.maximum(nearness, deviations)
    return found


def assigned(training: Training, given: Int64s, count: int) -> tuple[Interests, Int64s]:
    """Return the means of ``count`` interests, and the number of the interest of each labelled article.

    Parameters
    ----------
    given
        Of each labelled article: the number of its interest, ``NO_INTEREST`` if its words do not tell.
    """
    vectors, hidden = training.vectors, training.hidden
    background = vectors.sum(hidden, np.full(len(hidden), 1.0 / max(len(hidden), 1)))
    found, owners = Interests((), np.empty(0)), given
    for _ in range(PASSES):
        mine = [(owners == number) & training.liked for number in range(count)]
        pairs = [_mean(vectors, training.labelled[each], training.weights[each], background) for each in mine]
        found = Interests([mean for mean, _ in pairs], np.array([halfway for _, halfway in pairs]))
        owners = np.where(given == NO_INTEREST, found.of(vectors, training.labelled), given)
    return found, owners


def named(
    near: Int64s, belongs: Int64s, certain: Sequence[tuple[int, Bools]], places: Int64s, with_examples: Int64s
) -> Int64s:
    """Return the interests that people are told articles belong to; shape (places,).

    Means drift to whatever is liked, and an article may be nearest to one with which it has nothing in common. An
    interest with examples is more than its words.

    Parameters
    ----------
    near, belongs
        Of each article the nearest interest by words, and by means, or ``NO_INTEREST``.
    certain
        Interests in words, and of each which of all articles of the round have most words of a part.
    places
        Of the articles among those of the round.
    with_examples
        Numbers of interests.
    """
    found = np.where(near == NO_INTEREST, belongs, near)
    for number, has_words in certain:
        if number not in with_examples:
            mine = has_words[places] | ((near == number) & has_words.any())
            found[(found == number) & ~mine] = NO_INTEREST
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
