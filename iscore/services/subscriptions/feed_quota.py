"""How many feeds a reader may follow on a server of several people, and how often these may be polled.

Admins have no quota, so neither has who is alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from iscore.core.translation import gettext, grouped, ngettext
from iscore.feeds.errors import SubscriptionsError
from iscore.services.session.user_session import UserSession
from storage.people import users
from storage.records.feeds import Subscription
from storage.records.users import Role


class FeedQuota:
    """The quota of one user, by the settings ``reader_feeds`` and ``reader_interval``."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context

    def most(self) -> int | None:
        """Return how many feeds the user may follow; None: any number. Raises ``ConfigError``."""
        with self._database.read() as tx:
            role = users.get(tx, self._context.user_id).role
        return None if role is Role.ADMIN else self._context.settings.reader_feeds

    def require(self, wanted: int) -> None:
        """Raise ``SubscriptionsError`` if the user may not follow so many feeds."""
        most = self.most()
        if most is not None and wanted > most:
            message = gettext("you can follow %(most)s feeds on this server; remove some first", most=grouped(most))
            raise SubscriptionsError(self._context.feeds, message)

    def applied(self, wanted: Sequence[Subscription]) -> tuple[Sequence[Subscription], tuple[str, ...]]:
        """Return the subscriptions that the user may have, the first ones, and a warning if some are left out.

        Intervals that are too short count as the shortest.
        """
        most = self.most()
        if most is None:
            return wanted, ()
        shortest = self._context.settings.reader_interval
        allowed = [
            each if each.interval is None else replace(each, interval=max(each.interval, shortest))
            for each in wanted[:most]
        ]
        if len(wanted) <= most:
            return allowed, ()
        warning = ngettext(
            "%(count)s feed at the end of your list is not followed: you can follow %(most)s on this server",
            "%(count)s feeds at the end of your list are not followed: you can follow %(most)s on this server",
            len(wanted) - most,
            most=grouped(most),
        )
        return allowed, (warning,)
