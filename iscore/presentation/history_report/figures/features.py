"""Correlations of features with verdicts, now and a month ago; features in use."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

import numpy as np

from iscore.presentation.charts.figure import Figure, Panel, Table, plural
from iscore.presentation.charts.line_chart import Axis, Line, line_chart
from iscore.presentation.charts.marks import key
from iscore.presentation.charts.row_chart import Dot, Row, row_chart
from iscore.presentation.history_report.figures.missing_data import lacking, missing_data
from iscore.presentation.history_report.wording import day, signed
from iscore.services.views.history import FeatureHistory, HistoryView

A_PANEL = 12
"""Features per panel; up to two panels."""
_NOW, _THEN = 6, 7


def features(view: HistoryView, zone: tzinfo | None) -> Figure:
    """Correlations as a dot plot, and the number of features in use where it changes."""
    heading = "Most predictive features"
    found = view.features
    if found is None or not found.changes:
        return lacking(
            view, "features", heading, missing_data(view, "features") or "This classifier computes no correlations."
        )
    compared = found.before is not None and found.changes[0].before is not None
    then = f"on {day(found.before, zone)}" if found.before is not None else "a month ago"
    best = found.changes[0]
    text = f"“{best.name}” predicts your verdicts best: {best.meaning} ({signed(best.now)} now"
    text += f", {signed(best.before)} {then})." if compared else ")."
    panels = _rows(found, then, compared=compared)
    sizes = _sizes(found)
    panels += [sizes] if sizes is not None else []
    return Figure(
        name="features",
        heading=heading,
        source="",
        summary=f"{text} {_used(found)} {'' if compared else missing_data(view, 'month')}".rstrip(),
        panels=panels,
        layout="one" if len(panels) == 1 else "two",
        legend=[(key(_NOW), "now"), *([(key(_THEN), then)] if compared else [])],
        caption=(
            "Correlation of each feature, computed before the verdict was learned, with your verdicts. Positive: you "
            "tend to like articles where it is high; negative: you tend to dislike them."
        ),
        table=Table(
            "Correlations with your verdicts",
            ["feature", "what it means", "now", *([then] if compared else [])],
            [
                [each.name, each.meaning, signed(each.now), *([signed(each.before)] if compared else [])]
                for each in found.changes
            ],
        ),
    )


def _rows(found: FeatureHistory, then: str, *, compared: bool) -> list[Panel]:
    most = max(max(abs(each.now), abs(each.before or 0.0)) for each in found.changes)
    bound = min(1.0, float(np.ceil(most * 5 + 1e-9) / 5))
    rows = [
        Row(
            each.name,
            [
                Dot(_NOW, each.now, f"{each.name}: now {signed(each.now)}"),
                Dot(_THEN, each.before if compared else None, f"{each.name}: {then} {signed(each.before)}"),
            ],
        )
        for each in found.changes[: 2 * A_PANEL]
    ]
    axis = Axis("correlation with your verdicts", -bound, bound, 6)
    parts = [rows[:A_PANEL], rows[A_PANEL:]] if len(rows) > A_PANEL else [rows]
    return [Panel("", row_chart(part, axis, _described(part, compared=compared))) for part in parts]


def _described(rows: Sequence[Row], *, compared: bool) -> str:
    when = "now and a month ago" if compared else "now"
    return f"Correlations of {plural(len(rows), 'feature')} with your verdicts, {when}"


def _used(found: FeatureHistory) -> str:
    size = found.in_use[-1].size if found.in_use else 0
    if size == found.n_features:
        return f"All {size} features are in use, each with its own weight."
    return f"The best {size} of {found.n_features} features are in use."


def _sizes(found: FeatureHistory) -> Panel | None:
    """Draw the number of features in use at each saved state; None if it never changed."""
    sizes = [each.size for each in found.in_use]
    if len(set(sizes)) < 2:
        return None
    x = np.array([float(each.row) for each in found.in_use])
    line = Line(6, x, np.array(sizes, dtype=np.float64), marked=True)
    drawn = line_chart(
        [line],
        Axis("entries of your log", 0.0, float(x[-1])),
        Axis("features", 0.0, float(found.n_features)),
        f"Features in use: {', '.join(f'{each.size} after {each.row}' for each in found.in_use)}",
    )
    return Panel("Features in use", drawn)
