"""What a report is about: findings in order, with names for their groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from iscore.evaluation.replay.correlations import FeatureCorrelations
from iscore.evaluation.replay.metrics import mean
from iscore.evaluation.replay.outcome import Outcome
from iscore.evaluation.replay.report.comparison import window_of
from iscore.evaluation.replay.report.findings import Finding, finding
from iscore.presentation.charts.marks import N_STYLES, OTHERS

Grouped = dict[str, list[Finding]]


@dataclass(frozen=True)
class Content:
    """All that the files of a report are made from."""

    title: str
    protocol: str
    """That of all findings; empty when there are none."""
    about: Mapping[str, str]
    baseline: str
    """The classifier that the others are compared with; the first that came, unless another was named."""
    findings: tuple[Finding, ...]
    """In the order in which they came."""
    correlations: tuple[FeatureCorrelations, ...]

    @cached_property
    def by_classifier(self) -> Grouped:
        """Findings of each classifier, the best mean F0.5 first."""
        groups: Grouped = {}
        for each in self.findings:
            groups.setdefault(each.summary.classifier, []).append(each)
        return {name: groups[name] for name in sorted(groups, key=lambda name: -_f05(groups[name]))}

    @cached_property
    def by_stream(self) -> dict[str, Grouped]:
        """Findings of each classifier on each stream, streams in the order in which they came."""
        streams: dict[str, Grouped] = {each.summary.stream: {} for each in self.findings}
        for name, findings in self.by_classifier.items():
            for each in findings:
                streams[each.summary.stream].setdefault(name, []).append(each)
        return streams

    @cached_property
    def windows(self) -> dict[str, int]:
        """How many articles F0.5 trails behind in each stream."""
        return {
            stream: window_of([each for findings in classifiers.values() for each in findings])
            for stream, classifiers in self.by_stream.items()
        }

    @cached_property
    def by_reader(self) -> dict[tuple[str, str], dict[str, Finding]]:
        """Stream and reader → classifier → finding, in the order in which they came."""
        readers: dict[tuple[str, str], dict[str, Finding]] = {}
        for each in self.findings:
            readers.setdefault((each.summary.stream, each.summary.reader), {})[each.summary.classifier] = each
        return readers

    @cached_property
    def reader_names(self) -> dict[tuple[str, str], str]:
        """Stream and reader → a name that is the reader's alone; never empty."""
        times = Counter(reader for _, reader in self.by_reader)
        return {
            (stream, reader): f"{reader} ({stream})" if times[reader] > 1 else reader or "(no name)"
            for stream, reader in self.by_reader
        }

    @cached_property
    def styles(self) -> dict[str, int]:
        """The style of each classifier: the best ones and the baseline are told apart, the rest is background."""
        best = list(self.by_classifier)
        shown = best[:N_STYLES]
        if self.baseline in best and self.baseline not in shown:
            shown[-1] = self.baseline
        return {name: shown.index(name) + 1 if name in shown else OTHERS for name in best}


def gather(
    outcomes: Iterable[Outcome],
    *,
    title: str,
    about: Mapping[str, str],
    baseline: str | None,
    correlations: Iterable[FeatureCorrelations],
) -> Content:
    """Measure outcomes as they come. Raises ``ValueError`` when one comes twice, when they are not of one protocol,
    or when there is none of ``baseline``."""
    findings: list[Finding] = []
    seen: set[tuple[str, str, str]] = set()
    for outcome in outcomes:
        which = (outcome.stream, outcome.reader, outcome.classifier)
        if which in seen:
            raise ValueError(f"{' / '.join(which)} comes twice")
        seen.add(which)
        if findings and outcome.protocol != findings[0].summary.protocol:
            raise ValueError(f"a report has one protocol, not {findings[0].summary.protocol} and {outcome.protocol}")
        findings.append(finding(outcome))
    names = {each.summary.classifier for each in findings}
    if baseline is not None and baseline not in names:
        raise ValueError(f"there is nothing of {baseline}, with which the others should be compared")
    first = findings[0].summary if findings else None
    return Content(
        title=title,
        protocol=first.protocol if first else "",
        about=dict(about),
        baseline=baseline or (first.classifier if first else ""),
        findings=tuple(findings),
        correlations=tuple(correlations),
    )


def _f05(findings: list[Finding]) -> float:
    value = mean([each.summary for each in findings])["f05"]
    return -np.inf if value is None else value
