"""Figures with a row each: classifiers, the paper's Figure 3, their thresholds, readers, and features, its Figure 2."""

from __future__ import annotations

import math

import numpy as np
from markupsafe import Markup

from iscore.evaluation.replay.metrics import mean
from iscore.evaluation.replay.report.content import Content
from iscore.presentation.charts.bars import Dot, Row, row_chart
from iscore.presentation.charts.figure import Figure, Panel, Table, plural, three, whole
from iscore.presentation.charts.line_chart import Axis, Line, line_chart
from iscore.presentation.charts.marks import MEASURES, OTHERS, key
from iscore.presentation.report.parts import correlation_axis

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


MOST_ROWS = 40
"""Largest number of readers with a row each."""
MOST_IN_TABLE = 200
"""Largest number of readers that the page lists."""


def spread(content: Content) -> Figure | None:
    """F0.5 of each reader by classifier; ``None`` for fewer than two readers."""
    named = [name for name, style in content.styles.items() if style != OTHERS]
    best = named[0]
    known = {
        who: {name: found[name].summary.f05 for name in named if name in found}
        for who, found in content.by_reader.items()
    }
    known = {who: values for who, values in known.items() if any(value is not None for value in values.values())}
    if len(known) < 2:
        return None
    ours = sorted(value for values in known.values() if (value := values.get(best)) is not None)
    ends = f"With {best}, F0.5 ranges from {three(ours[0])} to {three(ours[-1])}" if ours else ""
    found = f"{ends}; the median is {three(float(np.median(ours)))}." if ours else ""
    few = len(known) <= MOST_ROWS
    return Figure(
        name="readers",
        heading="Each reader",
        source="",
        summary=found,
        panels=[Panel("", (_reader_rows if few else _sorted)(content, known, named))],
        layout="one",
        legend=content.legend(named, lined=not few),
        caption=(
            f"F0.5 over the whole stream of each reader, sorted by {best}."
            if few
            else "Readers of each classifier, sorted from the lowest F0.5 to the highest."
        ),
        file="readers.csv",
    )


def reader_table(content: Content) -> Table | None:
    """A table of all readers with F0.5 by classifier; ``None`` when they are too many."""
    if not 0 < len(content.by_reader) <= MOST_IN_TABLE:
        return None
    named = [name for name, style in content.styles.items() if style != OTHERS]
    rows = []
    for (stream, reader), found in content.by_reader.items():
        any_ = next(iter(found.values())).summary
        cells = [three(found[classifier].summary.f05) if classifier in found else "" for classifier in named]
        rows.append([content.reader_names[stream, reader], whole(any_.n), whole(any_.positives), *cells])
    return Table("Each reader's articles, and F0.5 of each classifier", ["reader", "articles", "liked", *named], rows)


Known = dict[tuple[str, str], dict[str, float | None]]


def _reader_rows(content: Content, known: Known, named: list[str]) -> Markup:
    order = sorted(known, key=lambda who: -max(known[who].get(named[0]) or 0.0, 0.0))
    rows = [
        Row(
            content.reader_names[who],
            [
                Dot(
                    content.styles[name],
                    known[who].get(name),
                    f"{content.reader_names[who]}: {name} {three(known[who].get(name))}",
                )
                for name in named
            ],
        )
        for who in order
    ]
    return row_chart(rows, Axis("F0.5", 0.0, 1.0), f"F0.5 of {plural(len(rows), 'reader')} under each classifier")


def _sorted(content: Content, known: Known, named: list[str]) -> Markup:
    lines = []
    for name in named:
        values = np.array(sorted(value for each in known.values() if (value := each.get(name)) is not None))
        if len(values):
            shares = (np.arange(len(values)) + 0.5) / len(values) * 100
            thin = np.unique(np.linspace(0, len(values) - 1, 400).astype(int))
            lines.append(Line(content.styles[name], shares[thin], values[thin]))
    described = f"F0.5 of {plural(len(known), 'reader')}, sorted, under each classifier"
    return line_chart(lines, Axis("% of readers, the worst first", 0.0, 100.0), Axis("F0.5", 0.0, 1.0), described)


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
                    correlation_axis("correlation with interest", max(largest.values())),
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
