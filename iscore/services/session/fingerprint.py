"""What saved models, current scores and decisions depend on, to the bit, beside the log. Loads nothing heavy."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from iscore import __version__

STATE_VERSION = 5
"""Raised whenever the meaning of a saved state changes."""
DECISION_VERSION = 14
"""Raised whenever the same knowledge would give other decisions: earlier rounds are then no longer compared."""

_SEPARATOR = "; "
_PROCESSOR = 3
"""The place of the processor in a fingerprint."""
_BEGINNING = f"{STATE_VERSION}; {DECISION_VERSION}; iscore {__version__} "


def fingerprint(classifier: str, names: Sequence[str]) -> str:
    """Return versions, processor, classifier and extractors as a text."""
    return _SEPARATOR.join((f"{_BEGINNING}{_versions()}", _processor(), classifier, " ".join(names)))


def differ_in_processor_only(one: str, other: str) -> bool:
    """Return whether two fingerprints are those of the same versions and settings on different processors."""
    parts = [each.split(_SEPARATOR) for each in (one, other)]
    without = [each[:_PROCESSOR] + each[_PROCESSOR + 1 :] for each in parts]
    return one != other and without[0] == without[1]


def is_of_other_version(stored: str) -> bool:
    """Return whether a fingerprint is another version of iScore's, which may score and decide otherwise."""
    return not stored.startswith(_BEGINNING)


def digest(fingerprint: str) -> str:
    """Return a fingerprint in short, as rounds record it."""
    return hashlib.sha256(fingerprint.encode()).hexdigest()[:16]


@cache
def _versions() -> str:
    from importlib.metadata import version

    return " ".join(f"{package} {version(package)}" for package in ("numba", "numpy"))


@cache
def _processor() -> str:
    """Return the processor's name: compiled code is made for it, and may round differently on another."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{platform.machine()} {named[0] if named else platform.processor()}"
