"""Processor time, summed over all processes that belong to a piece of work."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def spent() -> float:
    """Return the processor seconds of this process so far, of its ended children, and of those that live.

    Living children are read from Linux's ``/proc``; elsewhere they count when they have ended.
    """
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime + sum(map(_of_process, _children()))


def of_command(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> tuple[float, str]:
    """Run a command to its end; return its processor seconds, its children's included, and what it printed.

    Raises ``RuntimeError`` when it fails.
    """
    complete = dict(os.environ) | dict(environment or {})
    complete.pop("PYTHONDONTWRITEBYTECODE", None)  # it would have every command compile its sources anew
    with (
        tempfile.TemporaryFile("w+") as messages,
        subprocess.Popen(arguments, env=complete, stdout=subprocess.PIPE, stderr=messages, text=True) as process,
    ):
        assert process.stdout is not None
        printed = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            messages.seek(0)
            raise RuntimeError(f"{' '.join(arguments)} ended with {process.returncode}: {messages.read()[-2000:]}")
    return used.ru_utime + used.ru_stime, printed


def of_module(module: str, *arguments: str) -> Any:
    """Run a module of ours in a fresh process, and return the JSON that it printed last."""
    _, printed = of_command([sys.executable, "-m", module, *arguments])
    return json.loads(printed.splitlines()[-1])


def program() -> str:
    """Return the path of the installed command ``iscore``."""
    return str(Path(sys.executable).with_name("iscore"))


def _children() -> list[str]:
    tasks = Path("/proc/self/task")
    if not tasks.exists():
        return []
    return [child for task in tasks.iterdir() for child in (task / "children").read_text().split()]


def _of_process(pid: str) -> float:
    return sum(int((task / "schedstat").read_text().split()[0]) for task in Path(f"/proc/{pid}/task").iterdir()) / 1e9
