"""F0.5, precision and recall over time; an estimate of missed stories."""

from __future__ import annotations

from datetime import tzinfo

import numpy as np

from iscore.presentation.charts.bar_chart import Bar, bar_chart
from iscore.presentation.charts.figure import Figure, Panel, Table
from iscore.presentation.charts.line_chart import Axis, Line, line_chart
from iscore.presentation.charts.marks import key
from iscore.presentation.charts.time_axis import moment, named_days
from iscore.presentation.history_report.figures.missing_data import lacking, missing_data
from iscore.presentation.history_report.wording import listed, percent, period, two
from iscore.services.views.history import Agreement, HistoryView

_METRICS = {"f05": "F0.5", "precision": "precision", "recall": "recall"}


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
        f"F0.5, precision and recall over the last {view.window} verdicts, from {first} to {last}",
    )
    now = view.course[-1]
    over = min(view.window, now.verdicts)
    return Figure(
        name="course",
        heading=heading,
        source="",
        summary=(
            f"Over the last {over} verdicts, F0.5 is {two(now.f05)}, precision {two(now.precision)} and recall "
            f"{two(now.recall)}."
        ),
        panels=[Panel("", drawn)],
        layout="one",
        legend=[(key(style, lined=True), name) for style, name in enumerate(_METRICS.values(), start=1)],
        caption=(
            "First decisions compared with your later verdicts, in order of the decisions, over the last "
            f"{view.window} likes and dislikes, fewer at the start. Recall counts only articles you have seen."
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
    """How liked stories were found, and an estimate of those missed."""
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
    shares = {name: f"{count:,} · {percent(count / liked)}" for name, count, _ in rows}
    estimate = missing_data(view, "recall")
    if view.missed.recall is not None:
        estimate = (
            f"By the random sample, it recommends about {percent(view.missed.recall)} of all stories you would "
            f"like, {percent(view.missed.low)} to {percent(view.missed.high)} with 95\u00a0% certainty."
        )
    return Figure(
        name="held",
        heading=heading,
        source="",
        summary=f"Of {liked:,} liked {'story' if liked == 1 else 'stories'}, {_found(view)}. {estimate}".rstrip(),
        panels=[
            Panel(
                "",
                bar_chart(
                    [Bar(name, float(count), style, shares[name]) for name, count, style in rows],
                    f"How {liked} liked stories were found",
                ),
            )
        ],
        layout="one",
        legend=(),
        caption=(
            "Earlier versions showed a small random sample from below the threshold. Your verdicts on the sample give "
            "an estimate for all hidden stories. It assumes that stories you leave unread are like those you read."
            if view.missed.drawn
            else ""
        ),
        table=Table(
            "How liked stories were found",
            ["how", "stories", "share"],
            [[n, f"{c:,}", percent(c / liked)] for n, c, _ in rows],
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
    return [*(f"{count:,}" for count in _counts(each)), two(each.f05), two(each.precision), two(each.recall)]


def _number(value: float | None) -> float:
    return np.nan if value is None else value
