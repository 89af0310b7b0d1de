"""Subscriptions of feeds at hubs (WebSub), and what these push.

    a poll finds a hub ─► name ─► claim ─► the hub is asked ─► verify: the hub agrees ─► push ─► the next poll
                                    ▲                               │                             reads it: record
                                    └── before the lease ends ──────┘

A feed has one subscription at most. Its callback address has a key of its own, so what a hub pushes can concern no
other feed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Row, and_, delete, func, insert, literal, or_, select, update

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import among, chunks
from storage.records.feeds import Hub, HubSubscription, PushedDocument
from storage.schema import feeds, hub_subscriptions, pushed_documents, subscriptions

ANSWER = timedelta(days=1)
"""After a request, the hub may verify it for so long."""
LONGEST_LEASE = timedelta(days=30)
"""Whatever the hub says."""
RENEWAL = 0.8
"""Share of the lease after which it is renewed."""
PAUSES = tuple(timedelta(hours=hours) for hours in (1, 3, 8, 24))
"""After a request that the hub has not agreed to; the last one repeats."""
DENIED_PAUSE = timedelta(days=7)
MOST_ENDING = 3
"""Requests to end a subscription; then it is forgotten, and the hub's lease ends by itself."""
MOST_WAITING = 20
"""Documents of a feed that wait for the next poll."""
MOST_BYTES = 50_000_000
"""Of all documents that wait."""
MOST_OF_HUB = 15_000_000
"""Bytes of those of one host's hubs, so that it cannot fill the store for others."""

_c, _d = hub_subscriptions.c, pushed_documents.c
_IS_FOLLOWED = select(subscriptions.c.feed_id).where(
    subscriptions.c.feed_id == hub_subscriptions.c.feed_id, subscriptions.c.enabled
)


def name(tx: Transaction, feed_id: int, hub: Hub | None, now: datetime, *, key: str, secret: str) -> None:
    """Record the hub that a feed names, which is then asked; None ends a subscription.

    ``key`` and ``secret`` are those of a new subscription, at another hub or under another topic than so far.
    """
    mine = _c.feed_id == feed_id
    known = tx.connection.execute(select(hub_subscriptions).where(mine)).one_or_none()
    if hub is None:
        if known is not None and not known.ending:
            tx.connection.execute(update(hub_subscriptions).where(mine).values(ending=True, next_attempt=now))
    elif known is not None and not known.ending and (known.hub, known.topic) == (hub.address, hub.topic):
        if known.base != hub.base:
            tx.connection.execute(update(hub_subscriptions).where(mine).values(base=hub.base))
    else:
        _forget(tx, [feed_id])
        values: dict[str, Any] = {"hub": hub.address, "topic": hub.topic, "base": hub.base}
        values |= {"key": key, "secret": secret, "callback": "", "ending": False}
        values |= {"next_attempt": now, "failures": 0, "error": ""}
        tx.connection.execute(insert(hub_subscriptions).values(feed_id=feed_id, **values))


def of_feeds(tx: Transaction, feed_ids: Collection[int]) -> dict[int, HubSubscription]:
    """Return the subscriptions of those feeds that have one, by number of feed."""
    found: dict[int, HubSubscription] = {}
    for piece in chunks(sorted(feed_ids)):
        rows = tx.connection.execute(select(hub_subscriptions).where(among(_c.feed_id, piece)))
        found |= {row.feed_id: _subscription(row) for row in rows}
    return found


def by_key(tx: Transaction, key: str) -> HubSubscription | None:
    """Return the subscription whose callback address has this key, if anybody still follows its feed."""
    row = tx.connection.execute(select(hub_subscriptions).where(_c.key == key, _IS_FOLLOWED.exists())).one_or_none()
    return _subscription(row) if row else None


