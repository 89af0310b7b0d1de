"""How the suite uses processes and memory. A file of tests is run by one process (``--dist loadfile``)."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

TRIM = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
"""Returns freed memory to the system (glibc)."""
PAGES = (96 << 20) // os.sysconf("SC_PAGE_SIZE")
"""Memory is given back when a process has taken so many more pages since the last time."""
_AFTER_COLLECTION = pytest.StashKey[int]()


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


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of garbage collection, which makes collecting the rest fast."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Give memory back after each file, and earlier if it grows: Python collects few objects late, however large."""
    before = item.config.stash.get(_AFTER_COLLECTION, 0)
    if nextitem is None or nextitem.path != item.path or _resident_pages() > before + PAGES:
        gc.collect()
        if TRIM is not None:
            TRIM(0)
        item.config.stash[_AFTER_COLLECTION] = _resident_pages()


def _resident_pages() -> int:
    statm = Path("/proc/self/statm")
    return int(statm.read_text("ascii").split()[1]) if statm.exists() else 0
