"""What is slow to make is made by one process of a test run, and copied by the others."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def made_once(name: str, factory: pytest.TempPathFactory, make: Callable[[Path], object]) -> Path:
    """Return a copy, for this process, of a folder that ``make`` filled.

    The first process of the run that asks makes it; the others wait for it.
    """
    root = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent  # of this process alone
    folder, made = root / name, root / f"{name}.made"
    with FileLock(root / f"{name}.lock"):
        if not made.exists():
            folder.mkdir()
            make(folder)
            made.touch()
    mine = factory.mktemp(name) / name
    shutil.copytree(folder, mine)
    return mine
