"""A person's past as a view: all that can be computed without a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from iscore.services.history.agreement import agreement, by_classifier, course, warm_since
from iscore.services.history.delays import delays
from iscore.services.history.exploring import missed
from iscore.services.history.missing import missing
from iscore.services.history.scores import FEWEST, calibration, put_to_the_test, spread
from iscore.services.history.sources import sources
from iscore.services.history.volume import periods
from iscore.services.views.feeds import FeedStatistics
from iscore.services.views.history import FeatureHistory, HistoryView, WordOpinion
from storage.records import Kind
from storage.records.history import Arrived, Round, Said


@dataclass(frozen=True, slots=True)
class Past:
    """What the database tells."""

    said: Sequence[Said]
    """In the order of the log."""
    rounds: Sequence[Round]
    arrived: Sequence[Arrived]
    unsaid: Sequence[float] | None
    """First scores by the classifier of stories of which nothing was said; None when they were not asked for."""


def history_view(
    past: Past,
    *,
    statistics: Sequence[FeedStatistics],
    words: tuple[tuple[WordOpinion, ...], tuple[WordOpinion, ...]] | None,
    features: FeatureHistory | None,
    threshold: float,
    now: datetime,
    zone: tzinfo | None,
) -> HistoryView:
    """Put everything together. Reads nothing."""
    warm = warm_since(past.said)
    judged = by_classifier(past.said, warm)
    scale, found = periods(past.said, past.rounds, past.arrived, warm=warm, now=now, zone=zone)
    window, points = course(past.said)
    fair = put_to_the_test(judged)
    kinds = [each.kind for each in past.said]
    view = HistoryView(
        at=now,
        since=past.rounds[0].at if past.rounds else None,
        articles=sum(each.articles for each in past.arrived),
        judged=sum(each.judged for each in past.rounds),
        recommended=sum(each.recommended for each in past.rounds),
        explored=sum(each.explored for each in past.rounds),
        likes=kinds.count(Kind.LIKE),
        dislikes=kinds.count(Kind.DISLIKE),
        skips=kinds.count(Kind.SKIP),
        warm_since=warm,
        overall=agreement(past.said),
        missed=missed(list(past.said), past.rounds, warm),
        scale=scale.value,
        periods=found,
        window=window,
        course=points,
        threshold=threshold,
        features=features,
        sources=sources(statistics),
        words_liked=None if words is None else words[0],
        words_disliked=None if words is None else words[1],
        calibration=calibration(fair if len(fair) >= FEWEST else []),
        scores=None if past.unsaid is None else spread(judged, past.unsaid),
        delays=delays(past.said),
        missing=(),
    )
    return replace(view, missing=missing(view, past.said, fair))
