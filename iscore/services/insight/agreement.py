"""Decisions against verdicts: over all, over the newest at each time, and since when the classifier judges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from iscore.filtering.delivery.limits import is_trained
from iscore.filtering.metrics import Counts
from iscore.services.views.history import Agreement, CoursePoint
from storage.records.history import PastVerdict
from storage.records.users import Kind

FEWEST = 20
"""Verdicts on decisions, below which there is no course."""
WINDOWS = (30, 100)
"""Verdicts over which the course is taken: few while there are few."""
ENOUGH_FOR_LONG = 300
MOST_POINTS = 200


def decided_verdicts(verdicts: Iterable[PastVerdict]) -> list[PastVerdict]:
    """Return the likes and dislikes of what the filter decided about, in the order of the decisions."""
    found = [
        each for each in verdicts if each.kind is not Kind.SKIP and each.decided is not None and not each.overruled
    ]
    return sorted(found, key=lambda each: (each.decided, each.story))


def agreement(verdicts: Iterable[PastVerdict]) -> Agreement:
    """Count likes and dislikes against first decisions; what it never decided about is left out.

    Rates are None until something that was recommended has a verdict: a filter that has not begun misses nothing.
    """
    cells = {(interesting, liked): 0 for interesting in (True, False) for liked in (True, False)}
    for each in decided_verdicts(verdicts):
        cells[bool(each.interesting), each.kind is Kind.LIKE] += 1
    counts = Counts(
        articles=sum(cells.values()),
        liked=cells[True, True] + cells[False, True],
        delivered=cells[True, True] + cells[True, False],
        hits=cells[True, True],
    )
    return Agreement(
        recommended_liked=cells[True, True],
        recommended_disliked=cells[True, False],
        hidden_liked=cells[False, True],
        hidden_disliked=cells[False, False],
        f05=counts.f_beta() if counts.delivered else None,
        precision=counts.precision,
        recall=counts.recall if counts.delivered else None,
    )


def trained_since(verdicts: Iterable[PastVerdict]) -> datetime | None:
    """Return when there were enough likes and dislikes for the classifier; None while there are not."""
    likes = dislikes = 0
    for each in verdicts:
        likes += each.kind is Kind.LIKE
        dislikes += each.kind is Kind.DISLIKE
        if is_trained(likes, dislikes):
            return each.at
    return None


def by_classifier(verdicts: Iterable[PastVerdict], trained: datetime | None) -> list[PastVerdict]:
    """Return the likes and dislikes of stories that the classifier decided about; none while it is untrained."""
    return [
        each
        for each in decided_verdicts(verdicts)
        if trained is not None and each.decided is not None and each.decided > trained
    ]


def course(verdicts: Iterable[PastVerdict]) -> tuple[int, tuple[CoursePoint, ...]]:
    """Return a window and the rates over the last so many verdicts, at the ends of ``MOST_POINTS`` batches at most.

    Nothing, and a window of 0, with fewer than ``FEWEST`` verdicts. It begins when something that was recommended has a
    verdict; the first points are over fewer than the window.
    """
    ordered = decided_verdicts(verdicts)
    n = len(ordered)
    if n < FEWEST:
        return 0, ()
    window = WINDOWS[n >= ENOUGH_FOR_LONG]
    liked = _sums([each.kind is Kind.LIKE for each in ordered])
    delivered = _sums([bool(each.interesting) for each in ordered])
    hits = _sums([bool(each.interesting) and each.kind is Kind.LIKE for each in ordered])
    points = []
    for stop in _places(ordered):
        start, last = max(0, stop - window), ordered[stop - 1].decided
        assert last is not None  # noqa: S101 -- ``compared`` leaves out what was never decided about
        counts = Counts(
            articles=stop - start,
            liked=liked[stop] - liked[start],
            delivered=delivered[stop] - delivered[start],
            hits=hits[stop] - hits[start],
        )
        if delivered[stop] or stop == n:
            points.append(CoursePoint(last, stop, counts.f_beta(), counts.precision, counts.recall))
    return window, tuple(points)


def _places(ordered: Sequence[PastVerdict]) -> list[int]:
    """Return the numbers of verdicts at which rates are given: ends of batches, the last among them, evenly thinned."""
    n = len(ordered)
    ends = [stop for stop in range(FEWEST, n + 1) if stop == n or ordered[stop].decided != ordered[stop - 1].decided]
    step = -(-len(ends) // MOST_POINTS)
    return ends[::-step][::-1]


def _sums(flags: Sequence[bool]) -> list[int]:
    sums = [0]
    for flag in flags:
        sums.append(sums[-1] + flag)
    return sums
