"""A disk of some megabytes: a file system of its own, which can be filled to the last byte."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """Mount one; skip the test where that is not allowed."""
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    if mount is None or unmount is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={megabytes}m,mode=0700", "iscore-test", str(folder)]
    done = subprocess.run([mount, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run([unmount, "--lazy", str(folder)], check=True)


def protect(disk: Path) -> None:
    """Let nobody write on it any more, not even root."""
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)


def fill(disk: Path) -> Path:
    """Leave no byte on it; return the file that takes the room."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for block in (1 << 16, 1):
            while written(file, b"\0" * block):
                pass
    return ballast


def written(file: FileIO, block: bytes) -> bool:
    """Write a block; tell whether there was room."""
    try:
        file.write(block)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        return False
    return True
