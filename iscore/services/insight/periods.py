"""Days, weeks and months, as a user counts them (in their time zone, weeks from Monday), and what happened in each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import date, datetime, timedelta, tzinfo
from enum import StrEnum

from iscore.services.insight.agreement import agreement, decided_verdicts
from iscore.services.views.history import Period
from storage.records.decisions import ArrivalCount, DecisionBatch, PastVerdict
from storage.records.users import Kind

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
