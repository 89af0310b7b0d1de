"""The threshold over time."""

from __future__ import annotations

import math
from datetime import tzinfo

import numpy as np

from iscore.presentation.charts.figure import Figure, Panel, Table
from iscore.presentation.charts.line_chart import Axis, Line, line_chart
from iscore.presentation.charts.marks import OTHERS
from iscore.presentation.charts.time_axis import moment, named_days
from iscore.presentation.history_report.figures.missing_data import lacking
from iscore.presentation.history_report.wording import percent, period, signed
from iscore.services.views.history import HistoryView


def threshold(view: HistoryView, zone: tzinfo | None) -> Figure:
    """The last threshold of each day, week or month since the filter is trained."""
    heading = "Threshold"
    known = [(each, each.threshold) for each in view.periods if each.threshold is not None]
    if not known:
        return lacking(view, "threshold", heading)
    first, last = known[0][0].first, known[-1][0].first
    x = np.array([moment(each.first, zone) for each, _ in known])
    values = [value for _, value in known]
    least, most = signed(min(values)), signed(max(values))
    low, high = math.floor(min(-1.0, *values)), math.ceil(max(1.0, *values))
    names = [(moment(day, zone), name) for day, name in named_days(first, last)]
    drawn = line_chart(
        [Line(1, x, np.array(values)), Line(OTHERS, np.array([x[0], x[-1]]), np.zeros(2))],
        Axis("", float(x[0]), max(float(x[-1]), float(x[0]) + 1.0), names=names),
        Axis("log-odds", float(low), float(high)),
        f"The threshold at the end of each {view.scale}, from {first} to {last}",
    )
    return Figure(
        name="threshold",
        heading=heading,
        source="",
        summary=(
            f"An article now needs a score of {signed(view.threshold)} log-odds, a probability of interest of "
            f"{percent(_probability(view.threshold))}. At the end of each {view.scale} it was "
            f"{least if least == most else f'between {least} and {most}'}."
        ),
        panels=[Panel("", drawn)],
        layout="one",
        legend=(),
        caption=(
            f"The last threshold of each {view.scale}, since the filter is trained. At 0, the thin line, the odds are "
            "even. It moves to the value with the best F0.5, and falls if too few articles pass."
        ),
        table=Table(
            f"Threshold at the end of each {view.scale}",
            ["time", "log-odds"],
            [[period(each.first, each.last), signed(value)] for each, value in reversed(known)],
        ),
    )


def _probability(log_odds: float) -> float:
    return 0.5 * (1.0 + math.tanh(log_odds / 2))
