"""A text of a user that is edited as a whole: feeds.yaml and rules.yaml, in a file or in the database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from iscore.core.errors import ListFileError
from iscore.services.session.documents import UserDocument


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
