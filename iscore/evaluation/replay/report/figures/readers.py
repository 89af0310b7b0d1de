"""F0.5 of each reader: a row each, or for many readers a sorted line."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from iscore.evaluation.replay.report.content import Content
from iscore.presentation.charts.figure import Figure, Panel, Table, plural, three, whole
from iscore.presentation.charts.line_chart import Axis, Line, line_chart
from iscore.presentation.charts.marks import OTHERS
from iscore.presentation.charts.row_chart import Dot, Row, row_chart

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
        panels=[Panel("", (_rows if few else _sorted)(content, known, named))],
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
