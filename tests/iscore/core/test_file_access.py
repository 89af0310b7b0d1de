"""Real processes and a real lock."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from iscore.core.file_access import LockedError, exclusive_lock

HOLDER = """
import sys, time
from pathlib import Path
from iscore.core.file_access import exclusive_lock
with exclusive_lock(Path(sys.argv[1]), "waits"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_the_error_names_the_holder_and_a_killed_holder_frees_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "run.lock"
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        expected = pytest.raises(LockedError, match=f"somebody works already, in process {first.pid};")
        with expected as raised, exclusive_lock(path, "somebody works"):
            pytest.fail("two held it")
        assert raised.value.holder == str(first.pid)
        first.send_signal(signal.SIGKILL)
    with exclusive_lock(path, "somebody works"):
        assert path.read_text() == f"{os.getpid()}\n"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_block_that_raises_frees_it(tmp_path: Path) -> None:
    path = tmp_path / "run.lock"
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), exclusive_lock(path, "somebody works"):
            raise ZeroDivisionError
