"""Who does the jobs: this process, some processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

from iscore.core.errors import ReplayError
from iscore.evaluation.replay.jobs import Job
from iscore.evaluation.replay.progress_line import Lived

Advanced = Callable[[int], None]

PATIENCE = "20s"
"""How long a scheduler may take to answer."""


def done(jobs: Sequence[Job], *, processes: int, cluster: str, advanced: Advanced) -> Iterator[Lived]:
    """Yield what the jobs give, as they are done, in no order.

    Parameters
    ----------
    processes
        How many to use on this machine; with 1 it is this one.
    cluster
        Address of a Dask scheduler, as ``tcp://host:8786``; empty for this machine.
    advanced
        Told how many more articles have been lived through.

    Raises ``ReplayError`` when a worker breaks off or the cluster cannot be reached.
    """
    if cluster:
        yield from _on_cluster(jobs, cluster, advanced)
    elif processes > 1 and len(jobs) > 1:
        yield from _in_processes(jobs, processes, advanced)
    else:
        for job in jobs:
            yield job.do(advanced)


def _do(number: int, job: Job) -> tuple[int, Lived]:
    return number, job.do()


def _in_processes(jobs: Sequence[Job], processes: int, advanced: Advanced) -> Iterator[Lived]:
    from joblib import Parallel, delayed
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    work = Parallel(n_jobs=processes, backend="loky", batch_size=1, return_as="generator_unordered")
    finished = work(delayed(_do)(number, job) for number, job in enumerate(jobs))
    try:
        for number, lived in finished:
            advanced(jobs[number].articles)
            yield lived
    except TerminatedWorkerError as error:
        raise ReplayError("a worker process was killed, perhaps for lack of memory; run it again with fewer") from error
    finally:
        finished.close()
        get_reusable_executor().shutdown(kill_workers=True)


def _on_cluster(jobs: Sequence[Job], address: str, advanced: Advanced) -> Iterator[Lived]:
    distributed = _distributed()
    try:
        client = distributed.Client(address, timeout=PATIENCE)
    except (OSError, ValueError, TimeoutError) as error:
        raise ReplayError(f"no Dask scheduler answers at {address}") from error
    with client:
        futures = client.map(_do, range(len(jobs)), jobs, pure=False)
        try:
            for future, (number, lived) in distributed.as_completed(futures, with_results=True):
                future.release()
                advanced(jobs[number].articles)
                yield lived
        except distributed.KilledWorker as error:
            raise ReplayError("workers of the cluster died over a job, perhaps for lack of memory") from error
        finally:
            client.cancel(futures)


def _distributed() -> Any:
    """Return the module, which is an extra and says little of its types."""
    try:
        return import_module("distributed")
    except ImportError as error:
        raise ReplayError('a cluster needs the extra "cluster": pip install "iscore-news[cluster]"') from error
