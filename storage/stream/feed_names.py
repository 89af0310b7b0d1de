"""What feeds are called: in lists, by rules, and by users who look for one.

The name that a list shows is the user's own from feeds.yaml, else the feed's title, else its host. Learning knows a
source by ``feeds.name`` alone, as it was at an article's arrival.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import func, select

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import among, among_few, chunks
from storage.schema import articles, current_scores, feeds, subscriptions
from storage.stream.addresses import IMPORTED_ITEMS, address_without_password, site


@dataclass(frozen=True, slots=True)
class FeedNames:
    """All names of a feed, for one user."""

    own: str
    """As the user calls it in feeds.yaml; mostly empty."""
    name: str
    """The feed's title, else its address without password; empty for imported items."""
    hosts: tuple[str, ...]
    """Of its address and of its site."""
    tags: tuple[str, ...]
    """The user's."""
    address: str = ""
    """Without password, only if another feed that is followed has the same name."""

    @property
    def shown(self) -> str:
        """The name in lists."""
        name = self.own or site(self.name) or self.name
        if not self.address:
            return name
        return self.address if self.address.startswith(name) else f"{name} ({self.address})"

    @property
    def known(self) -> tuple[str, ...]:
        """Everything it may be asked for by."""
        return tuple(dict.fromkeys(filter(None, (self.name, self.own, *self.hosts))))


def all_names(tx: Transaction, user_id: int) -> dict[int, FeedNames]:
    """Return the names of the feeds that the user follows, or has articles of, by number.

    The feed of imported items is left out.
    """
    found = followed(tx, user_id)
    scored = among_few(articles.c.seq, select(current_scores.c.seq).where(current_scores.c.user_id == user_id))
    of_scored = select(articles.c.feed_id).where(scored)
    query = select(feeds.c.id, feeds.c.name, feeds.c.url, feeds.c.site_url)
    query = query.where(~feeds.c.url.startswith(IMPORTED_ITEMS), ~among(feeds.c.id, list(found)))
    # A sum uses no index: SQLite then looks at scores only if there is a feed that the user does not follow.
    rows = tx.connection.execute(query.where((feeds.c.id + 0).in_(of_scored)))
    left = {number: FeedNames("", name, (site(url), site(site_url)), ()) for number, name, url, site_url in rows}
    return left | found


def followed(tx: Transaction, user_id: int) -> dict[int, FeedNames]:
    """Return the names of the feeds that the user follows, by number."""
    mine = subscriptions.c.user_id == user_id
    query = select(feeds.c.id, subscriptions.c.title, feeds.c.name, feeds.c.url, feeds.c.site_url, subscriptions.c.tags)
    rows = tx.connection.execute(query.join(subscriptions, subscriptions.c.feed_id == feeds.c.id).where(mine))
    found: dict[int, FeedNames] = {}
    addresses: dict[int, str] = {}
    for number, own, name, url, site_url, tags in rows:
        found[number] = FeedNames(own, name, (site(url), site(site_url)), tags)
        addresses[number] = address_without_password(url).removeprefix("https://").removeprefix("www.")
    often = Counter(each.shown.casefold() for each in found.values())
    return {
        number: replace(each, address=addresses[number]) if often[each.shown.casefold()] > 1 else each
        for number, each in found.items()
    }


def pages(tx: Transaction, feed_ids: Sequence[int]) -> dict[int, str]:
    """Return the addresses of the web pages that some feeds belong to, by number; an address may be empty."""
    found: dict[int, str] = {}
    for piece in chunks(sorted(set(feed_ids))):
        rows = tx.connection.execute(select(feeds.c.id, feeds.c.site_url).where(among(feeds.c.id, piece)))
        found |= dict(rows.all())
    return found


def shown(tx: Transaction, user_id: int, feed_ids: Sequence[int]) -> dict[int, str]:
    """Return the names of some feeds as lists show them, by number."""
    mine = (subscriptions.c.feed_id == feeds.c.id) & (subscriptions.c.user_id == user_id)
    own = func.coalesce(subscriptions.c.title, "")
    found: dict[int, str] = {}
    for piece in chunks(sorted(set(feed_ids))):
        query = select(feeds.c.id, own, feeds.c.name).select_from(feeds.outerjoin(subscriptions, mine))
        rows = tx.connection.execute(query.where(among(feeds.c.id, piece)))
        found |= {number: FeedNames(own, name, (), ()).shown for number, own, name in rows}
    return found
