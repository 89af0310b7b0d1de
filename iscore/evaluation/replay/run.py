"""A whole replay: every reader of some streams with every classifier.

streams ─► feature caches ─► jobs ─► stored outcomes ─► summaries, means, report

Jobs are done by this process, by several processes of this machine, or by a Dask cluster.
"""

from __future__ import annotations

import os
import platform
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

from iscore.core.errors import ReplayError
from iscore.core.timings import Progress
from iscore.evaluation.replay.code_digest import digest_of_decisions
from iscore.evaluation.replay.feature_cache import FeatureCache
from iscore.evaluation.replay.feature_cache_build import cached_features
from iscore.evaluation.replay.metrics import Summary, mean, summary
from iscore.evaluation.replay.outcome import Key, OutcomeStore, ReaderOutcomes, StoredOutcomes
from iscore.evaluation.replay.protocol import OnProgress, Protocol, ignore_progress
from iscore.evaluation.replay.protocol_delivered import run_delivered
from iscore.evaluation.replay.protocol_full import run_full
from iscore.evaluation.replay.report.files import write
from iscore.evaluation.replay.starts import left_out
from iscore.evaluation.replay.stream import content_hash, stream_name
from iscore.learners import LEARNERS

TIMEOUT = "20s"
"""How long a Dask scheduler may take to answer."""


@dataclass(frozen=True, slots=True)
class Job:
    """One reader of one stream, with one or more classifiers."""

    folder: Path
    """Of the feature cache; every worker must be able to read it."""
    reader: str
    classifiers: tuple[str, ...]
    protocol: Protocol
    articles: int
    """To replay, over all classifiers."""
    code: str
    """Digest of the code that made the job."""

    def run(self, on_progress: OnProgress = ignore_progress) -> ReaderOutcomes:
        """Run it. Raises ``ReplayError`` where the code is another one."""
        if digest_of_decisions() != self.code:
            raise ReplayError(
                "a worker has another version of iScore, numpy, scipy or numba, or the program was changed just now; "
                "install the same everywhere, and run it again"
            )
        cache = FeatureCache.open(self.folder)
        if self.protocol.name == "full":
            return run_full(cache, self.reader, self.classifiers, protocol=self.protocol, on_progress=on_progress)
        (classifier,) = self.classifiers
        return run_delivered(cache, self.reader, classifier, self.protocol, on_progress=on_progress)


def jobs_for(cache: FeatureCache, wanted: Iterable[tuple[str, str]], protocol: Protocol) -> list[Job]:
    """Return the jobs for pairs of reader and classifier.

    In the full protocol the classifiers of a reader share the reader features, so they are one job; otherwise each pair
    is.
    """
    of_reader: dict[str, list[str]] = {}
    for reader, classifier in wanted:
        of_reader.setdefault(reader, []).append(classifier)
    groups = [
        (reader, tuple(group))
        for reader, classifiers in of_reader.items()
        for group in ([classifiers] if protocol.name == "full" else [[each] for each in classifiers])
    ]
    return [
        Job(cache.folder, reader, group, protocol, cache.articles * len(group), digest_of_decisions())
        for reader, group in groups
    ]


def run_jobs(jobs: Sequence[Job], *, processes: int, cluster: str, on_progress: OnProgress) -> Iterator[ReaderOutcomes]:
    """Yield the results of jobs in the order in which they finish.

    ``processes`` is how many to use on this machine; ``cluster`` the address of a Dask scheduler, as
    ``tcp://host:8786``, or empty. Raises ``ReplayError`` when a worker dies or the cluster cannot be reached.
    """
    if cluster:
        yield from _on_cluster(jobs, cluster, on_progress)
    elif processes > 1 and len(jobs) > 1:
        yield from _in_processes(jobs, processes, on_progress)
    else:
        for job in jobs:
            yield job.run(on_progress)


def _run(number: int, job: Job) -> tuple[int, ReaderOutcomes]:
    return number, job.run()


