"""What each figure lacks while there are few verdicts, and when it will be there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from iscore.filtering.decision.trained import MIN_VERDICTS
from iscore.services.history import agreement, exploring, scores
from iscore.services.history.periods import MONTH
from iscore.services.views.history import MIN_DELAYS, HistoryView, Missed, Missing
from storage.records import Kind
from storage.records.history import PastVerdict

PACE_OVER = timedelta(days=14)
LONGEST = 365
"""Days; what takes longer is no promise."""


def missing(view: HistoryView, verdicts: Sequence[PastVerdict], tested: Sequence[PastVerdict]) -> tuple[Missing, ...]:
    """Name the figures that have too little to go by; ``tested`` are the verdicts that
    calibration goes by."""
    return tuple(Missing(figure, words) for figure, words in _found(view, verdicts, tested))


def _found(
    view: HistoryView, verdicts: Sequence[PastVerdict], tested: Sequence[PastVerdict]
) -> Iterator[tuple[str, str]]:
    pace = _Pace(verdicts, view.at)
    if view.since is None:
        yield "volume", "Nothing has been judged yet; `iscore poll` brings the first news."
    decided = len(agreement.decided_verdicts(verdicts))
    if not view.course:
        lack = pace.lack(agreement.FEWEST, decided)
        yield (
            "course",
            f"The course over time needs {agreement.FEWEST} likes or dislikes of what was judged before; {lack}",
        )
    if view.warm_since is None:
        wanted = " and ".join(
            f"{MIN_VERDICTS - given} more {noun}{'' if MIN_VERDICTS - given == 1 else 's'}"
            for given, noun in ((view.likes, "like"), (view.dislikes, "dislike"))
            if given < MIN_VERDICTS
        )
        yield (
            "threshold",
            f"There is a threshold from {MIN_VERDICTS} likes and {MIN_VERDICTS} dislikes on; {wanted} wanted.",
        )
        yield (
            "features",
            f"Single features count from {MIN_VERDICTS} likes and {MIN_VERDICTS} dislikes on; {wanted} wanted.",
        )
    elif all(period.threshold is None for period in view.periods):
        yield "threshold", "The first threshold comes with the next poll that brings news."
    if view.warm_since is not None and view.features is not None and view.features.before is None:
        first = min((each.at for each in verdicts), default=view.at)
        yield "month", f"There will be a month ago from {_day(first + MONTH)} on."
    if len(tested) < scores.FEWEST:
        lack = pace.lack(scores.FEWEST, len(tested))
        yield (
            "calibration",
            f"Calibration needs {scores.FEWEST} verdicts on what the classifier recommended or explored; {lack}",
        )
    if view.scores == ():
        yield "scores", "There are scores from the first news on that the classifier decides about."
    if view.missed.recall is None:
        yield (
            "recall",
            "How much it misses can be estimated from verdicts on what was drawn by lot, once they are worth "
            f"{exploring.FEWEST:.0f} of equal chance; {_worth(view.missed)}.",
        )
    if not view.sources:
        yield "sources", "A source is told from its third like or dislike on."
    if view.words_liked == () and view.words_disliked == ():
        yield (
            "words",
            "No word goes surely with likes or with dislikes yet; the first mostly do after twenty verdicts.",
        )
    if len(verdicts) < MIN_DELAYS:
        yield "delays", f"Delays need {MIN_DELAYS} verdicts or skips; {pace.lack(MIN_DELAYS, len(verdicts))}"


class _Pace:
    """How fast likes and dislikes come."""

    def __init__(self, verdicts: Sequence[PastVerdict], now: datetime) -> None:
        times = [each.at for each in verdicts if each.kind is not Kind.SKIP and each.at > now - PACE_OVER]
        days = math.ceil((now - min(times)) / timedelta(days=1)) if times else 0
        self._a_day = len(times) / max(1, days)

    def lack(self, needed: int, have: int) -> str:
        """Say how many there are, and when the rest will be there at this pace."""
        told = f"there {'is' if have == 1 else 'are'} {have or 'none'} so far"
        days = math.ceil((needed - have) / self._a_day) if self._a_day else LONGEST + 1
        if days > LONGEST:
            return f"{told}."
        return f"{told}, the rest at your pace in {f'{days} days' if days > 1 else 'a day'}."


def _worth(missed: Missed) -> str:
    if not missed.drawn:
        return "there is none so far"
    return f"so far there {'is' if missed.drawn == 1 else 'are'} {missed.drawn}, worth {missed.worth:.1f}"


def _day(moment: datetime) -> str:
    return f"{moment.day} {moment:%B %Y}"
