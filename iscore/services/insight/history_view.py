"""A user's past as a view: all that can be computed without a model."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from statistics import median

import numpy as np
import numpy.typing as npt

from iscore.core.statistics import share_interval
from iscore.filtering.delivery.tuning import MIN_VERDICTS
from iscore.services.insight.agreement import (
    FEWEST_OF_COURSE,
    MONTH,
    agreement,
    by_classifier,
    course,
    decided_verdicts,
    missed,
    periods,
    trained_since,
)
from iscore.services.views.feeds import FeedStatistics
from iscore.services.views.history import (
    MAX_SCORE,
    MIN_DELAYS,
    MIN_SOURCE_VERDICTS,
    Calibration,
    CalibrationBin,
    DelayBin,
    Delays,
    FeatureHistory,
    HistoryView,
    Missing,
    ScoreBin,
    SourceOpinion,
    WordOpinion,
)
from iscore.services.views.status import HiddenCheck
from storage.records.decisions import ArrivalCount, DecisionBatch, PastVerdict
from storage.records.users import Kind


@dataclass(frozen=True, slots=True)
class Past:
    """What the database has."""

    verdicts: Sequence[PastVerdict]
    """In the order of the log."""
    batches: Sequence[DecisionBatch]
    arrivals: Sequence[ArrivalCount]
    checked: HiddenCheck
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
        decided=sum(each.decided for each in past.batches),
        recommended=sum(each.recommended for each in past.batches),
        explored=sum(each.explored for each in past.batches),
        likes=kinds.count(Kind.LIKE),
        dislikes=kinds.count(Kind.DISLIKE),
        skips=kinds.count(Kind.SKIP),
        trained_since=trained,
        overall=agreement(past.verdicts),
        missed=missed(past.verdicts, past.checked),
        scale=scale.value,
        periods=found,
        window=window,
        course=points,
        threshold=threshold,
        features=features,
        sources=sources(statistics),
        words_liked=None if words is None else words[0],
        words_disliked=None if words is None else words[1],
        calibration=calibration(fair if len(fair) >= FEWEST_CALIBRATED else []),
        scores=None if past.unjudged_scores is None else spread(judged, past.unjudged_scores),
        delays=delays(past.verdicts),
        missing=(),
    )
    return replace(view, missing=missing(view, past.verdicts, fair))


FEWEST_CALIBRATED = 30
"""Verdicts on decisions of the classifier, below which calibration is left out."""
N_BINS = 10
"""Of probabilities, of equal width."""
WIDTH = 1.0
"""Log-odds that a bin of scores is wide."""


def unbiased(judged: Iterable[PastVerdict]) -> list[PastVerdict]:
    """Return the verdicts on stories that were recommended at once or explored.

    Of the others the user sees those that are recommended later, or that they look for: these are liked more often than
    their first score predicts. Exploration draws by that score alone.
    """
    return [each for each in judged if each.interesting or each.explore]


def calibration(judged: Sequence[PastVerdict]) -> Calibration:
    """Compare probabilities with verdicts, in bins of equal width; ``judged`` are unbiased likes and dislikes.

    The error is the calibration error of ``iscore.evaluation.replay.metrics``.
    """
    filled: list[list[tuple[float, bool]]] = [[] for _ in range(N_BINS)]
    for each in judged:
        posterior = 0.5 * (1.0 + math.tanh((each.score or 0.0) / 2))
        filled[min(int(posterior * N_BINS), N_BINS - 1)].append((posterior, each.kind is Kind.LIKE))
    bins = []
    distance = 0.0
    for number, verdicts in enumerate(filled):
        predicted = liked = None
        if verdicts:
            predicted = sum(posterior for posterior, _ in verdicts) / len(verdicts)
            liked = sum(like for _, like in verdicts) / len(verdicts)
            distance += abs(predicted - liked) * len(verdicts)
        bins.append(CalibrationBin(number / N_BINS, (number + 1) / N_BINS, len(verdicts), predicted, liked))
    return Calibration(tuple(bins), len(judged), distance / len(judged) if judged else None)


def spread(judged: Sequence[PastVerdict], unjudged_scores: Sequence[float]) -> tuple[ScoreBin, ...]:
    """Count stories by score: liked, disliked, without a verdict. Empty bins at the ends are left out."""
    liked, disliked = (
        _counts(_scores([each for each in judged if each.kind is kind])) for kind in (Kind.LIKE, Kind.DISLIKE)
    )
    others = _counts(np.array(unjudged_scores, dtype=np.float64))
    (filled,) = np.nonzero(liked + disliked + others)
    if not len(filled):
        return ()
    return tuple(
        ScoreBin(
            low=number * WIDTH - MAX_SCORE,
            high=(number + 1) * WIDTH - MAX_SCORE,
            liked=int(liked[number]),
            disliked=int(disliked[number]),
            unjudged=int(others[number]),
        )
        for number in range(int(filled[0]), int(filled[-1]) + 1)
    )


def _scores(judged: Sequence[PastVerdict]) -> npt.NDArray[np.float64]:
    return np.array([each.score for each in judged], dtype=np.float64)


def _counts(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    n_bins = round(2 * MAX_SCORE / WIDTH)
    places = np.floor((np.clip(scores[~np.isnan(scores)], -MAX_SCORE, MAX_SCORE) + MAX_SCORE) / WIDTH)
    return np.bincount(np.minimum(places.astype(np.int64), n_bins - 1), minlength=n_bins)


HOURS = (1.0, 3.0, 6.0, 12.0, 24.0, 48.0, 96.0, 168.0)
"""Upper bounds of the bins, themselves included."""


def delays(verdicts: Iterable[PastVerdict]) -> Delays:
    """Count likes, dislikes and skips by delay; a verdict before the arrival has delay 0."""
    hours = [max(0.0, (each.at - each.arrived) / timedelta(hours=1)) for each in verdicts]
    counts = [0] * (len(HOURS) + 1)
    for each in hours:
        counts[bisect_left(HOURS, each)] += 1
    bins = tuple(DelayBin(bound, count) for bound, count in zip((*HOURS, None), counts, strict=True))
    return Delays(bins, median(hours) if hours else None)


def sources(statistics: Iterable[FeedStatistics]) -> tuple[SourceOpinion, ...]:
    """Return the feeds with enough verdicts, the best liked first: by the lower end of the interval of the share."""
    found = []
    for feed in statistics:
        verdicts = feed.likes + feed.dislikes
        if verdicts < MIN_SOURCE_VERDICTS:
            continue
        low, high = share_interval(feed.likes, verdicts)
        share = feed.likes / verdicts
        found.append(SourceOpinion(feed.title, feed.url, feed.likes, feed.dislikes, share, low, high, feed.hint))
    return tuple(sorted(found, key=lambda each: (-each.low, -each.high, each.url)))


PACE_OVER = timedelta(days=14)
LONGEST = 365
"""Days; longer waits are not predicted."""


def missing(view: HistoryView, verdicts: Sequence[PastVerdict], tested: Sequence[PastVerdict]) -> tuple[Missing, ...]:
    """List the figures with too little data; ``tested`` are the verdicts that calibration uses."""
    return tuple(Missing(figure, words) for figure, words in _found(view, verdicts, tested))


def _found(
    view: HistoryView, verdicts: Sequence[PastVerdict], tested: Sequence[PastVerdict]
) -> Iterator[tuple[str, str]]:
    pace = _Pace(verdicts, view.at)
    if view.since is None:
        yield "volume", "No articles scored yet. `iscore poll` fetches news."
    decided = len(decided_verdicts(verdicts))
    if not view.course:
        lack = pace.lack(FEWEST_OF_COURSE, decided)
        yield (
            "course",
            f"The curves over time need {FEWEST_OF_COURSE} likes or dislikes of scored articles; {lack}",
        )
    if view.trained_since is None:
        wanted = " and ".join(
            f"{MIN_VERDICTS - given} more {noun}{'' if MIN_VERDICTS - given == 1 else 's'}"
            for given, noun in ((view.likes, "like"), (view.dislikes, "dislike"))
            if given < MIN_VERDICTS
        )
        yield (
            "threshold",
            f"The threshold needs {wanted}.",
        )
        yield (
            "features",
            f"What your likes have in common needs {wanted}.",
        )
    elif all(period.threshold is None for period in view.periods):
        yield "threshold", "The threshold appears after the next poll with new articles."
    if view.trained_since is not None and view.features is not None and view.features.before is None:
        first = min((each.at for each in verdicts), default=view.at)
        yield "month", f"The comparison with a month ago starts on {_day(first + MONTH)}."
    if len(tested) < FEWEST_CALIBRATED:
        lack = pace.lack(FEWEST_CALIBRATED, len(tested))
        yield (
            "calibration",
            f"Predicted and actual likes need {FEWEST_CALIBRATED} verdicts on articles that were recommended or "
            f"explored after your first {MIN_VERDICTS} likes and {MIN_VERDICTS} dislikes; {lack}",
        )
    if view.scores == ():
        yield "scores", "Scores appear once there are enough verdicts and new articles."
    if not view.sources:
        yield "sources", "A source is listed from its third like or dislike."
    if view.words_liked == () and view.words_disliked == ():
        yield (
            "words",
            "No word is typical of your likes or dislikes yet; the first usually appear after 20 verdicts.",
        )
    if len(verdicts) < MIN_DELAYS:
        yield (
            "delays",
            f"Your pace needs {MIN_DELAYS} verdicts or skips; {pace.lack(MIN_DELAYS, len(verdicts))}",
        )


class _Pace:
    """How fast likes and dislikes come."""

    def __init__(self, verdicts: Sequence[PastVerdict], now: datetime) -> None:
        times = [each.at for each in verdicts if each.kind is not Kind.SKIP and each.at > now - PACE_OVER]
        days = math.ceil((now - min(times)) / timedelta(days=1)) if times else 0
        self._known = len(times) >= MIN_DELAYS
        self._a_day = len(times) / max(1, days)

    def lack(self, needed: int, have: int) -> str:
        """Say how many there are, and when the rest will be there at this pace."""
        so_far = f"{have} so far"
        days = math.ceil((needed - have) / self._a_day) if self._known else LONGEST + 1
        if days > LONGEST:
            return f"{so_far}."
        return f"{so_far}; at your pace, the rest takes {f'{days} days' if days > 1 else 'a day'}."


def _day(moment: datetime) -> str:
    return f"{moment.day} {moment:%B %Y}"
