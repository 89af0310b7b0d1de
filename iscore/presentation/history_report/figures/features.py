"""Which features go with the verdicts, now and a month ago; how many are in use."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

import numpy as np

from iscore.presentation.charts.figure import Figure, Panel, Table, plural
from iscore.presentation.charts.line_chart import Axis, Line, line_chart
from iscore.presentation.charts.marks import key
from iscore.presentation.charts.row_chart import Dot, Row, row_chart
from iscore.presentation.history_report.figures.lacking import lacking, told
from iscore.presentation.history_report.wording import day, signed
from iscore.services.views.history import FeatureHistory, HistoryView

A_PANEL = 12
"""Features drawn in a panel; there are up to two."""
_NOW, _THEN = 6, 7


def features(view: HistoryView, zone: tzinfo | None) -> Figure:
    """Correlations as dots along rows, and the size of the subset where it changes."""
    heading = "What it looks at"
    found = view.features
    if found is None or not found.changes:
        return lacking(view, "features", heading, told(view, "features") or "The classifier keeps no correlations.")
    compared = found.before is not None and found.changes[0].before is not None
    then = f"on {day(found.before, zone)}" if found.before is not None else "a month ago"
    best = found.changes[0]
    said = f"“{best.name}” tells most: {best.meaning} ({signed(best.now)} now"
    said += f", {signed(best.before)} {then})." if compared else ")."
    panels = _rows(found, then, compared=compared)
    sizes = _sizes(found)
    panels += [sizes] if sizes is not None else []
    return Figure(
        name="features",
        heading=heading,
        source="",
        summary=f"{said} {_used(found)} {'' if compared else told(view, 'month')}".rstrip(),
        panels=panels,
        layout="one" if len(panels) == 1 else "two",
        legend=[(key(_NOW), "now"), *([(key(_THEN), then)] if compared else [])],
        caption=(
            "Correlation of each feature, measured before the verdict was learned, with your verdicts, as the "
            "classifier keeps it. Right of nought it goes with liking, left of it against."
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
        return f"All {size} features are in use, each with a weight of its own."
    return f"The best {size} of {found.n_features} features are in use."


def _sizes(found: FeatureHistory) -> Panel | None:
    """Draw how many features were in use at each saved state; None where that never changed."""
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
