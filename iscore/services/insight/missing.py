"""What each figure lacks while there are few verdicts, and when it will be there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from iscore.filtering.delivery.tuning import MIN_VERDICTS
from iscore.services.insight import agreement, exploring, scores
from iscore.services.insight.periods import MONTH
from iscore.services.views.history import MIN_DELAYS, HistoryView, Missing
from storage.records.history import PastVerdict
from storage.records.users import Kind

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
    decided = len(agreement.decided_verdicts(verdicts))
    if not view.course:
        lack = pace.lack(agreement.FEWEST, decided)
        yield (
            "course",
            f"The curves over time need {agreement.FEWEST} likes or dislikes of scored articles; {lack}",
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
    if len(tested) < scores.FEWEST:
        lack = pace.lack(scores.FEWEST, len(tested))
        yield (
            "calibration",
            f"Predicted and actual likes need {scores.FEWEST} verdicts on articles that were recommended or explored "
            f"after your first {MIN_VERDICTS} likes and {MIN_VERDICTS} dislikes; {lack}",
        )
    if view.scores == ():
        yield "scores", "Scores appear once there are enough verdicts and new articles."
    if view.missed.recall is None and view.missed.drawn:
        yield (
            "recall",
            "The estimate of what it misses needs more verdicts on articles that earlier versions drew at random: they "
            f"weigh {view.missed.worth:.1f} of {exploring.FEWEST:.0f} so far ({view.missed.drawn:,} articles).",
        )
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
