"""The files of a report: ``report.json`` for programs, a CSV for the data of each figure, and the page.

``docs/replay-report.schema.json`` describes ``report.json``.

CSV files are UTF-8, with commas and one line of names first; an undefined number is an empty cell. Names may be
anything, and a spreadsheet takes a text that begins with = + - or @ for a formula; such a text gets an apostrophe in
front, as does one that begins with an apostrophe, so that removing the first one restores the name. Carriage returns
and NUL, which many readers of CSV cannot handle, become replacement characters. ``report.json`` has the names
unchanged.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from iscore.evaluation.replay.metrics import METRICS, RECALLS, Summary, mean
from iscore.evaluation.replay.outcome import FeatureCorrelations, Outcome
from iscore.evaluation.replay.report.content import (
    Content,
    Finding,
    course,
    difference,
    gather,
    mean_precision,
    pooled_reliability,
    trailing,
)
from iscore.evaluation.replay.report.curves import MOST_READERS
from iscore.evaluation.replay.report.page import page
from iscore.evaluation.replay.windows import Window

WINDOW_VALUES = ("first", "last", "positives", "delivered", "f05", "precision", "recall", "t11su")
"""The values of a window, in this file and in ``windows.csv``."""

FORMAT = 1
"""Raised when a value of the file changes its meaning."""


def as_json(content: Content) -> str:
    """Return the document, UTF-8 text without lone surrogates; floats have six decimals, undefined is null."""
    by_classifier = content.by_classifier
    baseline = by_classifier.get(content.baseline, [])
    document = {
        "format": FORMAT,
        "title": content.title,
        "protocol": content.protocol,
        "about": dict(content.about),
        "baseline": content.baseline,
        "results": [_result(finding) for finding in content.findings],
        "mean": {name: _mean(findings) for name, findings in by_classifier.items()},
        "streams": {
            stream: {name: _mean(findings) for name, findings in classifiers.items()}
            for stream, classifiers in content.by_stream.items()
        },
        "against_baseline": {
            name: _rounded(asdict(found)) if (found := difference(findings, baseline)) else None
            for name, findings in by_classifier.items()
            if name != content.baseline
        },
    }
    text = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)
    return text.encode("utf-8", "replace").decode("utf-8") + "\n"


def _result(finding: Finding) -> dict[str, Any]:
    return (
        identity(finding.summary)
        | _rounded({name: getattr(finding.summary, name) for name in METRICS})
        | {"windows": [_rounded(window_values(window)) for window in finding.windows]}
    )


def identity(summary: Summary) -> dict[str, Any]:
    """Return the reader, stream and classifier of a result."""
    return {"proxy": summary.reader, "stream": summary.stream, "classifier": summary.classifier}


def window_values(window: Window) -> dict[str, float | None]:
    """Return the values of ``WINDOW_VALUES``."""
    counts = window.counts
    metrics = (counts.f_beta(), counts.precision, counts.recall, counts.t11su)
    values = (window.first, window.last, counts.liked, counts.delivered, *metrics)
    return dict(zip(WINDOW_VALUES, values, strict=True))


def _mean(findings: Sequence[Finding]) -> dict[str, Any]:
    return {"proxies": len(findings)} | _rounded(mean([finding.summary for finding in findings]))


def _rounded(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in values.items()}


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


def write(
    folder: Path,
    outcomes: Iterable[Outcome],
    *,
    title: str,
    about: Mapping[str, str] | None = None,
    baseline: str | None = None,
    correlations: Iterable[FeatureCorrelations] = (),
) -> tuple[Path, ...]:
    """Write ``report.html``, ``report.json`` and the CSV files into ``folder``, which is made if it is missing.

    Parameters
    ----------
    outcomes
        Read one by one and not kept, so they may come from a generator. All of one protocol; none twice.
    title
        The page's heading.
    about
        Name → text about the replay: what was replayed, when, on what machine.
    baseline
        The classifier that the others are compared with; by default that of the first outcome.
    correlations
        One for each reader. Without them the paper's Figure 2 is left out.

    Returns the paths, the page first. Files of an earlier report are replaced, or removed if this report does not have
    them. Raises ``ValueError`` for outcomes that do not belong together, and ``OSError``.
    """
    content = gather(outcomes, title=title, about=about or {}, baseline=baseline, correlations=correlations)
    files = {"report.html": page(content), "report.json": as_json(content)} | tables(content)
    folder.mkdir(parents=True, exist_ok=True)
    for name in set(OPTIONAL) - set(files):
        (folder / name).unlink(missing_ok=True)
    for name, text in files.items():
        part = folder / f"{name}.part"
        part.write_text(text, encoding="utf-8", newline="")
        part.replace(folder / name)
    return tuple(folder / name for name in files)
