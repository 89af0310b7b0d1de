"""Decisions against verdicts: over all, over the newest at each time, and in each day, week or month.

Also since when the classifier judges, and what of all that is liked was found, by what was explored. Days, weeks and
months are as a user counts them: in their time zone, weeks from Monday.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta, tzinfo
from enum import StrEnum

from iscore.filtering.delivery.limits import is_trained
from iscore.filtering.metrics import Counts
from iscore.services.views.history import Agreement, CoursePoint, Missed, Period
from iscore.services.views.status import HiddenCheck
from storage.records.decisions import ArrivalCount, DecisionBatch, PastVerdict
from storage.records.users import Kind

FEWEST_OF_COURSE = 20
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
    """Return a window and the rates over the last verdicts in it, at the ends of ``MOST_POINTS`` batches at most.

    Nothing, and a window of 0, with fewer than ``FEWEST_OF_COURSE`` verdicts. It begins when something that was
    recommended has a verdict; the first points are over fewer than the window.
    """
    ordered = decided_verdicts(verdicts)
    n = len(ordered)
    if n < FEWEST_OF_COURSE:
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
            points.append(CoursePoint(last, stop, counts.f_beta(), counts.precision))
    return window, tuple(points)


def _places(ordered: Sequence[PastVerdict]) -> list[int]:
    """Return the numbers of verdicts at which rates are given: ends of batches, the last among them, evenly thinned."""
    n = len(ordered)
    ends = [
        stop
        for stop in range(FEWEST_OF_COURSE, n + 1)
        if stop == n or ordered[stop].decided != ordered[stop - 1].decided
    ]
    step = -(-len(ends) // MOST_POINTS)
    return ends[::-step][::-1]


def _sums(flags: Sequence[bool]) -> list[int]:
    sums = [0]
    for flag in flags:
        sums.append(sums[-1] + flag)
    return sums


def missed(verdicts: Iterable[PastVerdict], checked: HiddenCheck) -> Missed:
    """Count how what is liked and was not recommended was found."""
    overlooked = [each for each in decided_verdicts(verdicts) if not each.interesting and each.kind is Kind.LIKE]
    explored = sum(bool(each.explore) for each in overlooked)
    return Missed(explored, len(overlooked) - explored, checked)


MONTH = timedelta(days=30)
"""How long ago a month ago is."""
MOST_DAYS = 35
MOST_WEEKS = 78


class Scale(StrEnum):
    """How long a period is."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


def scale_of(first: date, last: date) -> Scale:
    """Return the finest scale on which the time from ``first`` to ``last`` can still be taken in."""
    days = (last - first).days + 1
    if days <= MOST_DAYS:
        return Scale.DAY
    return Scale.WEEK if days <= 7 * MOST_WEEKS else Scale.MONTH


def day_of(moment: datetime, zone: tzinfo | None) -> date:
    """Return the day of a moment in ``zone``; None: the machine's own."""
    return moment.astimezone(zone).date()


def start_of(day: date, scale: Scale) -> date:
    """Return the first day of the period that a day is in."""
    if scale is Scale.WEEK:
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if scale is Scale.MONTH else day


def next_start(start: date, scale: Scale) -> date:
    """Return the first day of the period after the one that begins at ``start``."""
    if scale is Scale.MONTH:
        return (start.replace(day=1) + timedelta(days=32)).replace(day=1)
    return start + timedelta(days=7 if scale is Scale.WEEK else 1)


def starts(first: date, last: date, scale: Scale) -> list[date]:
    """Return the first days of all periods from that of ``first`` to that of ``last``."""
    found = [start_of(first, scale)]
    while (following := next_start(found[-1], scale)) <= last:
        found.append(following)
    return found


def periods(
    verdicts: Sequence[PastVerdict],
    batches: Sequence[DecisionBatch],
    arrivals: Sequence[ArrivalCount],
    *,
    trained: datetime | None,
    now: datetime,
    zone: tzinfo | None,
) -> tuple[Scale, tuple[Period, ...]]:
    """Return the scale, and every period from the first decision to now; none without a decision."""
    if not batches:
        return Scale.DAY, ()
    first, last = day_of(batches[0].at, zone), max(day_of(now, zone), day_of(batches[-1].at, zone))
    scale = scale_of(first, last)

    def when(moment: datetime) -> date:
        return start_of(day_of(moment, zone), scale)

    articles: Counter[date] = Counter()
    for each in arrivals:
        articles[when(each.quarter)] += each.articles
    recommended: Counter[date] = Counter()
    explored: Counter[date] = Counter()
    threshold: dict[date, float] = {}
    for batch in batches:
        start = when(batch.at)
        recommended[start] += batch.recommended
        explored[start] += batch.explored
        if trained is not None and batch.at > trained:
            threshold[start] = batch.threshold
    read: Counter[date] = Counter(when(each.at) for each in verdicts)
    likes_and_dislikes: Counter[date] = Counter(when(each.at) for each in verdicts if each.kind is not Kind.SKIP)
    decided: defaultdict[date, list[PastVerdict]] = defaultdict(list)
    for one in decided_verdicts(verdicts):
        if one.decided is not None:
            decided[when(one.decided)].append(one)
    return scale, tuple(
        Period(
            first=start,
            last=next_start(start, scale) - timedelta(days=1),
            arrived=articles[start],
            recommended=recommended[start],
            explored=explored[start],
            read=read[start],
            verdicts=likes_and_dislikes[start],
            agreement=agreement(decided[start]),
            threshold=threshold.get(start),
        )
        for start in starts(first, last, scale)
    )
