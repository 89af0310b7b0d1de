"""Articles that arrived, were recommended, explored and read."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo

from markupsafe import Markup

from iscore.presentation.charts.column_chart import Column, column_chart
from iscore.presentation.charts.figure import Figure, Panel, Table, whole
from iscore.presentation.charts.time_axis import named_days
from iscore.presentation.history_report.figures.missing_data import lacking
from iscore.presentation.history_report.wording import period, signed
from iscore.services.views.history import HistoryView, Period

_KINDS = {"arrived": 0, "recommended": 1, "explored": 3, "read": 4}
_NAMES = 3


def volume(view: HistoryView, _zone: tzinfo | None) -> Figure:
    """A column chart for each, with its own scale."""
    heading = "From all articles to what you read"
    if not view.periods:
        return lacking(view, "volume", heading)
    named = _named(view.periods)
    arrived, recommended, explored, read = (
        whole(sum(getattr(each, kind) for each in view.periods) / len(view.periods)) for kind in _KINDS
    )
    return Figure(
        name="volume",
        heading=heading,
        source="",
        summary=(
            f"A {view.scale} brings {arrived} articles; {recommended} are recommended, {explored} shown to explore, "
            f"and you read {read}."
        ),
        panels=[Panel(kind, _columns(view, kind, style, named)) for kind, style in _KINDS.items()],
        layout="many",
        legend=(),
        caption=(
            f"Each column is a {view.scale}; scales differ. Recommended and explored are first decisions about "
            "stories, read is what you liked, disliked or skipped."
        ),
        table=Table(
            f"Each {view.scale}",
            ["time", "arrived", "recommended", "explored", "read", "likes and dislikes", "threshold"],
            [
                [
                    period(each.first, each.last),
                    *(whole(getattr(each, kind)) for kind in (*_KINDS, "verdicts")),
                    signed(each.threshold),
                ]
                for each in reversed(view.periods)
            ],
        ),
    )


def _columns(view: HistoryView, kind: str, style: int, named: Mapping[int, str]) -> Markup:
    counts = [getattr(each, kind) for each in view.periods]
    columns = [
        Column(float(count), named.get(number, ""), f"{period(each.first, each.last)}: {count:,}")
        for number, (each, count) in enumerate(zip(view.periods, counts, strict=True))
    ]
    return column_chart(columns, style, f"Articles {kind} in each {view.scale}; the table below has the numbers")


def _named(periods: tuple[Period, ...]) -> dict[int, str]:
    """Return the labels of the columns that contain a labelled day."""
    found: dict[int, str] = {}
    for day, name in named_days(periods[0].first, periods[-1].last, _NAMES):
        number = next(number for number, each in enumerate(periods) if each.first <= day <= each.last)
        found.setdefault(number, name)
    return found
