"""Select the few articles that a user is shown first, or is asked about.

*A diverse selection* is what to show a user who has liked nothing yet: the few articles of a batch that represent most
of the others. Whatever the user is interested in, it is most likely a topic that many articles share. An article covers
another by their cosine, from ``SAME_TOPIC`` up; articles shown before cover as well. The next one is the article that
adds most to the sum over all articles of how well each is covered: the greedy way to a maximum, which no polynomial
algorithm improves on in general (Nemhauser, Wolsey, Fisher 1978). On Reuters it takes two thirds as many articles as a
random selection until one is liked (``docs/experiments.md``).

No source has more than its *fair share* of a selection: without that a feed that publishes much, or that has just
arrived with all its articles, takes most places. The places are divided by max-min fairness: equally among the sources,
and what a source with few articles leaves over goes equally to the others. So no place stays empty for the rule's sake,
and with one source there is no limit.

*The most informative* articles are those to ask for verdicts on, because these would teach most. They are near the
threshold, where the filter is least certain (uncertainty sampling: Lewis & Gale 1994, "A sequential algorithm for
training text classifiers"), and unlike one another, since a second verdict on one subject adds little. No source has
more than its fair share of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from extractors.text.terms import N_TERMS, TermBatch, TermVector
from iscore.filtering.delivery.tuning import ASKED, COMPARED, NEAR, SAME_TOPIC

Floats = npt.NDArray[np.float64]


def diverse_selection(
    articles: Sequence[TermVector], sources: Sequence[str], shown: Sequence[TermVector], count: int
) -> list[int]:
    """Return the places of at most ``count`` articles, the best first, of each source no more than its fair share.

    ``sources`` has the source of each article; ``shown`` are known to the user.
    """
    places = sorted(first_fair(reversed(range(len(articles))), sources, COMPARED))
    count = min(count, len(places))
    if count <= 0:
        return []
    candidates = [articles[place] for place in places]
    batch = TermBatch.of(candidates)
    similar = _similarity(candidates, batch)
    covered = _similarity(shown, batch).max(axis=0) if shown else np.zeros(len(similar))
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


def _similarity(vectors: Sequence[TermVector], batch: TermBatch) -> Floats:
    """Return the cosine of each vector with each article of a batch, those below ``SAME_TOPIC`` as 0; all have length
    1."""
    cosines = np.empty((len(vectors), len(batch)))
    weights = np.zeros(N_TERMS)
    for row, vector in enumerate(vectors):
        weights[vector.ids] = vector.weights
        cosines[row] = batch.sums(batch.weights, weights[batch.vocabulary.terms])
        weights[vector.ids] = 0.0
    cosines[cosines < SAME_TOPIC] = 0.0
    return cosines


def fair_share(count: int, sources: Sequence[Hashable]) -> int:
    """Return the largest number of articles that one source may have among ``count``; at least 1.

    ``sources`` has the source of each candidate. It is the smallest number with which all places can be filled.
    """
    sizes = Counter(sources).values()
    wanted = min(count, len(sources))
    share = 1
    while sum(min(size, share) for size in sizes) < wanted:
        share += 1
    return share


def first_fair(order: Iterable[int], sources: Sequence[Hashable], count: int) -> list[int]:
    """Return the first ``count`` places of ``order`` that keep every source to its fair share."""
    order = list(order)
    share = fair_share(count, [sources[place] for place in order])
    taken: Counter[Hashable] = Counter()
    chosen: list[int] = []
    for place in order:
        if len(chosen) == count:
            break
        if taken[sources[place]] < share:
            taken[sources[place]] += 1
            chosen.append(place)
    return chosen


def most_informative(
    distances: Mapping[int, float], terms: Mapping[int, TermVector], sources: Mapping[int, str], count: int
) -> list[int]:
    """Return the numbers (``seq``) of up to ``count`` articles, the most informative first.

    Each choice is the article with the largest exp(−distance) · (1 − cosine to the nearest chosen one); of equals the
    newest.

    Parameters
    ----------
    distances
        How far each article's score is from its threshold, in log-odds, by number; not negative.
    terms
        The terms of every article by number; their weights have Euclidean length 1.
    sources
        The source of every article by number.
    """
    by_distance = sorted(distances, key=lambda seq: (distances[seq], -seq))
    names = [sources[seq] for seq in by_distance]
    places = first_fair(range(len(by_distance)), names, ASKED)
    nearest, names = [by_distance[place] for place in places], [names[place] for place in places]
    share = fair_share(count, names)
    interest = np.array([math.exp(-min(distances[seq] / NEAR, 50.0)) for seq in nearest])
    similarity = np.zeros(len(nearest))
    chosen: list[int] = []
    while len(chosen) < min(count, len(nearest)):
        value = interest * (1.0 - similarity)
        taken = Counter(sources[seq] for seq in chosen)
        full = [seq in chosen or taken[name] == share for seq, name in zip(nearest, names, strict=True)]
        value[full] = -1.0
        best = nearest[int(np.argmax(value))]
        chosen.append(best)
        profile = np.zeros(N_TERMS, dtype=np.float32)
        profile[terms[best].ids] = terms[best].weights
        cosines = [float(profile[terms[seq].ids] @ terms[seq].weights) for seq in nearest]
        similarity = np.minimum(np.maximum(similarity, cosines), 1.0)
    return chosen