def claim(tx: Transaction, now: datetime, callbacks: str, most: int) -> list[HubSubscription]:
    """Return what hubs are to be asked now, as if they had been asked, so that nobody else asks them.

    ``callbacks`` is what callback addresses begin with. If it has changed, hubs are given their new addresses. A
    subscription of a feed that nobody follows any more ends; one that cannot be ended is forgotten.
    """
    unwanted = ~_c.ending, ~_IS_FOLLOWED.exists()
    tx.connection.execute(update(hub_subscriptions).where(*unwanted).values(ending=True, next_attempt=now))
    finished = or_(_c.callback == "", _c.lease_until.is_(None), _c.lease_until <= now, _c.failures >= MOST_ENDING)
    over = select(_c.feed_id).where(_c.ending, _c.next_attempt <= now, finished)
    _forget(tx, list(tx.connection.execute(over).scalars()))
    moved = and_(_c.callback != "", _c.callback != literal(callbacks) + _c.key, ~_c.ending)
    query = select(hub_subscriptions).where(or_(_c.next_attempt <= now, moved)).order_by(_c.next_attempt, _c.feed_id)
    claimed: list[HubSubscription] = []
    for row in tx.connection.execute(query.limit(most)).all():
        callback = row.callback if row.ending else callbacks + row.key
        values: dict[str, Any] = {"asked": now, "callback": callback, "failures": row.failures + 1}
        values["next_attempt"] = now + PAUSES[min(row.failures, len(PAUSES) - 1)]
        if callback != row.callback:
            values["lease_until"] = None
        tx.connection.execute(update(hub_subscriptions).where(_c.feed_id == row.feed_id).values(values))
        claimed += of_feeds(tx, [row.feed_id]).values()
    return claimed


def set_error(tx: Transaction, asked: HubSubscription, error: str) -> None:
    """Record why a hub could not be asked, unless it has agreed meanwhile."""
    same = _c.key == asked.key, _c.asked == asked.asked, _c.failures > 0
    tx.connection.execute(update(hub_subscriptions).where(*same).values(error=error))


def verify(
    tx: Transaction, key: str, topic: str, now: datetime, *, ending: bool, lease: timedelta = timedelta(0)
) -> bool:
    """Record that a hub agrees, and return True, if that was asked of it within ``ANSWER``.

    ``lease``: for how long it subscribes; ``ending``: it ends the subscription, which is forgotten.
    """
    found = by_key(tx, key) if not ending else _any_by_key(tx, key)
    if found is None or found.hub.topic != topic or found.ending != ending or found.asked is None:
        return False
    if not abs(now - found.asked) <= ANSWER:
        return False
    if ending:
        _forget(tx, [found.feed_id])
        return True
    lease = min(lease, LONGEST_LEASE)
    values = {"lease_until": now + lease, "next_attempt": now + RENEWAL * lease, "failures": 0, "error": ""}
    tx.connection.execute(update(hub_subscriptions).where(_c.key == key).values(values))
    return True


def deny(tx: Transaction, key: str, topic: str, error: str, now: datetime) -> None:
    """Record that a hub refuses: the feed is polled as usual, at once for the first time."""
    found = by_key(tx, key)
    if found is None or found.hub.topic != topic:
        return
    values = {"lease_until": None, "error": error, "next_attempt": now + DENIED_PAUSE}
    tx.connection.execute(update(hub_subscriptions).where(_c.key == key).values(values))
    _make_due(tx, [found.feed_id], now)


def any_known(tx: Transaction) -> bool:
    """Return whether there is a subscription."""
    return tx.connection.execute(select(_c.feed_id).limit(1)).first() is not None


def end_all(tx: Transaction, now: datetime) -> None:
    """Forget all subscriptions and what waits: feeds are polled as usual, at once for the first time."""
    known = list(tx.connection.execute(select(_c.feed_id)).scalars())
    _make_due(tx, known, now)
    _forget(tx, known)


