"""The data of each figure as a CSV file.

UTF-8, comma, one line of names first; an undefined number is an empty cell. Names may be anything, and a spreadsheet
takes a text that begins with = + - or @ for a formula; such a text gets an apostrophe in front, as does one that
begins with an apostrophe, so that removing the first one restores the name. Carriage returns and NUL, which many
readers of CSV cannot handle, become replacement characters. ``report.json`` has the names unchanged.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence

from iscore.evaluation.replay.metrics import METRICS, RECALLS, mean
from iscore.evaluation.replay.report.as_json import WINDOW_VALUES, identity, window_values
from iscore.evaluation.replay.report.content import Content, course, mean_precision, pooled_reliability, trailing
from iscore.evaluation.replay.report.figures.over_time import MOST_READERS

OPTIONAL = ("courses.csv", "correlations.csv")
"""Files that not every report has."""

Cell = str | float | int | None
Rows = Iterator[Sequence[Cell]]

_DANGEROUS = ("=", "+", "-", "@", "\t", "\n", "'", "＝", "＋", "－", "＠")


def tables(content: Content) -> dict[str, str]:
    """Return the files: name → text."""
    files = {
        "readers.csv": _table(_readers(content)),
        "classifiers.csv": _table(_classifiers(content)),
        "windows.csv": _table(_windows(content)),
        "over_time.csv": _table(_over_time(content)),
        "precision_recall.csv": _table(_precision_recall(content)),
        "calibration.csv": _table(_calibration(content)),
    }
    if len(content.by_reader) <= MOST_READERS:
        files["courses.csv"] = _table(_courses(content))
    if content.correlations:
        files["correlations.csv"] = _table(_correlations(content))
    return files


def cell(value: Cell) -> str:
    """Return the text of a cell: numbers with six decimals, empty if undefined, text that is no formula."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".") if math.isfinite(value) else ""
    if isinstance(value, int):
        return str(value)
    text = value.replace("\0", "\ufffd").replace("\r", "\ufffd").encode("utf-8", "replace").decode("utf-8")
    return f"'{text}" if text.lstrip(" ").startswith(_DANGEROUS) else text


def _table(rows: Rows) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([cell(value) for value in row] for row in rows)
    return text.getvalue()


def _readers(content: Content) -> Rows:
    yield ["proxy", "stream", "classifier", *METRICS]
    for each in content.findings:
        yield [*identity(each.summary).values(), *(getattr(each.summary, name) for name in METRICS)]


def _classifiers(content: Content) -> Rows:
    yield ["stream", "classifier", "proxies", *METRICS]
    groups = list(content.by_stream.items())
    if len(groups) > 1:
        groups.insert(0, ("", content.by_classifier))  # all streams together
    for stream, classifiers in groups:
        for name, findings in classifiers.items():
            yield [stream, name, len(findings), *mean([each.summary for each in findings]).values()]


def _windows(content: Content) -> Rows:
    yield ["proxy", "stream", "classifier", *WINDOW_VALUES]
    for each in content.findings:
        for window in each.windows:
            yield [*identity(each.summary).values(), *window_values(window).values()]


def _over_time(content: Content) -> Rows:
    yield ["stream", "classifier", "window", "articles", "f05", "proxies"]
    for stream, classifiers in content.by_stream.items():
        window = content.windows[stream]
        for name, findings in classifiers.items():
            found = course(findings, window)
            for position, f05, readers in zip(found.positions, found.f05, found.readers, strict=True):
                yield [stream, name, window, int(position), float(f05), int(readers)]


def _courses(content: Content) -> Rows:
    yield ["proxy", "stream", "classifier", "window", "articles", "f05"]
    for each in content.findings:
        window = content.windows[each.summary.stream]
        for position, f05 in zip(each.positions, trailing(each, window), strict=True):
            yield [*identity(each.summary).values(), window, int(position), float(f05)]


def _precision_recall(content: Content) -> Rows:
    yield ["stream", "classifier", "recall", "precision"]
    for stream, classifiers in content.by_stream.items():
        for name, findings in classifiers.items():
            for recall, precision in zip(RECALLS, mean_precision(findings), strict=True):
                yield [stream, name, float(recall), float(precision)]


def _calibration(content: Content) -> Rows:
    yield ["classifier", "from", "to", "articles", "posterior", "liked"]
    for name, findings in content.by_classifier.items():
        found = pooled_reliability(findings)
        bins = len(found[0])
        for number, (articles, posterior, liked) in enumerate(zip(*found, strict=True)):
            yield [name, number / bins, (number + 1) / bins, int(articles), float(posterior), float(liked)]


def _correlations(content: Content) -> Rows:
    yield ["proxy", "stream", "feature", "correlation"]
    for each in content.correlations:
        for name, r in zip(each.names, each.r, strict=True):
            yield [each.reader, each.stream, name, float(r)]
