"""Each classifier over the whole stream, and the effect of its threshold: the paper's Figure 3 and more."""

from __future__ import annotations

from markupsafe import Markup

from iscore.evaluation.replay.metrics import mean
from iscore.evaluation.replay.report.content import Content
from iscore.presentation.charts.figure import Figure, Panel, plural, three
from iscore.presentation.charts.line_chart import Axis
from iscore.presentation.charts.marks import MEASURES, key
from iscore.presentation.charts.row_chart import Dot, Row, row_chart

_PERFORMANCE = {"f05": "F0.5", "precision": "precision", "recall": "recall"}
_THRESHOLDS = {
    "f05_recommended": "adaptive threshold",
    "f05_even_odds": "threshold 0",
    "f05_best_static": "best fixed threshold in hindsight",
}
_MEANING = "Means over readers; each reader counts the same."


def performance(content: Content) -> Figure:
    """F0.5, precision and recall of each classifier."""
    means = _means(content)
    best, first = next(iter(means.items()))
    found = f"{best} delivers with precision {three(first['precision'])} and recall {three(first['recall'])}"
    if content.baseline != best:
        other = means[content.baseline]
        found += f"; {content.baseline} with {three(other['precision'])} and {three(other['recall'])}"
    return Figure(
        name="performance",
        heading="Over the whole stream",
        source="Figure 3",
        summary=f"{found}.",
        panels=[
            Panel("", _rows(means, _PERFORMANCE, f"F0.5, precision and recall of {plural(len(means), 'classifier')}"))
        ],
        layout="one",
        legend=[(key(style), name) for style, name in zip(MEASURES, _PERFORMANCE.values(), strict=True)],
        caption=f"{_MEANING} The best F0.5 is at the top; the numbers are in the table above.",
        file="classifiers.csv",
    )


def thresholds(content: Content) -> Figure:
    """The adaptive threshold compared with fixed ones on the same scores."""
    means = _means(content)
    best, first = next(iter(means.items()))
    found = (
        f"With the scores of {best}, the adaptive threshold gives {three(first['f05_recommended'])}, the threshold 0 "
        f"{three(first['f05_even_odds'])}, and each reader's best fixed threshold {three(first['f05_best_static'])}"
    )
    described = "F0.5 of each classifier with its own threshold, at even odds, and with the best fixed threshold"
    return Figure(
        name="thresholds",
        heading="Effect of the threshold",
        source="",
        summary=f"{found}.",
        panels=[Panel("", _rows(means, _THRESHOLDS, described))],
        layout="one",
        legend=[(key(style), name) for style, name in zip(MEASURES, _THRESHOLDS.values(), strict=True)],
        caption=(
            f"F0.5 of recommended articles. {_MEANING} The scores are those of the replay: with another threshold the "
            "filter would learn the same. The best fixed threshold is known only in hindsight; an adaptive one can be "
            "better still."
        ),
        file="classifiers.csv",
    )


def _means(content: Content) -> dict[str, dict[str, float | None]]:
    return {name: mean([each.summary for each in findings]) for name, findings in content.by_classifier.items()}


def _rows(means: dict[str, dict[str, float | None]], measures: dict[str, str], described: str) -> Markup:
    rows = [
        Row(
            name,
            [
                Dot(style, values[measure], f"{name}: {word} {three(values[measure])}")
                for style, (measure, word) in zip(MEASURES, measures.items(), strict=True)
            ],
        )
        for name, values in means.items()
    ]
    return row_chart(rows, Axis("mean over readers", 0.0, 1.0), described)
