"""A past made by hand, as the facade would return it."""

from __future__ import annotations

from datetime import timedelta

from iscore.services.insight.agreement import Scale, agreement, starts
from iscore.services.views.history import (
    Calibration,
    CalibrationBin,
    CoursePoint,
    DelayBin,
    Delays,
    FeatureChange,
    FeatureHistory,
    FeaturesInUse,
    HistoryView,
    Missed,
    Period,
    ScoreBin,
    SourceOpinion,
    WordOpinion,
)
from iscore.services.views.status import HiddenCheck
from tests.iscore.services.insight.made_verdicts import START, verdicts

NOW = START + timedelta(days=20)


def past(name: str = "Energy Wire") -> HistoryView:
    """Make the past of somebody with some verdicts; ``name`` is a source, an address, a word and a feature."""
    compared = agreement(verdicts("++-+", "rrrh"))
    days = starts(START.date(), NOW.date(), Scale.DAY)
    return HistoryView(
        at=NOW,
        since=START,
        articles=2100,
        decided=2000,
        recommended=200,
        explored=20,
        likes=60,
        dislikes=30,
        skips=4,
        trained_since=START + timedelta(days=1),
        overall=compared,
        missed=Missed(1, 0, HiddenCheck(20, 1, 0.0089, 0.2361)),
        scale="day",
        periods=tuple(
            Period(day, day, 100 + n, n, 1, 4, 4, compared, None if n == 0 else 0.1 * n) for n, day in enumerate(days)
        ),
        window=30,
        course=tuple(CoursePoint(START + timedelta(days=n), 20 + n, n / 20 if n else None, 0.5) for n in range(21)),
        threshold=0.4,
        features=FeatureHistory(
            45,
            tuple(FeaturesInUse(START + timedelta(days=n), 10 * n, 20 + n) for n in range(1, 4)),
            tuple(FeatureChange(f"code_{n}", f"means {name}{n}", 0.5 - n / 10, 0.4) for n in range(8)),
            START - timedelta(days=10),
        ),
        sources=tuple(
            SourceOpinion(f"{name} {n}", f"https://{n}.example/{name}", 9, 1, 0.9, 0.6, 0.98, "" if n else "you like 0")
            for n in range(7)
        ),
        words_liked=tuple(WordOpinion(f"{name}{n}", 20 - n, 1, 2.0) for n in range(3)),
        words_disliked=(WordOpinion(name, 1, 12, -2.5),),
        calibration=Calibration(
            tuple(CalibrationBin(n / 10, n / 10 + 0.1, 4 * n, n / 10 + 0.05, n / 10) for n in range(10)), 180, 0.05
        ),
        scores=tuple(ScoreBin(float(n), n + 1.0, n + 2, 2 - n, 50) for n in range(-2, 3)),
        delays=Delays((DelayBin(1.0, 40), DelayBin(24.0, 30), DelayBin(None, 24)), 2.5),
        missing=(),
    )
