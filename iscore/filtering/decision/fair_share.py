"""The fair share of a source among a few articles that are selected.

A rule of selection, applied after scores and draws: without it a feed that publishes much, or that has just arrived
with all its articles, takes most places. The places are divided by max-min fairness: equally among the sources, and
what a source with few articles leaves over goes equally to the others. So no place stays empty for the rule's sake, and
with one source there is no limit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence


def fair_share(count: int, sources: Sequence[str]) -> int:
    """Return the largest number of articles that one source may have among ``count``; at least 1.

    ``sources`` has the source of each candidate. It is the smallest number with which all places can be filled.
    """
    sizes = Counter(sources).values()
    wanted = min(count, len(sources))
    share = 1
    while sum(min(size, share) for size in sizes) < wanted:
        share += 1
    return share


def first_fair(order: Iterable[int], sources: Sequence[str], count: int) -> list[int]:
    """Return the first ``count`` places of ``order`` that keep every source to its fair share."""
    order = list(order)
    share = fair_share(count, [sources[place] for place in order])
    taken: Counter[str] = Counter()
    chosen: list[int] = []
    for place in order:
        if len(chosen) == count:
            break
        if taken[sources[place]] < share:
            taken[sources[place]] += 1
            chosen.append(place)
    return chosen
