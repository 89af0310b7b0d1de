"""A whole replay: streams are measured, every reader lives through theirs with every classifier, all is measured.

streams ─► measured streams ─► jobs ─► outcomes on disk ─► summaries, means, report
"""

from __future__ import annotations

import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from iscore.core.errors import ReplayError
from iscore.evaluation.replay.feature_cache import Measured
from iscore.evaluation.replay.feature_cache_build import measured
from iscore.evaluation.replay.jobs import jobs_for
from iscore.evaluation.replay.metrics import Summary, mean, summary
from iscore.evaluation.replay.protocol import Protocol
from iscore.evaluation.replay.report import write
from iscore.evaluation.replay.results import Kept, Key, Results
from iscore.evaluation.replay.stream import content_hash, stream_name
from iscore.evaluation.replay.workers import done
from iscore.learners import LEARNERS

Progress = Callable[[int, int, str], None]

WORK = "work"
"""The folder within a report's that holds measured streams and outcomes. It may be deleted when all is done."""


Wanted = tuple[Measured, str, str]
"""A stream, one of its readers, a classifier."""

_NAMED = 30
"""So many proxies are named to who asked for one that there is not."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Who does the work."""

    processes: int = 1
    """On this machine."""
    cluster: str = ""
    """Address of a Dask scheduler, whose workers do it instead; empty for none."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of it."""

    protocol: str
    results: tuple[Summary, ...]
    """By stream, reader and classifier, in the order in which they were asked for."""
    mean: dict[str, dict[str, float | None]]
    """Classifier → measure → mean over all readers of all streams."""
    report: Path | None
    """The folder of the report; None when none was asked for."""
    extractor_problems: dict[str, str]
    """Why extractors were left out or failed, by name."""
    seconds: float
    """From beginning to end, by the clock on the wall."""


def replay(
    paths: Sequence[Path],
    *,
    readers: Sequence[str] = (),
    classifiers: Sequence[str],
    protocol: Protocol,
    report: Path | None = None,
    about: Mapping[str, str] | None = None,
    workers: Workers = Workers(),
    progress: Progress | None = None,
) -> Replayed:
    """Replay streams for some readers, all by default, and write a report if there is a folder for it.

    ``about`` is what the report shall say of itself beside streams, protocol and software, as the date.

    Raises ``StreamError`` and ``ReplayError``.
    """
    started = time.perf_counter()
    _check(paths, classifiers)
    with work_folder(report) as work:
        streams = {stream_name(path): content_hash(path) for path in paths}
        results = Results(work / "outcomes", protocol, streams)
        found = [measured(path, work / "measured", progress) for path in paths]
        wanted = [
            (stream, reader, classifier)
            for stream in found
            for reader in _readers(stream, readers, found)
            for classifier in classifiers
        ]
        problems = live(wanted, protocol, results, workers, progress)
        keys = [(stream.stream, reader, classifier) for stream, reader, classifier in wanted]
        return told(results, keys, problems, protocol, report, about or {}, started)


def live(
    wanted: Sequence[Wanted], protocol: Protocol, results: Results, workers: Workers, progress: Progress | None
) -> dict[str, str]:
    """Do what has not been done; return why extractors failed, in these or in earlier runs, by name."""
    problems: dict[str, str] = {}
    missing: dict[str, tuple[Measured, list[tuple[str, str]]]] = {}
    articles = 0
    for stream, reader, classifier in wanted:
        problems |= stream.problems
        kept = results.get(stream.stream, reader, classifier)
        if kept is not None:
            problems |= kept[1]
        else:
            missing.setdefault(stream.stream, (stream, []))[1].append((reader, classifier))
            articles += stream.articles
    jobs = [job for stream, pairs in missing.values() for job in jobs_for(stream, pairs, protocol)]
    counter = _Counter(articles, progress)
    for lived in done(jobs, processes=workers.processes, cluster=workers.cluster, advanced=counter.add):
        results.put(lived)
        problems |= lived.problems
    return problems


def told(
    results: Results,
    keys: Sequence[Key],
    problems: dict[str, str],
    protocol: Protocol,
    report: Path | None,
    about: Mapping[str, str],
    started: float,
) -> Replayed:
    """Measure outcomes, and write the report if there is a folder for it."""
    summaries = tuple(summary(outcome) for outcome in Kept(results, keys))
    names = dict.fromkeys(each.classifier for each in summaries)
    if report is not None:
        readers = dict.fromkeys((stream, reader) for stream, reader, _ in keys)
        known = (results.correlations(stream, reader) for stream, reader in readers)
        write(
            report,
            Kept(results, keys),
            title=f"Replay of {', '.join(dict.fromkeys(stream for stream, _, _ in keys))}",
            about=protocol.told() | dict(about) | software(),
            correlations=(each for each in known if each is not None),
        )
    return Replayed(
        protocol=protocol.name,
        results=summaries,
        mean={name: mean([each for each in summaries if each.classifier == name]) for name in names},
        report=report,
        extractor_problems=problems,
        seconds=time.perf_counter() - started,
    )


def software() -> dict[str, str]:
    """Say with what figures were made."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("iscore-news", "numba", "numpy"))
    return {"software": f"{versions}, Python {platform.python_version()}", "processors": str(os.cpu_count())}


@contextmanager
def work_folder(report: Path | None) -> Iterator[Path]:
    """Give the folder for what is kept in the course of work: a report's own, or one that is removed at the end."""
    if report is not None:
        report.mkdir(parents=True, exist_ok=True)
        yield report / WORK
        return
    with tempfile.TemporaryDirectory(prefix="iscore-replay-") as folder:
        yield Path(folder)


def check_classifiers(names: Sequence[str]) -> None:
    """Raise ``ReplayError`` for a classifier that there is not."""
    for name in names:
        if name not in LEARNERS:
            raise ReplayError(f"no classifier {name!r}; there are {', '.join(LEARNERS)}")


def _check(paths: Sequence[Path], classifiers: Sequence[str]) -> None:
    check_classifiers(classifiers)
    names = [stream_name(path) for path in paths]
    for name in names:
        if names.count(name) > 1:
            raise ReplayError(f"two streams are called {name}; rename one of the files")


def _readers(stream: Measured, asked: Sequence[str], streams: Sequence[Measured]) -> list[str]:
    """Return those of the stream's readers that were asked for. Raises ``ReplayError`` for one that no stream has."""
    everybody = list(dict.fromkeys(reader for each in streams for reader in each.readers))
    for reader in asked:
        if reader not in everybody:
            there = ", ".join(everybody[:_NAMED]) + (f" and {len(everybody) - _NAMED} more" * (len(everybody) > _NAMED))
            raise ReplayError(f"no proxy {reader!r}; there are {there or 'none'}")
    if not everybody:
        raise ReplayError("there are no labels, so there is nobody to replay for")
    return [reader for reader in asked if reader in stream.readers] or ([] if asked else list(stream.readers))


class _Counter:
    """Adds up articles that were lived through."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._total = total
        self._progress = progress
        self._done = 0

    def add(self, articles: int) -> None:
        self._done += articles
        if self._progress is not None:
            self._progress(self._done, self._total, "living through articles")