def _in_processes(jobs: Sequence[Job], processes: int, on_progress: OnProgress) -> Iterator[ReaderOutcomes]:
    from joblib import Parallel, delayed
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    parallel = Parallel(n_jobs=processes, backend="loky", batch_size=1, return_as="generator_unordered")
    finished = parallel(delayed(_run)(number, job) for number, job in enumerate(jobs))
    try:
        for number, outcomes in finished:
            on_progress(jobs[number].articles)
            yield outcomes
    except TerminatedWorkerError as error:
        raise ReplayError("a worker process was killed, perhaps for lack of memory; run it again with fewer") from error
    finally:
        finished.close()
        get_reusable_executor().shutdown(kill_workers=True)


def _on_cluster(jobs: Sequence[Job], address: str, on_progress: OnProgress) -> Iterator[ReaderOutcomes]:
    distributed = _distributed()
    try:
        client = distributed.Client(address, timeout=TIMEOUT)
    except (OSError, ValueError, TimeoutError) as error:
        raise ReplayError(f"no Dask scheduler answers at {address}") from error
    with client:
        futures = client.map(_run, range(len(jobs)), jobs, pure=False)
        try:
            for future, (number, outcomes) in distributed.as_completed(futures, with_results=True):
                future.release()
                on_progress(jobs[number].articles)
                yield outcomes
        except distributed.KilledWorker as error:
            raise ReplayError("workers of the cluster died over a job, perhaps for lack of memory") from error
        finally:
            client.cancel(futures)


def _distributed() -> Any:
    """Import Dask, which is an extra and publishes few types."""
    try:
        return import_module("distributed")
    except ImportError as error:
        raise ReplayError('a cluster needs the extra "cluster": pip install "iscore-news[cluster]"') from error


WORK = "work"
"""The folder within a report's for feature caches and outcomes. It may be deleted when the replay is finished."""

_NAMED = 30
"""Proxies that an error message lists."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Where the jobs are run."""

    processes: int = 1
    """On this machine."""
    cluster: str = ""
    """Address of a Dask scheduler, whose workers run them instead; empty for none."""


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """What a replay found."""

    protocol: str
    results: tuple[Summary, ...]
    """By stream, reader and classifier, in the order in which they were asked for."""
    mean: dict[str, dict[str, float | None]]
    """Classifier → metric → mean over all readers of all streams."""
    report: Path | None
    """The folder of the report; None when none was asked for."""
    extractor_problems: dict[str, str]
    """Why extractors were left out or failed, by name."""
    seconds: float
    """Wall-clock time from beginning to end."""
    left_out: tuple[str, ...] = ()
    """Readers with too few examples, or without an interest."""


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
) -> ReplayResult:
    """Replay streams for some readers, all by default, and write a report if there is a folder for it.

    ``about`` is added to what the report says of streams, protocol and software.

    Raises ``StreamError`` and ``ReplayError``.
    """
    started = time.perf_counter()
    _check(paths, classifiers)
    with work_folder(report) as work:
        store = OutcomeStore(work / "outcomes", protocol, {stream_name(path): content_hash(path) for path in paths})
        caches = [cached_features(path, work / "measured", progress) for path in paths]
        chosen = [(cache, _readers(cache, readers, caches)) for cache in caches]
        without = [left_out(cache, names, protocol) for cache, names in chosen]
        wanted = [
            (cache, reader, classifier)
            for (cache, names), others in zip(chosen, without, strict=True)
            for reader in names
            if reader not in others
            for classifier in classifiers
        ]
        if not wanted:
            raise ReplayError(
                "the file of interests names no reader of these streams"
                if protocol.interests
                else f"no reader likes {protocol.examples} of the first {protocol.archive:,} articles; "
                "begin with fewer examples"
            )
        result = run(wanted, protocol, store, workers, progress, report=report, about=about or {}, started=started)
        return replace(result, left_out=tuple(dict.fromkeys(chain(*without))))


def run(
    wanted: Sequence[tuple[FeatureCache, str, str]],
    protocol: Protocol,
    store: OutcomeStore,
    workers: Workers,
    progress: Progress | None,
    *,
    report: Path | None,
    about: Mapping[str, str],
    started: float,
) -> ReplayResult:
    """Replay what is not stored yet of each stream, reader and classifier; summarise all, and write the report."""
    problems = _run_missing(wanted, protocol, store, workers, progress)
    keys = [(cache.stream, reader, classifier) for cache, reader, classifier in wanted]
    summaries = tuple(summary(outcome) for outcome in StoredOutcomes(store, keys))
    if report is not None:
        _write_report(report, store, keys, protocol.description() | dict(about) | _software())
    return ReplayResult(
        protocol=protocol.name,
        results=summaries,
        mean={
            name: mean([each for each in summaries if each.classifier == name])
            for name in dict.fromkeys(each.classifier for each in summaries)
        },
        report=report,
        extractor_problems=problems,
        seconds=time.perf_counter() - started,
    )


