"""``report.json``: what a replay found, for programs. ``docs/replay-report.schema.json`` says what stands in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from iscore.evaluation.replay.metrics import MEASURES, Summary, mean
from iscore.evaluation.replay.report.comparison import difference
from iscore.evaluation.replay.report.content import Content
from iscore.evaluation.replay.report.findings import Finding
from iscore.evaluation.replay.windows import Window

FORMAT = 1
"""Raised when what stands in the file changes its meaning."""


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
        | _rounded({name: getattr(finding.summary, name) for name in MEASURES})
        | {"windows": [_window(window) for window in finding.windows]}
    )


def identity(summary: Summary) -> dict[str, Any]:
    """Return whose result it is."""
    return {"proxy": summary.reader, "stream": summary.stream, "classifier": summary.classifier}


def _window(window: Window) -> dict[str, Any]:
    counts = window.counts
    return _rounded(
        {
            "first": window.first,
            "last": window.last,
            "positives": counts.liked,
            "delivered": counts.delivered,
            "f05": counts.f_beta(),
            "precision": counts.precision,
            "recall": counts.recall,
            "t11su": counts.t11su,
        }
    )


def _mean(findings: Sequence[Finding]) -> dict[str, Any]:
    return {"proxies": len(findings)} | _rounded(mean([finding.summary for finding in findings]))


def _rounded(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in values.items()}
