"""Curves over the scores: precision at each recall, the paper's Figure 5, and calibration."""

from __future__ import annotations

import numpy as np

from iscore.evaluation.replay.metrics import RECALLS, mean
from iscore.evaluation.replay.report.content import Content, mean_precision, pooled_reliability
from iscore.presentation.charts.figure import Figure, Panel, Table, three, whole
from iscore.presentation.charts.line_chart import Axis, Line, line_chart
from iscore.presentation.charts.marks import OTHERS

_LEVELS = (10, 25, 50, 75, 90, 100)
FEWEST_IN_A_BIN = 10
"""Smallest number of articles in a bin that is drawn."""


def precision_recall(content: Content) -> Figure | None:
    """Mean precision of fixed thresholds at each recall, one chart per stream; ``None`` if nothing is liked."""
    panels, first = [], None
    for stream, classifiers in content.by_stream.items():
        curves = {name: mean_precision(findings) for name, findings in classifiers.items()}
        if all(np.isnan(curve).all() for curve in curves.values()):
            continue
        lines = [Line(content.styles[name], RECALLS, curve) for name, curve in curves.items()]
        lines.sort(key=lambda line: line.style == OTHERS)
        described = f"Mean precision of each classifier at each recall, {stream}"
        drawn = line_chart(lines, Axis("recall", 0.0, 1.0), Axis("precision", 0.0, 1.0), described)
        panels.append(Panel(stream if len(content.by_stream) > 1 else "", drawn))
        first = first or (stream, curves)
    if first is None:
        return None
    stream, curves = first
    best = next(name for name in content.by_classifier if name in curves)
    found = f"At a recall of 50\u00a0% the scores of {best} reach a precision of {three(curves[best][49])}"
    if content.baseline != best and content.baseline in curves:
        found += f", those of {content.baseline} {three(curves[content.baseline][49])}"
    return Figure(
        name="recall",
        heading="Precision at each recall",
        source="Figure 5",
        summary=f"{found}{f' ({stream})' if len(panels) > 1 else ''}.",
        panels=panels,
        layout="one" if len(panels) == 1 else "two",
        legend=content.legend(list(content.by_classifier)),
        caption=(
            "For each reader and recall, the precision of the highest fixed threshold that reaches that recall, on the "
            "scores at arrival; averaged over readers. Nothing is interpolated."
        ),
        file="precision_recall.csv",
        table=Table(
            caption=f"Precision at some levels of recall, {stream}",
            columns=["recall", *curves],
            rows=[[f"{level} %", *(three(curve[level - 1]) for curve in curves.values())] for level in _LEVELS],
        ),
    )


def calibration(content: Content) -> Figure | None:
    """Share of liked articles against posterior, one chart per classifier; ``None`` if no classifier ever scored."""
    panels, rows = [], []
    for name, findings in content.by_classifier.items():
        articles, posterior, liked = pooled_reliability(findings)
        if not articles.sum() or content.styles[name] == OTHERS:
            continue
        enough = articles >= FEWEST_IN_A_BIN
        line = Line(content.styles[name], posterior[enough], liked[enough], marked=True)
        drawn = line_chart(
            [line],
            Axis("posterior", 0.0, 1.0),
            Axis("share liked", 0.0, 1.0),
            f"Share of liked articles against posterior, {name}",
            width=300,
            height=240,
            diagonal=True,
        )
        panels.append(Panel(name, drawn))
        rows += [
            [f"{name}, {number * 10}–{number * 10 + 10} %", whole(int(n)), three(p), three(share)]
            for number, (n, p, share) in enumerate(zip(articles, posterior, liked, strict=True))
        ]
    if not panels:
        return None
    best = next(iter(content.by_classifier))
    means = mean([each.summary for each in content.by_classifier[best]])
    return Figure(
        name="calibration",
        heading="Calibration of posteriors",
        source="",
        summary=(
            f"For {best}, posterior and share of liked articles differ by {three(means['calibration_error'])} on "
            f"average (Brier score {three(means['brier'])}, log-loss {three(means['log_loss'])})."
        ),
        panels=panels,
        layout="one" if len(panels) == 1 else "two",
        legend=(),
        caption=(
            "Articles of all readers that the classifier scored, in ten bins by posterior; bins with fewer than "
            f"{FEWEST_IN_A_BIN} articles are not drawn. On the dashed line posteriors are exact: of the articles with "
            "80 %, eight in ten are liked. Above it the posteriors are too low, below it too high."
        ),
        file="calibration.csv",
        table=Table("Posteriors in bins", ["classifier and bin", "articles", "mean posterior", "share liked"], rows),
    )