def push(tx: Transaction, feed_id: int, at: datetime, content_type: str, body: bytes) -> bool:
    """Have the next poll read a document, which is due now; False if too many are waiting, or too much of its hub."""
    count: int = tx.connection.execute(select(func.count()).where(_d.feed_id == feed_id)).scalar_one()
    sizes = select(_c.hub, func.sum(func.length(_d.body))).join_from(
        pushed_documents, hub_subscriptions, _c.feed_id == _d.feed_id
    )
    waiting = [(host(hub), size) for hub, size in tx.connection.execute(sizes.group_by(_c.hub))]
    mine = host(tx.connection.execute(select(_c.hub).where(_c.feed_id == feed_id)).scalar() or "")
    of_hub = sum(size for each, size in waiting if each == mine)
    of_all = sum(size for _, size in waiting)
    if count >= MOST_WAITING or of_hub + len(body) > MOST_OF_HUB or of_all + len(body) > MOST_BYTES:
        return False
    values = {"feed_id": feed_id, "at": at, "content_type": content_type, "body": body}
    tx.connection.execute(insert(pushed_documents).values(values))
    _make_due(tx, [feed_id], at)
    return True


def host(hub: str) -> str:
    """Return the host of a hub: one host may have any number of addresses."""
    return urlsplit(hub).hostname or hub


def with_documents(tx: Transaction, feed_ids: Collection[int]) -> set[int]:
    """Return those of some feeds of which documents wait."""
    found: set[int] = set()
    for piece in chunks(sorted(feed_ids)):
        found |= set(tx.connection.execute(select(_d.feed_id).where(among(_d.feed_id, piece))).scalars())
    return found


def documents(tx: Transaction, feed_id: int) -> list[PushedDocument]:
    """Return the documents of a feed that wait, the oldest first."""
    query = select(_d.id, _d.content_type, _d.body).where(_d.feed_id == feed_id).order_by(_d.id)
    return [PushedDocument(*row) for row in tx.connection.execute(query)]


def record(tx: Transaction, feed_id: int, read: Sequence[int], now: datetime, *, delivered: bool) -> None:
    """Delete documents that were read. ``delivered``: whether they were a feed; so the hub does push.

    If others have come meanwhile, the feed is due again.
    """
    tx.connection.execute(delete(pushed_documents).where(_d.id.in_(list(read))))
    if delivered:
        values = {"pushed": now, "missed": None}
        tx.connection.execute(update(hub_subscriptions).where(_c.feed_id == feed_id).values(values))
    _make_due(tx, with_documents(tx, [feed_id]), now)


def miss(tx: Transaction, feed_id: int, now: datetime, next_due: datetime) -> None:
    """Record that a poll found what the hub had not pushed: the feed is polled as usual until the hub pushes."""
    tx.connection.execute(update(hub_subscriptions).where(_c.feed_id == feed_id).values(missed=now))
    _make_due(tx, [feed_id], next_due)


def forget(tx: Transaction, feed_ids: Collection[int]) -> None:
    """Forget the subscriptions of some feeds, and what waits of them. Hubs are not asked."""
    _forget(tx, sorted(feed_ids))


def _forget(tx: Transaction, feed_ids: Sequence[int]) -> None:
    for piece in chunks(feed_ids):
        tx.connection.execute(delete(pushed_documents).where(among(_d.feed_id, piece)))
        tx.connection.execute(delete(hub_subscriptions).where(among(_c.feed_id, piece)))


def _make_due(tx: Transaction, feed_ids: Collection[int], at: datetime) -> None:
    for piece in chunks(sorted(feed_ids)):
        later = among(feeds.c.id, piece), feeds.c.next_due > at
        tx.connection.execute(update(feeds).where(*later).values(next_due=at))


def _any_by_key(tx: Transaction, key: str) -> HubSubscription | None:
    row = tx.connection.execute(select(hub_subscriptions).where(_c.key == key)).one_or_none()
    return _subscription(row) if row else None


def _subscription(row: Row[Any]) -> HubSubscription:
    return HubSubscription(
        feed_id=row.feed_id,
        hub=Hub(row.hub, row.topic, row.base),
        key=row.key,
        secret=row.secret,
        callback=row.callback,
        ending=row.ending,
        asked=row.asked,
        lease_until=row.lease_until,
        next_attempt=row.next_attempt,
        failures=row.failures,
        error=row.error,
        pushed=row.pushed,
        missed=row.missed,
    )
