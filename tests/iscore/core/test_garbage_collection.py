"""What a server has freed goes back to the system."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

SCRIPT = """
import gc, os, sys
from pathlib import Path
from iscore.core import garbage_collection

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

if sys.argv[1] == "give back":
    garbage_collection.give_back_memory()
before = resident()
texts = [bytes(1000) for _ in range(60_000)]
texts = texts[::100]  # what remains is everywhere among what was freed
gc.collect()
print(resident() - before)
"""
HAS_TRIM = sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_trim")


def growth(how: str) -> float:
    """Return by how many megabytes a process grew that allocated 60 and freed 59 of them."""
    found = subprocess.run([sys.executable, "-c", SCRIPT, how], check=True, capture_output=True, text=True)
    return float(found.stdout)


@pytest.mark.skipif(not HAS_TRIM, reason="another C library than glibc")
def test_what_was_freed_is_given_back() -> None:
    assert growth("give back") < 20
    assert growth("keep") > 50
