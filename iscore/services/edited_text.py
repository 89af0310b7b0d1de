"""A text of a user that is edited as a whole: feeds.yaml and rules.yaml, in a file or in the database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from iscore.services.documents import UserDocument


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

        Raises ``SubscriptionsError`` or ``RulesError``, ``DocumentChangedError``, ``OSError``, with nothing changed.
        """
        self.check(text)
        self.document.replace(text, before=before)
        self.apply()
