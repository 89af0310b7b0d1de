"""Time from arrival to verdict."""

from __future__ import annotations

from datetime import tzinfo

from iscore.presentation.charts.bar_chart import Bar, bar_chart
from iscore.presentation.charts.figure import Figure, Panel, Table
from iscore.presentation.history_report.figures.missing_data import lacking
from iscore.presentation.history_report.wording import hours, percent
from iscore.services.views.history import MIN_DELAYS, DelayBin, HistoryView


def delays(view: HistoryView, _zone: tzinfo | None) -> Figure:
    """A bar for each range of delays."""
    heading = "Time to verdict"
    total = sum(each.verdicts for each in view.delays.bins)
    if total < MIN_DELAYS or view.delays.median is None:
        return lacking(view, "delays", heading)
    bounds = [None, *(each.hours for each in view.delays.bins)]
    named = [(_name(after, each), each.verdicts) for after, each in zip(bounds, view.delays.bins, strict=False)]
    return Figure(
        name="delays",
        heading=heading,
        source="",
        summary=f"Half of your verdicts come within {hours(view.delays.median)} of an article’s arrival.",
        panels=[
            Panel(
                "",
                bar_chart(
                    [Bar(name, float(count), 4, f"{count:,} · {percent(count / total)}") for name, count in named],
                    f"Time from arrival to verdict, {total:,} verdicts and skips",
                ),
            )
        ],
        layout="one",
        legend=(),
        caption="From the arrival of a story’s first article to your verdict, skips included.",
        table=Table(
            "Time from arrival to verdict",
            ["time", "verdicts", "share"],
            [[name, f"{count:,}", percent(count / total)] for name, count in named],
        ),
    )


def _name(after: float | None, bin_: DelayBin) -> str:
    if bin_.hours is None:
        return "over a week"
    if after is None:
        return "within an hour"
    if bin_.hours <= 24:
        return f"{after:.0f} to {bin_.hours:.0f} hours"
    return f"{after / 24:.0f} to {bin_.hours / 24:.0f} days"
