"""Lists keep their order while the user votes through them.

Each verdict changes the scores of all other stories. A list that re-sorted itself after each click could not be read,
so the order is cached until the user loads the list again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

MAX_LISTS = 64
"""Over all browsers; older ones are dropped."""


class ListCache:
    """Ordered article ids by session and the address of their list."""

    def __init__(self) -> None:
        self._lists: OrderedDict[tuple[str, str], tuple[str, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, session: str, name: str, ids: Sequence[str]) -> None:
        """Cache a list."""
        with self._lock:
            self._lists.pop((session, name), None)
            self._lists[session, name] = tuple(ids)
            if len(self._lists) > MAX_LISTS:
                self._lists.popitem(last=False)

    def above(self, session: str, name: str, article_id: str) -> Sequence[str]:
        """Return what the pages of a list have shown above an article, in order; empty if they have not shown it."""
        later = f"{name}?after=", f"{name}&after="
        with self._lock:
            pages = [page for owner, page in self._lists if owner == session and page.startswith(later)]
            found = [each for page in (name, *pages) for each in self._lists.get((session, page), ())]
        return found[: found.index(article_id)] if article_id in found else ()

    def get(self, session: str, name: str) -> tuple[str, ...] | None:
        """Return a cached list; None if there is none."""
        with self._lock:
            return self._lists.get((session, name))

    def last_with(self, session: str, article_id: str) -> tuple[str, tuple[str, ...]]:
        """Return the address and the ids of the last list of a session that has an article; empty without any."""
        with self._lock:
            for (owner, name), ids in reversed(self._lists.items()):
                if owner == session and article_id in ids:
                    return name, ids
        return "", ()


def behind(ids: Sequence[str], current: str) -> Sequence[str]:
    """Return the ids after ``current``; none if it is not listed."""
    return ids[ids.index(current) + 1 :] if current in ids else ()
