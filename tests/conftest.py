"""How the suite uses processes and memory. A file of tests is run by one process (``--dist loadfile``)."""

from __future__ import annotations

import ctypes
import gc
import os
import sys

import pytest

TRIM = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
"""Returns freed memory to the system (glibc)."""


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
    """Give memory back after each file: models are large, and Python collects few large objects late."""
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        if TRIM is not None:
            TRIM(0)
