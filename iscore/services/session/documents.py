"""A user's feeds.yaml, rules.yaml and config.toml, and how one that is edited as a whole is checked and applied.

With one user they are files of the data folder, which one can edit with any editor. With several users they are in the
database, each user's own; then config.toml of the folder has the settings of the server only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from iscore.core import documents as texts
from iscore.core.clock import Clock
from iscore.core.documents import DocumentChangedError
from iscore.core.errors import ListFileError
from storage.engine.transaction import Transaction
from storage.opening.database import Database
from storage.people import documents, users


class UserDocument:
    """A text of one user: a file, or a row of the database as soon as it is there."""

    def __init__(self, database: Database, user_id: int, file: Path, clock: Clock) -> None:
        self.file = file
        self._database = database
        self._user_id = user_id
        self._clock = clock
        self._was_stored = False

    @property
    def is_stored(self) -> bool:
        """Whether it is in the database."""
        if self._was_stored:
            return True
        with self._database.read() as tx:
            return self._is_stored(tx)

    def __str__(self) -> str:
        """Name it as users know it: by its path, or as somebody's.

        ``feeds.yaml of Anna``
        """
        with self._database.read() as tx:
            if not documents.are_stored(tx, self._user_id):
                return str(self.file)
            return f"{self.file.name} of {users.get(tx, self._user_id).name}"

    def exists(self) -> bool:
        """Whether there is a text. In the database there always is one, maybe an empty one."""
        return self.is_stored or self.file.exists()

    def read(self, limit: int = -1) -> bytes:
        """Return its first bytes, at most ``limit``; all for -1. Raises ``OSError`` for a missing file."""
        with self._database.read() as tx:
            text = self._stored(tx)
        if text is None:
            return texts.read(self.file, limit)
        return text.encode()[: limit if limit >= 0 else None]

    def read_or_empty(self) -> bytes:
        """Return all of it; nothing for a missing file."""
        with self._database.read() as tx:
            text = self._stored(tx)
        return self.in_folder() if text is None else text.encode()

    def in_folder(self) -> bytes:
        """Return the text of the file, which has no effect once one is in the database; nothing for a missing file."""
        return texts.read(self.file) if self.file.exists() else b""

    def replace(self, text: str, *, before: str) -> None:
        """Replace it if it is still ``before``. Raises ``DocumentChangedError``, ``OSError``."""
        if not self.is_stored:
            texts.replace(self.file, text, before=before)
            return
        with self._database.write(self._user_id, durable=True) as tx:
            if self._stored(tx) != before:
                raise DocumentChangedError(self)
            documents.put(tx, self._user_id, self.file.name, text, self._clock())

    def store(self, tx: Transaction, text: str, at: datetime) -> None:
        """Put its text into the database, whatever it was before."""
        documents.put(tx, self._user_id, self.file.name, text, at)

    def _stored(self, tx: Transaction) -> str | None:
        """Return what is in the database, empty for nothing yet; None if it is a file."""
        if not self._is_stored(tx):
            return None
        return documents.get(tx, self._user_id, self.file.name) or ""

    def _is_stored(self, tx: Transaction) -> bool:
        """Whether it is in the database, where it then stays."""
        self._was_stored = self._was_stored or documents.are_stored(tx, self._user_id)
        return self._was_stored


@dataclass(frozen=True, slots=True)
class EditedText:
    """A text with what checks it and what applies it."""

    document: UserDocument
    check: Callable[[str], object]
    """Raises for a text that is not valid."""
    apply: Callable[[], object]

    def read(self) -> str:
        """Return the text; empty if there is none."""
        return self.document.read_or_empty().decode("utf-8-sig", "replace")

    def replace(self, text: str, before: str) -> None:
        """Replace the text if it is valid, and still what it was ``before``.

        An empty text is refused: where a program was to write it, the program has probably failed.
        Raises ``ListFileError`` for it, ``SubscriptionsError`` or ``RulesError``, ``DocumentChangedError``,
        ``OSError``, with nothing changed.
        """
        if not text.strip():
            name = self.document.file.stem
            raise ListFileError(self.document, f"the new text is empty; `{name}: []` means no {name}")
        self.check(text)
        self.document.replace(text, before=before)
        self.apply()