def _run_missing(
    wanted: Sequence[tuple[FeatureCache, str, str]],
    protocol: Protocol,
    store: OutcomeStore,
    workers: Workers,
    progress: Progress | None,
) -> dict[str, str]:
    """Run what is not stored; return why extractors failed, in these or in earlier runs, by name."""
    problems: dict[str, str] = {}
    missing: dict[str, tuple[FeatureCache, list[tuple[str, str]]]] = {}
    for cache, reader, classifier in wanted:
        problems |= cache.problems
        stored = store.get(cache.stream, reader, classifier)
        if stored is not None:
            problems |= stored[1]
        else:
            missing.setdefault(cache.stream, (cache, []))[1].append((reader, classifier))
    jobs = [job for cache, pairs in missing.values() for job in jobs_for(cache, pairs, protocol)]
    total, done = sum(job.articles for job in jobs), 0

    def on_progress(articles: int) -> None:
        nonlocal done
        done += articles
        if progress is not None:
            progress(done, total, "replaying articles")

    for outcomes in run_jobs(jobs, processes=workers.processes, cluster=workers.cluster, on_progress=on_progress):
        store.put(outcomes)
        problems |= outcomes.problems
    return problems


def _write_report(folder: Path, store: OutcomeStore, keys: Sequence[Key], about: Mapping[str, str]) -> None:
    readers = dict.fromkeys((stream, reader) for stream, reader, _ in keys)
    correlations = (store.correlations(stream, reader) for stream, reader in readers)
    write(
        folder,
        StoredOutcomes(store, keys),
        title=f"Replay of {', '.join(dict.fromkeys(stream for stream, _, _ in keys))}",
        about=about,
        correlations=(each for each in correlations if each is not None),
    )


def _software() -> dict[str, str]:
    versions = ", ".join(
        f"{name} {version(name)}" for name in ("iscore-news", "numba", "numpy", "scikit-learn", "scipy")
    )
    return {"software": f"{versions}, Python {platform.python_version()}", "processors": str(os.cpu_count())}


@contextmanager
def work_folder(report: Path | None) -> Iterator[Path]:
    """Give the folder for feature caches and outcomes: within a report's, or one that is removed at the end."""
    if report is not None:
        report.mkdir(parents=True, exist_ok=True)
        yield report / WORK
        return
    with tempfile.TemporaryDirectory(prefix="iscore-replay-") as folder:
        yield Path(folder)


def check_classifiers(names: Sequence[str]) -> None:
    """Raise ``ReplayError`` for an unknown classifier."""
    for name in names:
        if name not in LEARNERS:
            raise ReplayError(f"no classifier {name!r}; there are {', '.join(LEARNERS)}")


def _check(paths: Sequence[Path], classifiers: Sequence[str]) -> None:
    check_classifiers(classifiers)
    names = [stream_name(path) for path in paths]
    for name in names:
        if names.count(name) > 1:
            raise ReplayError(f"two streams are called {name}; rename one of the files")


def _readers(cache: FeatureCache, wanted: Sequence[str], caches: Sequence[FeatureCache]) -> list[str]:
    """Return those of the stream's readers that are wanted. Raises ``ReplayError`` for one that no stream has."""
    known = list(dict.fromkeys(reader for each in caches for reader in each.readers))
    for reader in wanted:
        if reader not in known:
            there = ", ".join(known[:_NAMED]) + (f" and {len(known) - _NAMED} more" * (len(known) > _NAMED))
            raise ReplayError(f"no proxy {reader!r}; there are {there or 'none'}")
    if not known:
        raise ReplayError("there are no labels, so there is nobody to replay for")
    return [reader for reader in wanted if reader in cache.readers] or ([] if wanted else list(cache.readers))
