"""What arrived, was recommended, explored and read in each period, and how well it was decided."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import date, datetime, timedelta, tzinfo

from iscore.services.insight.agreement import agreement, decided_verdicts
from iscore.services.insight.periods import Scale, day_of, next_start, scale_of, start_of, starts
from iscore.services.views.history import Period
from storage.records.history import ArrivalCount, DecisionBatch, PastVerdict
from storage.records.users import Kind


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
