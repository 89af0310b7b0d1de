"""The content of a report: its findings, in order, in groups, and compared.

A finding is what a report keeps of an outcome: a few kilobytes, however long the stream. Outcomes are read one by one
and can be dropped as soon as their finding is made.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from iscore.evaluation.replay.metrics import Reliability, Summary, mean, precision_at_recalls, reliability, summary
from iscore.evaluation.replay.outcome import FeatureCorrelations, Floats, Outcome
from iscore.evaluation.replay.windows import WINDOW, Window, trailing_f, windows
from iscore.presentation.charts.figure import plural
from iscore.presentation.charts.marks import N_STYLES, OTHERS, key

Positions = npt.NDArray[np.int64]

SHORT_WINDOW = 500
"""The trailing window of short streams."""
LONG_STREAM = 2 * WINDOW
"""Articles from which a stream has the long trailing window."""
FEWEST_READERS = 5
"""Smallest number of readers for an interval."""
RESAMPLES = 2000


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """One reader and one classifier."""

    summary: Summary
    windows: list[Window]
    """Consecutive windows of ``WINDOW`` articles."""
    positions: Positions
    """Positions at which trailing F0.5 is given: ``grid`` up to the end of the stream, shape (positions,)."""
    trailing: Floats
    """F0.5 over the last ``WINDOW`` articles there; NaN where it is undefined."""
    trailing_short: Floats
    """The same over the last ``SHORT_WINDOW``."""
    precision: Floats
    """Precision at each of ``metrics.RECALLS``, over fixed thresholds."""
    reliability: Reliability
    """Over the articles that the classifier scored."""


def finding(outcome: Outcome) -> Finding:
    """Make the finding of an outcome."""
    liked, delivered = outcome.liked, outcome.delivered
    positions = grid(len(liked))
    return Finding(
        summary=summary(outcome),
        windows=windows(delivered, liked),
        positions=positions,
        trailing=trailing_f(delivered, liked, positions),
        trailing_short=trailing_f(delivered, liked, positions, size=SHORT_WINDOW),
        precision=precision_at_recalls(outcome.scores, liked),
        reliability=reliability(outcome.scores[outcome.trained], liked[outcome.trained]),
    )


def grid(n: int) -> Positions:
    """Return the positions, 1 … n, of curves over time: a few hundred, the same for all readers, wider apart later."""
    steps = [np.arange(50, 2000, 50), np.arange(2000, 20_000, 250)]
    start = 20_000
    while start <= n:
        steps.append(np.arange(start, start * 10, start // 40))
        start *= 10
    positions = np.concatenate(steps)
    return positions[positions <= n]


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


@dataclass(frozen=True, slots=True)
class Difference:
    """F0.5 of a classifier minus that of the baseline, over the readers that both have."""

    readers: int
    mean: float
    low: float | None
    """Bounds of the 95 % interval; ``None`` with fewer than ``FEWEST_READERS`` readers."""
    high: float | None
    better: int
    """Readers for whom it is better by more than 0.005."""
    worse: int


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """Mean trailing F0.5 over the readers of a stream, along the articles."""

    window: int
    positions: npt.NDArray[np.int64]
    f05: Floats
    """Shape of ``positions``."""
    readers: npt.NDArray[np.int64]
    """Number of readers in each mean."""


def difference(findings: Sequence[Finding], baseline: Sequence[Finding]) -> Difference | None:
    """Compare two classifiers reader by reader; ``None`` without a reader for whom F0.5 is defined under both.

    The interval is the percentile bootstrap over readers (Efron 1979), with a fixed seed. Readers of one stream see
    the same articles, so it shows how much tastes matter, not how another stream would turn out.
    """
    theirs = {(f.summary.stream, f.summary.reader): f.summary.f05 for f in baseline}
    pairs = [(f.summary.f05, theirs.get((f.summary.stream, f.summary.reader))) for f in findings]
    gains = np.array([ours - other for ours, other in pairs if ours is not None and other is not None])
    if not len(gains):
        return None
    low = high = None
    if len(gains) >= FEWEST_READERS:
        from scipy.stats import bootstrap

        # In batches, because there may be thousands of readers.
        found = bootstrap((gains,), np.mean, n_resamples=RESAMPLES, batch=100, method="percentile", rng=0)
        low, high = (float(bound) for bound in found.confidence_interval)
    return Difference(
        readers=len(gains),
        mean=float(gains.mean()),
        low=low,
        high=high,
        better=int(np.count_nonzero(gains > 0.005)),
        worse=int(np.count_nonzero(gains < -0.005)),
    )


def window_of(findings: Sequence[Finding]) -> int:
    """Return the trailing window for a stream's readers, by the longest of their streams."""
    return WINDOW if max((f.summary.n for f in findings), default=0) >= LONG_STREAM else SHORT_WINDOW


def trailing(finding: Finding, window: int) -> Floats:
    """Return the F0.5 over the last ``window`` articles, which is one of the two windows of a finding."""
    return finding.trailing if window == WINDOW else finding.trailing_short


def course(findings: Sequence[Finding], window: int) -> Course:
    """Average the trailing F0.5 of readers of one stream, where at least half of them still have articles."""
    longest = max((f.positions for f in findings), key=len)
    rows = np.full((len(findings), len(longest)), np.nan)
    for row, f in zip(rows, findings, strict=True):
        row[: len(f.positions)] = trailing(f, window)
    ends = np.sort([len(f.positions) for f in findings])
    there = len(findings) - np.searchsorted(ends, np.arange(len(longest)), side="right")
    lasting = 2 * there >= len(findings)
    readers = np.count_nonzero(~np.isnan(rows), axis=0)
    return Course(window, longest[lasting], _mean(rows)[lasting], readers[lasting])


def mean_precision(findings: Sequence[Finding]) -> Floats:
    """Average precision at each recall over readers; NaN where it is undefined for all."""
    return _mean(np.array([f.precision for f in findings]))


def pooled_reliability(findings: Sequence[Finding]) -> tuple[npt.NDArray[np.int64], Floats, Floats]:
    """Pool the calibration bins of all readers: number of articles, mean posterior, share of liked articles."""
    articles = np.sum([f.reliability.articles for f in findings], axis=0)
    sums = [
        np.sum([np.nan_to_num(values) * f.reliability.articles for f, values in each], axis=0)
        for each in (
            [(f, f.reliability.posterior) for f in findings],
            [(f, f.reliability.liked) for f in findings],
        )
    ]
    there = np.where(articles > 0, articles, np.nan)
    return articles, sums[0] / there, sums[1] / there


def _mean(rows: Floats) -> Floats:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of a column without numbers the mean is NaN
        mean: Floats = np.nanmean(rows, axis=0)
    return mean
