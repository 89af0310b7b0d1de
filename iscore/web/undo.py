"""What can be undone: each change is kept in the memory of its user, under a random key, until the server stops."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MOST = 20
"""Changes that are kept."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change that can be undone."""

    words: str
    """What was done, as a sentence."""
    undo: Callable[[], object]


class Changes:
    """The last changes of one user."""

    def __init__(self) -> None:
        self._changes: OrderedDict[str, Change] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, words: str, undo: Callable[[], object]) -> str:
        """Keep a change; return its key."""
        key = secrets.token_urlsafe(16)
        with self._lock:
            self._changes[key] = Change(words, undo)
            while len(self._changes) > MOST:
                self._changes.popitem(last=False)
        return key

    def words(self, key: str) -> str:
        """Return what was done; empty if it cannot be undone any more."""
        with self._lock:
            return self._changes[key].words if key in self._changes else ""

    def undo(self, key: str) -> bool:
        """Undo a change, once; return whether it could be. Raises what the change raises."""
        with self._lock:
            change = self._changes.get(key)
        if change is None:
            return False
        change.undo()
        with self._lock:
            self._changes.pop(key, None)
        return True
