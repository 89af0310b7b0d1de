"""Going through articles one by one: which, and in which order.

Only their IDs are read at the beginning. An article itself is read when its turn comes (``news.reading.listed``), so
that going through fifty thousand begins and goes on at once.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from iscore.core.clock import Clock
from iscore.core.data_folder import DataFolder
from iscore.core.errors import DigestError
from iscore.services.container import Composition
from iscore.services.postponed import forget_oldest, put_off, put_off_too
from iscore.services.view_builders import learning
from iscore.services.views.review import Outlook, ReviewQueueView
from storage import articles, decisions, deliveries, feedback, verdict_queries
from storage.database import Database


class ReviewQueue:
    """What one person has to go through. ``catch_up`` learns what was said since, if anything was."""

    def __init__(
        self, home: DataFolder, database: Database, parts: Composition, clock: Clock, catch_up: Callable[[], None]
    ) -> None:
        self._home = home
        self._database = database
        self._parts = parts
        self._clock = clock
        self._catch_up = catch_up

    def inbox(self, *, everything: bool = False) -> ReviewQueueView:
        """List what waits, best first and what was put off before last; with ``everything`` what was held back, too."""
        self._catch_up()
        forget_oldest(self._home.put_off)
        with self._database.read() as tx:
            ids = decisions.inbox_ids(tx, self._parts.user.id, self._since(), everything=everything)
        waiting = set(ids)
        last = [each for each in put_off(self._home.put_off) if each in waiting]
        first = dict.fromkeys(ids)
        for each in last:
            del first[each]
        return ReviewQueueView((*first, *last), {}, len(last), "")

    def digest(self) -> ReviewQueueView:
        """List the last digest by number, with what has been said of it. Raises ``DigestError`` without any."""
        user = self._parts.user.id
        with self._database.read() as tx:
            newest = deliveries.newest_edition(tx, user)
            if newest is None:
                raise DigestError("there has been no digest yet; `iscore digest` makes one")
            known = articles.get(tx, [each.seq for each in deliveries.edition(tx, user, newest)])
            verdicts = verdict_queries.verdicts(tx, user, [each.seq for each in known])
        said = {each.id: verdicts[each.seq] for each in known if each.seq in verdicts}
        return ReviewQueueView(tuple(each.id for each in known), said, 0, newest)

    def put_off(self, article_id: str) -> None:
        """Let an article come last the next time. Raises ``OSError``."""
        put_off_too(self._home.put_off, article_id)

    def outlook(self) -> Outlook:
        """Count what waits, and what has been said in all. Learns nothing."""
        user = self._parts.user.id
        with self._database.read() as tx:
            return Outlook(decisions.inbox_count(tx, user, self._since()), learning(feedback.tally(tx, user)))

    def ruled_out(self) -> frozenset[str]:
        """Name the articles that the person's own rules never let through."""
        with self._database.read() as tx:
            return frozenset(decisions.ruled_out(tx, self._parts.user.id))

    def _since(self) -> datetime:
        return self._clock() - self._parts.window
