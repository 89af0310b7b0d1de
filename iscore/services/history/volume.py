"""What arrived, was recommended, explored and read in each period, and how well it was decided."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import date, datetime, timedelta, tzinfo

from iscore.services.history.agreement import agreement, compared
from iscore.services.history.periods import Scale, day_of, next_start, scale_of, start_of, starts
from iscore.services.views.history import Period
from storage.records import Kind
from storage.records.history import Arrived, Round, Said


def periods(
    said: Sequence[Said],
    rounds: Sequence[Round],
    arrived: Sequence[Arrived],
    *,
    warm: datetime | None,
    now: datetime,
    zone: tzinfo | None,
) -> tuple[Scale, tuple[Period, ...]]:
    """Return the scale, and every period from the first decision to now; none without a decision."""
    if not rounds:
        return Scale.DAY, ()
    first, last = day_of(rounds[0].at, zone), max(day_of(now, zone), day_of(rounds[-1].at, zone))
    scale = scale_of(first, last)

    def when(moment: datetime) -> date:
        return start_of(day_of(moment, zone), scale)

    articles: Counter[date] = Counter()
    for each in arrived:
        articles[when(each.quarter)] += each.articles
    recommended: Counter[date] = Counter()
    explored: Counter[date] = Counter()
    threshold: dict[date, float] = {}
    for round_ in rounds:
        start = when(round_.at)
        recommended[start] += round_.recommended
        explored[start] += round_.explored
        if warm is not None and round_.at > warm:
            threshold[start] = round_.threshold
    read: Counter[date] = Counter(when(each.at) for each in said)
    verdicts: Counter[date] = Counter(when(each.at) for each in said if each.kind is not Kind.SKIP)
    decided: defaultdict[date, list[Said]] = defaultdict(list)
    for one in compared(said):
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
            verdicts=verdicts[start],
            agreement=agreement(decided[start]),
            threshold=threshold.get(start),
        )
        for start in starts(first, last, scale)
    )
