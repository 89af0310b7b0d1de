"""How the suite uses processes and memory. A file of tests is run by one process (``--dist loadfile``)."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from iscore.cli import ONE_BLAS_THREAD
from tests.servers import postgresql
from tests.servers.postgresql import PostgresqlServer

settings.register_profile("any machine", deadline=None, max_examples=40)  # others in each run, so that they add up
settings.load_profile("any machine")

os.environ.update(ONE_BLAS_THREAD)  # as in a command

_M_MMAP_THRESHOLD = -3
_C_LIBRARY = ctypes.CDLL(None) if sys.platform == "linux" else None
if mallopt := getattr(_C_LIBRARY, "mallopt", None):
    mallopt(_M_MMAP_THRESHOLD, 1 << 17)  # glibc gives large arrays back when they are freed, and not some day

GROWTH = 32 << 20
"""A file may take so much more memory before garbage is collected."""
_AFTER_COLLECTION = pytest.StashKey[int]()


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgresqlServer]:
    """A server of PostgreSQL, one in each process: a new one takes as long as six new databases."""
    if reason := postgresql.missing():
        pytest.skip(reason)
    with postgresql.running() as running:
        yield running


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Take one process more than there are processors, since many tests wait for processes or sockets."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    from joblib import cpu_count

    return int(cpu_count()) + 1


def pytest_make_parametrize_id(val: object) -> str | None:
    """Cut names of long texts, which every process would keep and send to the others."""
    if isinstance(val, str | bytes) and len(val) > 60:
        return repr(val[:50]) + "…"
    return None


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave what was imported and collected out of garbage collection."""
    _collect(session.config)
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """Free memory after each file, and earlier if it grows: Python collects few objects late, however large.

    At the very end of a test: until then it holds its fixtures, which ``gc.freeze`` would keep for ever.
    """
    result = yield
    last = nextitem is None or nextitem.path != item.path
    if last or _resident_memory() > item.config.stash[_AFTER_COLLECTION] + GROWTH:
        _collect(item.config)
    if last:
        gc.freeze()  # leaves what is kept beyond a file out of later collections, which makes them fast
    return result


def _collect(config: pytest.Config) -> None:
    gc.collect()
    if malloc_trim := getattr(_C_LIBRARY, "malloc_trim", None):
        malloc_trim(0)  # glibc keeps what is free between two blocks in use
    config.stash[_AFTER_COLLECTION] = _resident_memory()


def _resident_memory() -> int:
    statm = Path("/proc/self/statm")
    return int(statm.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else 0
