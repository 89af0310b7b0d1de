"""The content of a report: its findings in order and in groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from markupsafe import Markup

from iscore.evaluation.replay.metrics import mean
from iscore.evaluation.replay.outcome import FeatureCorrelations, Outcome
from iscore.evaluation.replay.report.comparison import window_of
from iscore.evaluation.replay.report.findings import Finding, finding
from iscore.presentation.charts.figure import plural
from iscore.presentation.charts.marks import N_STYLES, OTHERS, key

Grouped = dict[str, list[Finding]]


@dataclass(frozen=True)
class Content:
    """Everything that the files of a report are made from."""

    title: str
    protocol: str
    """The protocol of all findings; empty when there are none."""
    about: Mapping[str, str]
    baseline: str
    """The classifier that the others are compared with; by default that of the first outcome."""
    findings: tuple[Finding, ...]
    """In the order of the outcomes."""
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
        """Findings of each classifier on each stream, in the order of the outcomes."""
        streams: dict[str, Grouped] = {each.summary.stream: {} for each in self.findings}
        for name, findings in self.by_classifier.items():
            for each in findings:
                streams[each.summary.stream].setdefault(name, []).append(each)
        return streams

    @cached_property
    def windows(self) -> dict[str, int]:
        """Stream → trailing window in articles."""
        return {
            stream: window_of([each for findings in classifiers.values() for each in findings])
            for stream, classifiers in self.by_stream.items()
        }

    @cached_property
    def by_reader(self) -> dict[tuple[str, str], dict[str, Finding]]:
        """Stream and reader → classifier → finding, in the order of the outcomes."""
        readers: dict[tuple[str, str], dict[str, Finding]] = {}
        for each in self.findings:
            readers.setdefault((each.summary.stream, each.summary.reader), {})[each.summary.classifier] = each
        return readers

    @cached_property
    def reader_names(self) -> dict[tuple[str, str], str]:
        """Stream and reader → a unique name; never empty."""
        times = Counter(reader for _, reader in self.by_reader)
        return {
            (stream, reader): f"{reader} ({stream})" if times[reader] > 1 else reader or "(no name)"
            for stream, reader in self.by_reader
        }

    @cached_property
    def styles(self) -> dict[str, int]:
        """The style of each classifier: the best ones and the baseline have their own, the others share one."""
        best = list(self.by_classifier)
        shown = best[:N_STYLES]
        if self.baseline in best and self.baseline not in shown:
            shown[-1] = self.baseline
        return {name: shown.index(name) + 1 if name in shown else OTHERS for name in best}

    def legend(self, names: Sequence[str], *, lined: bool = True) -> list[tuple[Markup, str]]:
        """Return the keys of these classifiers, one for all ``OTHERS``; ``lined`` for figures with lines."""
        shown = [(key(self.styles[name], lined=lined), name) for name in names if self.styles[name] != OTHERS]
        others = len(names) - len(shown)
        return shown + ([(key(OTHERS, lined=lined), plural(others, "other"))] if others else [])


def gather(
    outcomes: Iterable[Outcome],
    *,
    title: str,
    about: Mapping[str, str],
    baseline: str | None,
    correlations: Iterable[FeatureCorrelations],
) -> Content:
    """Make the findings of outcomes.

    Raises ``ValueError`` for an outcome that comes twice, for outcomes of several protocols, and if none is of
    ``baseline``.
    """
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
        raise ValueError(f"no outcome is of {baseline}, the baseline")
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
