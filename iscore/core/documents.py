"""Texts that users write and iScore edits: feeds.yaml, rules.yaml, config.toml. A text is a file, or kept elsewhere.

An edit reads a text, and replaces it only if it is still what was read. If it has changed meanwhile, the edit begins
again.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from iscore.core.errors import IscoreError
from iscore.core.file_access import errors_about

TRIES = 20
"""Times that an edit begins again."""

Result = TypeVar("Result")


class StoredText(Protocol):
    """A text that is kept elsewhere than in a file. Its ``str`` names it in messages."""

    def exists(self) -> bool:
        """Whether there is a text."""

    def read(self, limit: int) -> bytes:
        """Return its first bytes, at most ``limit``. Raises ``OSError``."""

    def replace(self, text: str, *, before: str) -> None:
        """Replace it if it is still ``before``. Raises ``DocumentChangedError``, ``OSError``."""


Document = Path | StoredText


class DocumentChangedError(IscoreError):
    """A text is not what it was when it was read."""

    def __init__(self, document: Document) -> None:
        super().__init__(f"{document} was changed at the same time; nothing was changed, try again")


def read(document: Document, limit: int = -1) -> bytes:
    """Return the first bytes of a text, at most ``limit``; all for -1. Raises ``OSError`` for a missing file."""
    if not isinstance(document, Path):
        return document.read(limit)
    with document.open("rb") as file:
        return file.read(limit)


def replace(document: Document, text: str, *, before: str) -> None:
    """Replace a text if it is still ``before``; a missing one is empty.

    Raises ``DocumentChangedError``, ``OSError``.
    """
    if not isinstance(document, Path):
        document.replace(text, before=before)
        return
    now = read(document) if document.exists() else b""
    if now.decode("utf-8-sig", "replace") != before:
        raise DocumentChangedError(document)
    replace_file(document, text)


def again_if_changed(edit: Callable[[], Result]) -> Result:
    """Call ``edit``, which reads and replaces a text; again if the text has changed in between."""
    for _ in range(TRIES):
        try:
            return edit()
        except DocumentChangedError:
            continue
    return edit()


def replace_file(path: Path, text: str) -> None:
    """Replace the file atomically: readers see the old text or the new one. Raises ``OSError``."""
    path = path.resolve()
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    with errors_about(path):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        unfinished = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            unfinished.chmod(mode)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
