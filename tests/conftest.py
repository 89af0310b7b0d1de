"""How many processes ``--numprocesses auto`` starts. A file of tests is run by one process (``--dist loadfile``)."""

from __future__ import annotations

import os

import pytest


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
