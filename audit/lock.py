"""The lock file: what is pinned to which version, by which hashes, on which systems."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.markers import Marker
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

_HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
_OTHERS = frozenset({"iscore-news", "pip", "setuptools", "wheel"})
"""Installed and not locked: ourselves, and what an environment comes with."""


class LockError(Exception):
    """A line of the lock file that pins nothing, or without a hash."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """One line of the lock file."""

    name: str
    """As the registry normalises it."""
    version: Version
    marker: Marker | None

    @property
    def here(self) -> bool:
        """Whether it is wanted by this Python on this system."""
        return self.marker is None or self.marker.evaluate()


def read(file: Path) -> list[Pinned]:
    """Return what the file pins. Raises ``LockError`` for whatever is not one version with SHA-256 hashes."""
    found = []
    for entry in file.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        line = entry.partition(" #")[0].strip()
        if not line or line.startswith("#"):
            continue
        wanted, *hashes = re.split(r"\s+(?=--)", line)
        try:
            requirement = Requirement(wanted)
        except InvalidRequirement as error:
            raise LockError(f"{wanted!r} is no requirement: {error}") from error
        said = list(requirement.specifier)
        if requirement.url or len(said) != 1 or said[0].operator != "==" or said[0].version.endswith(".*"):
            raise LockError(f"{wanted!r} pins no single version")
        if not hashes or not all(_HASH.fullmatch(each) for each in hashes):
            raise LockError(f"{wanted!r} has no SHA-256 hashes, or something else beside them")
        found.append(Pinned(canonicalize_name(requirement.name), Version(said[0].version), requirement.marker))
    if not found:
        raise LockError(f"{file} pins nothing")
    return found


def differences(locked: list[Pinned]) -> tuple[list[str], list[str]]:
    """Compare with what is installed in this environment.

    Returns what is missing or of another version than locked, and what is installed without being locked.
    """
    installed: dict[str, Version] = {
        canonicalize_name(each.name): Version(each.version) for each in metadata.distributions()
    }
    wanted: dict[str, Version] = {each.name: each.version for each in locked if each.here}
    wrong = [
        f"{name} is locked at {version} and {f'installed at {installed[name]}' if name in installed else 'missing'}"
        for name, version in sorted(wanted.items())
        if installed.get(name) != version
    ]
    return wrong, sorted(installed.keys() - wanted.keys() - _OTHERS)
