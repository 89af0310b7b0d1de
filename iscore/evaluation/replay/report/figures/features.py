"""The correlation of each feature with interest: the paper's Figure 2."""

from __future__ import annotations

import math

import numpy as np

from iscore.evaluation.replay.report.content import Content
from iscore.presentation.charts.figure import Figure, Panel, Table, plural, three
from iscore.presentation.charts.line_chart import Axis
from iscore.presentation.charts.marks import OTHERS, key
from iscore.presentation.charts.row_chart import Dot, Row, row_chart

_NOTABLE = 0.1
"""Smallest negative correlation that the summary mentions."""
MOST_FEATURES = 32
"""Features in the chart: those with the largest correlation for any reader; the others are in the file."""


def correlations(content: Content) -> Figure | None:
    """A row per feature with a dot per reader and the median; ``None`` without correlations."""
    values: dict[str, list[tuple[str, float]]] = {}
    for each in content.correlations:
        for name, r in zip(each.names, each.r.tolist(), strict=True):
            if math.isfinite(r):
                values.setdefault(name, []).append((each.reader, r))
    if not values:
        return None
    median = {name: float(np.median([r for _, r in found])) for name, found in values.items()}
    largest = {name: max(abs(r) for _, r in found) for name, found in values.items()}
    shown = sorted(values, key=lambda name: -largest[name])[:MOST_FEATURES]
    shown.sort(key=lambda name: -median[name])
    bound = math.ceil(max(largest.values()) * 5 + 1e-9) / 5
    rows = [
        Row(
            name,
            [Dot(6, median[name], f"{name}: median {three(median[name])}")]
            + [Dot(OTHERS, r, f"{name}: {reader} {three(r)}") for reader, r in values[name]],
        )
        for name in shown
    ]
    readers = plural(len(content.correlations), "reader")
    widely = [name for name in shown if 2 * len(values[name]) >= len(content.correlations)] or shown
    found = f"Over {readers}, {widely[0]} has the highest correlation with interest (median {three(median[widely[0]])})"
    least, down = min((min(r for _, r in found), name) for name, found in values.items())
    if least < -_NOTABLE:
        found += f"; for one reader, {down} has the lowest ({three(least)})"
    left_out = len(values) - len(shown)
    rest = f" {plural(left_out, 'feature')} with smaller correlations are only in the file." if left_out else ""
    return Figure(
        name="features",
        heading="Correlation of features with interest",
        source="Figure 2",
        summary=f"{found}.",
        panels=[
            Panel(
                "",
                row_chart(
                    rows,
                    Axis("correlation with interest", -bound, bound, 6),
                    f"Correlations of features with interest, {readers}",
                ),
            )
        ],
        layout="one",
        legend=[(key(6), "median"), (key(OTHERS), "a reader")],
        caption=(
            "Pearson's correlation of each feature, computed before the article's own verdict was learned, with the "
            f"verdict, over the articles that have the feature.{rest}"
        ),
        file="correlations.csv",
        table=Table(
            "Median and extremes of each feature's correlations",
            ["feature", "median", "least", "greatest", "readers"],
            [
                [name, three(median[name]), three(min(all_r)), three(max(all_r)), str(len(all_r))]
                for name in shown
                if (all_r := [r for _, r in values[name]])
            ],
        ),
    )
