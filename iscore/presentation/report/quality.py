"""Figures of how well the filter decides: metrics over time, missed stories, calibration, scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import tzinfo

import numpy as np

from iscore.presentation.charts.bars import Bar, bar_chart
from iscore.presentation.charts.figure import Figure, Panel, Table
from iscore.presentation.charts.line_chart import Axis, Line, line_chart, moment, named_days
from iscore.presentation.charts.marks import OTHERS, key
from iscore.presentation.report.parts import (
    calibration_chart,
    lacking,
    listed,
    period,
    signed,
    two,
)
from iscore.presentation.wording.scores import checked_words, share_words
from iscore.services.views.history import MAX_SCORE, Agreement, CalibrationBin, HistoryView, ScoreBin

_METRICS = {"f05": "F0.5", "precision": "precision"}


def course(view: HistoryView, zone: tzinfo | None) -> Figure:
    """Metrics over the newest verdicts, over time."""
    heading = "Quality over time"
    if not view.course:
        return lacking(view, "course", heading)
    x = np.array([point.at.timestamp() for point in view.course])
    lines = [
        Line(style, x, np.array([_number(getattr(point, metric)) for point in view.course]))
        for style, metric in enumerate(_METRICS, start=1)
    ]
    first, last = view.course[0].at.astimezone(zone).date(), view.course[-1].at.astimezone(zone).date()
    names = [(moment(day, zone), name) for day, name in named_days(first, last)]
    end = max(float(x[-1]), float(x[0]) + 1.0)
    drawn = line_chart(
        lines,
        Axis("", float(x[0]), end, names=names),
        Axis("", 0.0, 1.0),
        f"F0.5 and precision over the last {view.window} verdicts, from {first} to {last}",
    )
    now = view.course[-1]
    over = min(view.window, now.verdicts)
    return Figure(
        name="course",
        heading=heading,
        source="",
        summary=(f"Over the last {over} verdicts, F0.5 is {two(now.f05)} and precision {two(now.precision)}."),
        panels=[Panel("", drawn)],
        layout="one",
        legend=[(key(style, lined=True), name) for style, name in enumerate(_METRICS.values(), start=1)],
        caption=(
            "First decisions compared with your later verdicts, in order of the decisions, over the last "
            f"{view.window} likes and dislikes, fewer at the start. F0.5 counts only what you saw."
        ),
        table=Table(
            f"Decisions of each {view.scale} against verdicts",
            ["time", "recommended: liked", "disliked", "below threshold: liked", "disliked", *_METRICS.values()],
            [
                [period(each.first, each.last), *_cells(each.agreement)]
                for each in view.periods
                if any(_counts(each.agreement))
            ],
        ),
    )


def missed(view: HistoryView, _zone: tzinfo | None) -> Figure:
    """How liked stories were found, and what checks say of those missed."""
    heading = "Missed stories"
    found = view.overall.recommended_liked
    liked = found + view.overall.hidden_liked
    if not liked:
        return lacking(view, "held", heading, "You have not liked any scored story yet.")
    rows = (
        ("on arrival", found, 1),
        ("explored", view.missed.liked_explored, 3),
        ("later, or by you", view.missed.liked_later, 2),
    )
    checked = view.missed.checked
    of_hidden = checked_words(checked)
    if checked.checked:
        of_hidden += f": {share_words(checked)} of all hidden ones, with 95\u00a0% certainty"
    return Figure(
        name="held",
        heading=heading,
        source="",
        summary=f"Of {liked:,} liked {'story' if liked == 1 else 'stories'}, {_found(view)}; {of_hidden}.",
        panels=[
            Panel(
                "",
                bar_chart(
                    [Bar(name, float(count), style, f"{count:,}") for name, count, style in rows],
                    f"How {liked} liked stories were found",
                ),
            )
        ],
        layout="one",
        legend=(),
        caption=(
            "You can only like what you saw. A check draws hidden stories at random, so it tells what the filter "
            "misses; `iscore interests check` shows ten."
        ),
        table=Table(
            "How liked stories were found",
            ["how", "stories"],
            [[name, f"{count:,}"] for name, count, _ in rows],
        ),
    )


def _found(view: HistoryView) -> str:
    parts = [f"{view.overall.recommended_liked:,} were recommended on arrival"]
    if view.missed.liked_explored:
        parts.append(f"{view.missed.liked_explored:,} came from exploration")
    if view.missed.liked_later:
        were = "was" if view.missed.liked_later == 1 else "were"
        parts.append(f"{view.missed.liked_later:,} {were} recommended later or found by you")
    return listed(parts)


def _counts(each: Agreement) -> tuple[int, int, int, int]:
    return each.recommended_liked, each.recommended_disliked, each.hidden_liked, each.hidden_disliked


def _cells(each: Agreement) -> list[str]:
    return [*(f"{count:,}" for count in _counts(each)), two(each.f05), two(each.precision)]


def _number(value: float | None) -> float:
    return np.nan if value is None else value


MIN_IN_BIN = 5
"""Verdicts in a bin that is drawn."""
_KINDS = {"liked": 1, "disliked": 2, "unjudged": OTHERS}


def calibration(view: HistoryView, _zone: tzinfo | None) -> Figure:
    """Predicted probability against the share of likes."""
    heading = "Calibration"
    bins = view.calibration.bins
    if not view.calibration.verdicts:
        return lacking(view, "calibration", heading)
    drawn = [each for each in bins if each.verdicts >= MIN_IN_BIN]
    chart = calibration_chart(
        1,
        np.array([each.predicted for each in drawn]),
        np.array([each.liked for each in drawn]),
        ("predicted", "liked"),
        "Share of liked articles against predicted probability of interest",
        size=(360, 240),
    )
    return Figure(
        name="calibration",
        heading=heading,
        source="",
        summary=(
            f"Over {view.calibration.verdicts:,} verdicts, predicted and actual shares of likes differ by "
            f"{two(view.calibration.error)} on average."
        ),
        panels=[Panel("", chart)],
        layout="one",
        legend=(),
        caption=(
            "Predicted probability of interest on arrival, in ten bins, against the share that you liked; bins with "
            f"fewer than {MIN_IN_BIN} verdicts are left out. On the dashed line predictions are right: of articles at "
            "80\u00a0%, you like eight in ten. Above it they are too low, below it too high. Counts articles that "
            "were recommended on arrival or explored."
        ),
        table=Table(
            "Predicted and liked",
            ["predicted", "verdicts", "mean prediction", "liked"],
            [[_percents(each), f"{each.verdicts:,}", two(each.predicted), two(each.liked)] for each in bins],
        ),
    )


def spread(view: HistoryView, _zone: tzinfo | None) -> Figure:
    """Distribution of scores of liked, disliked and other stories."""
    heading = "Scores"
    bins = view.scores or ()
    if not bins:
        return lacking(view, "scores", heading)
    totals = {kind: sum(getattr(each, kind) for each in bins) for kind in _KINDS}
    middles = np.array([(each.low + each.high) / 2 for each in bins])
    shares = {
        kind: np.array([100 * getattr(each, kind) / totals[kind] for each in bins]) for kind in _KINDS if totals[kind]
    }
    high = max(float(values.max()) for values in shares.values())
    left, right = bins[0].low, bins[-1].high
    chart = line_chart(
        [Line(_KINDS[kind], middles, values) for kind, values in shares.items()],
        Axis("score, log-odds", left, right),
        Axis("% of each", 0.0, max(10.0, math.ceil(high / 10) * 10)),
        "Scores of liked, disliked and other stories",
        upright=view.threshold if left <= view.threshold <= right else None,
    )
    return Figure(
        name="scores",
        heading=heading,
        source="",
        summary=(
            f"{totals['liked']:,} liked, {totals['disliked']:,} disliked and {totals['unjudged']:,} stories "
            f"without a verdict, by their first score. {_halves(bins)}"
        ).rstrip(),
        panels=[Panel("", chart)],
        layout="one",
        legend=[(key(_KINDS[kind], lined=True), kind) for kind in shares],
        caption=(
            "Each line is the distribution of one group; the farther apart the lines, the better the filter separates "
            "them. The dashed line is today’s threshold. Counts stories scored by the trained filter."
        ),
        table=Table(
            "Stories by score",
            ["score", "liked", "disliked", "unjudged"],
            [[_range(each), *(f"{getattr(each, kind):,}" for kind in _KINDS)] for each in bins],
        ),
    )


def _halves(bins: Sequence[ScoreBin]) -> str:
    """Return the median scores of liked and disliked stories, by bins."""
    above, below = _median(bins[::-1], "liked"), _median(bins, "disliked")
    if above is None or below is None:
        return ""
    return f"Half of the liked have {signed(above.low)} or more, half of the disliked less than {signed(below.high)}."


def _median(bins: Sequence[ScoreBin], kind: str) -> ScoreBin | None:
    """Return the bin of the median; None without stories."""
    total, so_far = sum(getattr(each, kind) for each in bins), 0
    for each in bins:
        so_far += getattr(each, kind)
        if total and 2 * so_far >= total:
            return each
    return None


def _percents(each: CalibrationBin) -> str:
    return f"{100 * each.low:.0f}–{100 * each.high:.0f}\u00a0%"


def _range(each: ScoreBin) -> str:
    if each.low <= -MAX_SCORE:
        return f"less than {signed(each.high)}"
    if each.high >= MAX_SCORE:
        return f"{signed(each.low)} or more"
    return f"{signed(each.low)} to {signed(each.high)}"
