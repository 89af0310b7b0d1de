"""How much readers differ: a row each, or when they are many, all of them sorted along a line."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from iscore.evaluation.replay.report.content import Content
from iscore.evaluation.replay.report.figures.legend import classifier_legend
from iscore.presentation.charts.figure import Figure, Panel, Table, plural, three, whole
from iscore.presentation.charts.line_chart import Axis, Line, line_chart
from iscore.presentation.charts.marks import OTHERS
from iscore.presentation.charts.row_chart import Dot, Row, row_chart

MOST_ROWS = 40
"""Readers up to which each gets a row of the figure."""
MOST_IN_TABLE = 200
"""Readers up to which the page lists them."""


def spread(content: Content) -> Figure | None:
    """F0.5 of each reader under the classifiers that are told apart; ``None`` for fewer than two readers."""
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
    said = ""
    if ours:
        said = (
            f"With {best}, F0.5 goes from {three(ours[0])} to {three(ours[-1])}; half of the readers have more than "
            f"{three(float(np.median(ours)))}."
        )
    few = len(known) <= MOST_ROWS
    return Figure(
        name="readers",
        heading="Reader by reader",
        source="",
        summary=said,
        panels=[Panel("", (_rows if few else _sorted)(content, known, named))],
        layout="one",
        legend=classifier_legend(content, named, lined=not few),
        caption=(
            f"F0.5 over the whole stream of each reader, sorted by {best}."
            if few
            else "Readers along the line, each classifier's from its worst to its best."
        ),
        file="readers.csv",
    )


def listing(content: Content) -> Table | None:
    """The readers with what they like and F0.5 under each classifier told apart; ``None`` when they are too many."""
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


def _rows(content: Content, known: Known, named: list[str]) -> Markup:
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
