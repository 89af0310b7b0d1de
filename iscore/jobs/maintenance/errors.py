"""Errors of maintenance."""

from __future__ import annotations

from pathlib import Path

from iscore.core.errors import IscoreError


class BackupError(IscoreError):
    """A backup cannot be written or read."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path


class ExportError(IscoreError):
    """An export cannot be written or read. ``line`` counts from 1; None means the whole file."""

    def __init__(self, place: str, problem: str, *, line: int | None = None) -> None:
        super().__init__(f"{place}:{line}: {problem}" if line is not None else f"{place}: {problem}")
        self.line = line


class PruneError(IscoreError):
    """``iscore prune`` would remove too much."""


class MigrationError(IscoreError):
    """The database cannot be moved."""
