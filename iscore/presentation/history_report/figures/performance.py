"""F0.5, precision and recall over time; and what is known of what was held back."""

from __future__ import annotations

from datetime import tzinfo

import numpy as np

from iscore.presentation.charts.bar_chart import Bar, bar_chart
from iscore.presentation.charts.figure import Figure, Panel, Table
from iscore.presentation.charts.line_chart import Axis, Line, line_chart
from iscore.presentation.charts.marks import key
from iscore.presentation.charts.time_axis import moment, named_days
from iscore.presentation.history_report.figures.lacking import lacking, told
from iscore.presentation.history_report.wording import listed, percent, period, two
from iscore.services.views.history import Agreement, HistoryView

_MEASURES = {"f05": "F0.5", "precision": "precision", "recall": "recall"}


def course(view: HistoryView, zone: tzinfo | None) -> Figure:
    """Rates over the newest verdicts, as time goes by."""
    heading = "How well it recommends"
    if not view.course:
        return lacking(view, "course", heading)
    x = np.array([point.at.timestamp() for point in view.course])
    lines = [
        Line(style, x, np.array([_number(getattr(point, measure)) for point in view.course]))
        for style, measure in enumerate(_MEASURES, start=1)
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
    begun, now = view.course[0], view.course[-1]
    over = min(view.window, now.verdicts)
    return Figure(
        name="course",
        heading=heading,
        source="",
        summary=(
            f"Over the last {over} verdicts F0.5 is {two(now.f05)}, precision {two(now.precision)} and recall "
            f"{two(now.recall)}; after the first {begun.verdicts} F0.5 was {two(begun.f05)}."
        ),
        panels=[Panel("", drawn)],
        layout="one",
        legend=[(key(style, lined=True), name) for style, name in enumerate(_MEASURES.values(), start=1)],
        caption=(
            "First decisions against what you said later, in the order of the decisions, over the last "
            f"{view.window} likes and dislikes, fewer at the beginning. Recall here knows only what you have seen."
        ),
        table=Table(
            f"Decisions of each {view.scale} against verdicts",
            ["time", "recommended: liked", "disliked", "held back: liked", "disliked", *_MEASURES.values()],
            [
                [period(each.first, each.last), *_cells(each.agreement)]
                for each in view.periods
                if any(_counts(each.agreement))
            ],
        ),
    )


def held_back(view: HistoryView, _zone: tzinfo | None) -> Figure:
    """How what was liked had been found, and an estimate of all that was not."""
    heading = "What it may have missed"
    found = view.overall.recommended_liked
    liked = found + view.overall.held_back_liked
    if not liked:
        return lacking(view, "held", heading, "There is nothing to miss yet: you have liked nothing that was judged.")
    rows = (
        ("recommended at once", found, 1),
        ("explored", view.missed.liked_explored, 3),
        ("later, or looked up", view.missed.liked_later, 2),
    )
    shares = {name: f"{count:,} · {percent(count / liked)}" for name, count, _ in rows}
    estimate = told(view, "recall")
    if view.missed.recall is not None:
        estimate = (
            f"By what was drawn by lot, it recommends about {percent(view.missed.recall)} of all that you would like, "
            f"{percent(view.missed.low)} to {percent(view.missed.high)} with 95\u00a0% certainty."
        )
    return Figure(
        name="held",
        heading=heading,
        source="",
        summary=f"Of {liked:,} liked {'story' if liked == 1 else 'stories'}, {_found(view)}. {estimate}",
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
            "Nobody knows what was held back and never shown. But a few articles are drawn by lot from below the "
            "threshold, each with a known chance, and what you say of them stands for all the others. The estimate "
            "takes what you leave unread for like that which you read."
        ),
        table=Table(
            "How liked stories were found",
            ["how", "stories", "share"],
            [[n, f"{c:,}", percent(c / liked)] for n, c, _ in rows],
        ),
    )


def _found(view: HistoryView) -> str:
    parts = [f"{view.overall.recommended_liked:,} had been recommended at once"]
    if view.missed.liked_explored:
        parts.append(f"{view.missed.liked_explored:,} came up by exploring")
    if view.missed.liked_later:
        were = "was" if view.missed.liked_later == 1 else "were"
        parts.append(f"{view.missed.liked_later:,} {were} recommended later or looked up")
    return listed(parts)


def _counts(each: Agreement) -> tuple[int, int, int, int]:
    return each.recommended_liked, each.recommended_disliked, each.held_back_liked, each.held_back_disliked


def _cells(each: Agreement) -> list[str]:
    return [*(f"{count:,}" for count in _counts(each)), two(each.f05), two(each.precision), two(each.recall)]


def _number(value: float | None) -> float:
    return np.nan if value is None else value
