"""Changes of interest: found by dislikes that nobody expected, and confirmed by a like that nobody expected.

    dislikes in a row, each less likely than the last ─► search: the best article and a diverse selection, each day
    first like in the search ─► of the best article: a false alarm, all as before
                             └► of another: a new interest; verdicts before the dislikes no longer count

Whoever likes a hidden article meanwhile, or adds an interest or an example, has named the new interest: a search ends
with it, and none begins if it came after the first of the dislikes.

An old interest fades only by evidence: the surprise of a streak is how unlikely it was, by the probabilities with which
its articles were delivered, and by how often the articles before it were liked, whichever expects less. Whether what
was said before counts all the same is for ``current_evidence`` to find out. Everything is a function of the effective
log and the first decisions, so an undo restores the old interest.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan, log1p
from typing import NamedTuple

from iscore.filtering.decision.calibration import probability_of

SURPRISE = 5.0
"""In nats: such a streak is bad luck once in 150."""
BEFORE = 50
"""Verdicts before a streak that say how often deliveries were liked."""


class DeliveryVerdict(NamedTuple):
    """A verdict on something that was delivered."""

    row: int
    """Position in the log."""
    liked: bool
    score: float
    """At delivery."""
    margin: float
    """At delivery; NaN for an article of the diverse selection."""
    interesting: bool
    """Whether it was recommended."""


class Interest(NamedTuple):
    """Which part of the log shows what the user is interested in now."""

    after: int = 0
    """Only later rows count."""
    known_after: int = 0
    """The row of the like that confirmed it: margins of earlier deliveries were those of another ranking."""
    searching: bool = False
    """Whether the user seems to have changed, and nothing that they like now is known yet."""


def current_interest(history: Sequence[DeliveryVerdict], stated: Sequence[int] = ()) -> Interest:
    """Return what counts after these verdicts, which are in order of the log.

    ``stated`` are the rows of all likes, interests and examples, of deliveries or not.
    """
    begin = known = begin_of_search = start = place = 0  # places in ``history``
    searching = named = False
    surprise = 0.0
    for verdict in _in_order(history, stated):
        if verdict is None:
            if searching:
                begin, known = begin_of_search, place
                searching, surprise, start = False, 0.0, place
            named = surprise > 0.0
            continue
        place += 1
        if verdict.liked:
            if searching and not verdict.interesting:
                begin, known = begin_of_search, place
            searching, named, surprise, start = False, False, 0.0, place
        elif not searching and not isnan(verdict.margin):
            before = history[max(begin, start - BEFORE) : start]
            usual = sum(each.liked for each in before) / (len(before) + 2)
            surprise -= log1p(-min(probability_of(verdict.score), usual))
            if surprise >= SURPRISE and named:
                begin, known = start, place
                named, surprise, start = False, 0.0, place
            elif surprise >= SURPRISE:
                searching, begin_of_search = True, start
    after, known_after = (history[first - 1].row if first else 0 for first in (begin, known))
    return Interest(after, known_after, searching)


def _in_order(history: Sequence[DeliveryVerdict], stated: Sequence[int]) -> list[DeliveryVerdict | None]:
    """Return the verdicts on deliveries, with None where something else was liked or named."""
    delivered = {verdict.row for verdict in history}
    others = [(row, None) for row in stated if row not in delivered]
    events: list[tuple[int, DeliveryVerdict | None]] = [*((verdict.row, verdict) for verdict in history), *others]
    return [event for _, event in sorted(events, key=lambda event: event[0])]
