"""``report.json``: the results of a replay, for programs. ``docs/replay-report.schema.json`` describes it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from iscore.evaluation.replay.metrics import METRICS, Summary, mean
from iscore.evaluation.replay.report.content import Content, Finding, difference
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
