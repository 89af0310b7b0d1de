"""What is slow to make is made by one process of a test run, and copied by the others."""

from __future__ import annotations

import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from filelock import FileLock

T = TypeVar("T")
_VALUE = "made-once.pickle"


def made_once(name: str, factory: pytest.TempPathFactory, make: Callable[[Path], T]) -> tuple[T, Path]:
    """Return what ``make`` returned for a folder that it filled, and a copy of that folder for this process.

    The first process of the run that asks makes it; the others wait for it.
    """
    root = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent  # of this process alone
    folder = root / name
    with FileLock(root / f"{name}.lock"):
        if not (folder / _VALUE).exists():
            folder.mkdir()
            value = make(folder)
            (folder / _VALUE).write_bytes(pickle.dumps(value))
    mine = factory.mktemp(name) / name
    shutil.copytree(folder, mine)
    made: T = pickle.loads((mine / _VALUE).read_bytes())
    return made, mine
