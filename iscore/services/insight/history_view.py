"""A user's past as a view: all that can be computed without a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from iscore.services.insight.agreement import agreement, by_classifier, course, trained_since
from iscore.services.insight.delays import delays
from iscore.services.insight.exploring import missed
from iscore.services.insight.missing import missing
from iscore.services.insight.scores import FEWEST, calibration, spread, unbiased
from iscore.services.insight.sources import sources
from iscore.services.insight.volume import periods
from iscore.services.views.feeds import FeedStatistics
from iscore.services.views.history import FeatureHistory, HistoryView, WordOpinion
from storage.records.history import ArrivalCount, DecisionBatch, PastVerdict
from storage.records.users import Kind


@dataclass(frozen=True, slots=True)
class Past:
    """What the database has."""

    verdicts: Sequence[PastVerdict]
    """In the order of the log."""
    batches: Sequence[DecisionBatch]
    arrivals: Sequence[ArrivalCount]
    unjudged_scores: Sequence[float] | None
    """First scores by the classifier of stories without a verdict; None when they were not asked for."""


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
    trained = trained_since(past.verdicts)
    judged = by_classifier(past.verdicts, trained)
    scale, found = periods(past.verdicts, past.batches, past.arrivals, trained=trained, now=now, zone=zone)
    window, points = course(past.verdicts)
    fair = unbiased(judged)
    kinds = [each.kind for each in past.verdicts]
    view = HistoryView(
        at=now,
        since=past.batches[0].at if past.batches else None,
        articles=sum(each.articles for each in past.arrivals),
        judged=sum(each.judged for each in past.batches),
        recommended=sum(each.recommended for each in past.batches),
        explored=sum(each.explored for each in past.batches),
        likes=kinds.count(Kind.LIKE),
        dislikes=kinds.count(Kind.DISLIKE),
        skips=kinds.count(Kind.SKIP),
        trained_since=trained,
        overall=agreement(past.verdicts),
        missed=missed(list(past.verdicts), past.batches, trained),
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
        scores=None if past.unjudged_scores is None else spread(judged, past.unjudged_scores),
        delays=delays(past.verdicts),
        missing=(),
    )
    return replace(view, missing=missing(view, past.verdicts, fair))
