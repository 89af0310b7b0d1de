"""The jobs of a replay, done by this process, by several processes of this machine, or by a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from iscore.core.errors import ReplayError
from iscore.evaluation.replay.code_digest import digest_of_decisions
from iscore.evaluation.replay.feature_cache import FeatureCache
from iscore.evaluation.replay.outcome import ReaderOutcomes
from iscore.evaluation.replay.protocol import OnProgress, Protocol, ignore_progress
from iscore.evaluation.replay.protocol_delivered import run_delivered
from iscore.evaluation.replay.protocol_full import run_full

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
                "a worker has another version of iScore, numpy or numba, or the program was changed just now; "
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
