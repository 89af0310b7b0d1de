"""Lists that stay as they were while somebody votes their way through them.

Each verdict changes what the filter thinks of everything else. A list that sorted itself anew below one's fingers could
not be read, so that the order is taken down when a list is asked for, and kept until it is asked for again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

KEPT = 64
"""Lists, over all browsers; an older one is simply made anew."""


class Shelves:
    """Lists of ids, by browser and by the list's name."""

    def __init__(self) -> None:
        self._lists: OrderedDict[tuple[str, str], tuple[str, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, session: str, name: str, ids: Sequence[str]) -> None:
        """Take a list down."""
        with self._lock:
            self._lists.pop((session, name), None)
            self._lists[session, name] = tuple(ids)
            if len(self._lists) > KEPT:
                self._lists.popitem(last=False)

    def get(self, session: str, name: str) -> tuple[str, ...] | None:
        """Return a list as it was; None when it is not there any more."""
        with self._lock:
            return self._lists.get((session, name))


def after(ids: Sequence[str], current: str, judged: frozenset[str] = frozenset()) -> str:
    """Return what comes behind ``current`` and waits; empty at the end, and when ``current`` is not in the list."""
    if current not in ids:
        return ""
    behind = ids[ids.index(current) + 1 :]
    return next((each for each in behind if each not in judged), "")
