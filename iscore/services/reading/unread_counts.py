"""How many stories of each feed are unread: counted once, and then adjusted by what is marked.

    counted at change 7 ─► + change 8 ─► + change 9 ─► now

A change that this process did not make, or that was no mark, is not known here; then everything is counted again.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from storage.engine import changes
from storage.engine.changes import Changes
from storage.engine.transaction import Transaction
from storage.log import marks
from storage.opening.database import Database

MAX_STEPS = 200
"""Changes that are remembered; more at a time are counted again."""


@dataclass(frozen=True, slots=True)
class _Counted:
    since: datetime
    at: Changes
    by_feed: Mapping[int, int]


class UnreadCounts:
    """The unread stories of one user. Threads may share it."""

    def __init__(self, database: Database, user_id: int) -> None:
        self._database = database
        self._user_id = user_id
        self._last: _Counted | None = None
        self._steps: OrderedDict[tuple[int, datetime], Counter[int]] = OrderedDict()
        """What a change added for each feed, by its number and the time from which stories count."""
        self._lock = threading.Lock()

    def by_feed(self, tx: Transaction, since: datetime) -> Mapping[int, int]:
        """Count the unread stories that arrived ``since``, by feed, as ``marks.unread_counts`` does."""
        now = changes.numbers(tx, self._user_id)
        with self._lock:
            last = self._last
            steps = self._between(last, now, since)
        if last is None or steps is None:
            found: Mapping[int, int] = marks.unread_counts(tx, self._user_id, since)
        else:
            total = Counter(last.by_feed)
            for step in steps:
                total.update(step)
            found = {feed: count for feed, count in total.items() if count}
        with self._lock:
            self._last = _Counted(since, now, found)
        return found

    @contextmanager
    def change(self, stories: Sequence[int], since: datetime) -> Iterator[Transaction]:
        """Yield a transaction that changes marks on stories and nothing else, and remember what it adds."""
        with self._database.write(self._user_id, marks_only=True) as tx:
            before = marks.unread_counts(tx, self._user_id, since, stories)
            yield tx
            added = Counter(marks.unread_counts(tx, self._user_id, since, stories))
            added.subtract(before)
            number = changes.numbers(tx, self._user_id).marks + 1
        with self._lock:  # committed, so the number is that of this change
            self._steps[number, since] = added
            while len(self._steps) > MAX_STEPS:
                self._steps.popitem(last=False)

    def _between(self, last: _Counted | None, now: Changes, since: datetime) -> list[Counter[int]] | None:
        """Return what the changes since the last count added; None if one of them is not known."""
        if last is None or (last.since, last.at.others) != (since, now.others):
            return None
        if not 0 <= now.marks - last.at.marks <= MAX_STEPS:
            return None
        steps = [self._steps.get((number, since)) for number in range(last.at.marks + 1, now.marks + 1)]
        return None if None in steps else [each for each in steps if each is not None]
