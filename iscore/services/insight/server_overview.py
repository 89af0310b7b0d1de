"""A server as its admins see it: people, what waits, what was set aside, hosts and broken feeds.

Nothing says what anybody reads, or who follows which feed, and addresses of feeds are without what may be a secret.
"""

from __future__ import annotations

from iscore.core.clock import Clock
from iscore.feeds.urls import hide_secrets, without_secrets
from iscore.services.views.status import BrokenFeedView, ServerView, SetAsideView
from storage.exchange import server_counts
from storage.opening.database import Database
from storage.people import users
from storage.records.work import Task
from storage.work import work

MOST_FEEDS = 200
"""Broken feeds that are listed."""


class ServerOverview:
    """The state of a server."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def view(self) -> ServerView:
        """Return the state as it is now."""
        now = self._clock()
        with self._database.read() as tx:
            counts = server_counts.server_counts(tx, now)
            aside = work.set_aside(tx)
            names = {each.id: each.name for each in users.list_users(tx)} if aside else {}
            hosts = server_counts.hosts(tx, now)
            broken = server_counts.broken_feeds(tx, MOST_FEEDS)
        return ServerView(
            database=self._database.name,
            size=self._database.size(),
            counts=counts,
            set_aside=tuple(
                SetAsideView(
                    each.task, each.key, names.get(each.user_id or 0, ""), each.since, hide_secrets(each.reason)
                )
                for each in aside
            ),
            hosts=tuple(hosts),
            broken=tuple(
                BrokenFeedView(without_secrets(each.url), hide_secrets(each.error), each.failures, each.last_success)
                for each in broken
            ),
        )

    def try_again(self, task: str, key: str) -> bool:
        """Let workers do again what was set aside; return whether it was. Raises ``ValueError`` for no task."""
        with self._database.write_work() as tx:
            return work.try_again(tx, Task(task), key, work.now(tx))
