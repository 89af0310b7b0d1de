"""Feeds and subscriptions: one address is polled once for all its subscribers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    bindparam,
    case,
    delete,
    func,
    insert,
    literal,
    null,
    select,
    update,
)

from storage import schema
from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import CHUNK, Bulk, among, chunks
from storage.records.feeds import Feed, FeedOverview, FetchCounts, FetchRecord, Priority, Stored, Subscription
from storage.schema import feeds, subscriptions
from storage.schema.column_types import microseconds_or_none, to_json
from storage.stream import articles
from storage.stream.addresses import address_without_password, host_of, is_remote, login_of, remote_address
from storage.stream.feed_rows import LONGEST_LEASE, feed_of, has_free_host, is_due, is_free, select_followed
from storage.work import work

BEFORE_FOLLOWING = timedelta(days=7)
"""A user who follows a feed that others follow already gets this much of its past."""
SOONEST = timedelta(minutes=15)
"""Since the last attempt, before a user can have a feed asked again."""

_STATE = (
    "name", "title", "site_url", "etag", "last_modified", "body_hash", "items_seen", "next_due",
    "last_attempt", "last_success", "last_change", "failures", "error", "gone_since", "moved_to",
    "moved_since", "ttl_minutes", "skip_hours", "skip_days", "icon",
)  # fmt: skip

_update_state = Bulk(update(feeds).where(feeds.c.id == bindparam("feed")).values(lease_until=null()), _STATE, ["feed"])


def subscribe(tx: Transaction, user_id: int, wishes: Sequence[Subscription]) -> None:
    """Make the user's subscriptions exactly ``wishes``, in this order.

    An address that the user is subscribed to keeps its feed, also if that has moved since. Feeds without subscribers
    stay, with their articles, but are not polled. An address given twice counts once, as first given.

    Feeds that come from another reader server are none of these; they stay. Of a feed that others follow already, what
    arrived in the last ``BEFORE_FOLLOWING`` is decided about as if it were new.
    """
    known = _known(tx, user_id, wishes)
    for url in dict.fromkeys(wish.url for wish in wishes):
        if url not in known:
            known[url] = add(tx, url, address_without_password(url))
    mine = subscriptions.c.user_id == user_id
    before = set(tx.connection.execute(select(subscriptions.c.feed_id).where(mine)).scalars())
    wanted, listed = _wanted(user_id, wishes, known), _listed(tx, user_id)
    for piece in chunks([feed for feed, row in listed.items() if row != wanted.get(feed)]):
        tx.connection.execute(delete(subscriptions).where(mine, among(subscriptions.c.feed_id, piece)))
    if rows := [row for feed, row in wanted.items() if row != listed.get(feed)]:
        tx.connection.execute(insert(subscriptions), rows)
    if new := wanted.keys() - before:
        _decide_again_from(tx, user_id, sorted(new))


def are_followed(tx: Transaction, user_id: int, wishes: Sequence[Subscription]) -> bool:
    """Return whether ``subscribe`` would change nothing."""
    known = _known(tx, user_id, wishes)
    return all(wish.url in known for wish in wishes) and _wanted(user_id, wishes, known) == _listed(tx, user_id)


def are_known(tx: Transaction, user_id: int, wishes: Sequence[Subscription]) -> bool:
    """Return whether ``subscribe`` would add no feed."""
    known = _known(tx, user_id, wishes)
    return all(wish.url in known for wish in wishes)


def add(tx: Transaction, url: str, name: str) -> int:
    """Add a feed that was never polled, and return its number; ``name`` is what readers see of it."""
    row = insert(feeds).values(
        url=url,
        host=host_of(url),
        login=login_of(url),
        name=name,
        title="",
        site_url="",
        items_seen=b"",
        failures=0,
        error="",
        moved_to="",
        skip_hours=(),
        skip_days=(),
        added=work.now(tx),
    )
    key = tx.connection.execute(row).inserted_primary_key
    assert key is not None  # noqa: S101 -- an insert of one row always gives it
    return int(key[0])


def set_first_titles(tx: Transaction, titles: Mapping[str, str]) -> None:
    """Give feeds that have no title yet the one that was seen when they were found, by URL; an empty one is passed by.

    Their first poll writes it again.
    """
    for url, title in titles.items():
        if title:
            untitled = feeds.c.url == url, feeds.c.title == ""
            tx.connection.execute(update(feeds).where(*untitled).values(title=title, name=title))


def claim_due(tx: Transaction, now: datetime, lease_until: datetime, *, force: bool = False) -> list[Feed]:
    """Claim the feeds that are due, so that no other poller does until ``lease_until`` or until they are recorded.

    A feed is due when it has subscribers and its ``next_due`` has come (with ``force``: always), unless another poller
    has claimed it, or a worker its host. ``interval`` is the smallest that its subscribers ask for. A lease is
    cut to ``LONGEST_LEASE``.

    What was written while the clock was ahead is ignored: a ``next_due`` more than ``LONGEST_WAIT`` away, an attempt in
    the future, a lease longer than any.
    """
    lease_until = min(lease_until, now + LONGEST_LEASE)
    query = select_followed(subscriptions.c.enabled, is_free(now), has_free_host(now)).order_by(feeds.c.id)
    found = [feed_of(row) for row in tx.connection.execute(query if force else query.where(is_due(now)))]
    for piece in chunks([feed.id for feed in found]):
        tx.connection.execute(update(feeds).where(among(feeds.c.id, piece)).values(lease_until=lease_until))
    return found


def any_due(tx: Transaction, now: datetime) -> bool:
    """Return whether ``claim_due`` would find a feed."""
    query = select_followed(subscriptions.c.enabled, is_free(now), has_free_host(now), is_due(now)).limit(1)
    return tx.connection.execute(query).first() is not None


def next_due(tx: Transaction, now: datetime) -> datetime | None:
    """Return when the first feed is due, at the earliest ``now``; None without subscriptions."""
    query = select(func.min(func.coalesce(feeds.c.next_due, literal(now, feeds.c.next_due.type))).label("due")).join(
        subscriptions, subscriptions.c.feed_id == feeds.c.id
    )
    found = tx.connection.execute(query.where(subscriptions.c.enabled)).scalar()
    return None if found is None else max(found, now)


def bring_forward(tx: Transaction, user_id: int, feed_ids: Sequence[int], now: datetime) -> None:
    """Make feeds due that the user follows: not those that failed, nor those that were asked in the last minutes."""
    mine = select(subscriptions.c.feed_id).where(subscriptions.c.user_id == user_id)
    waiting = feeds.c.next_due > now, feeds.c.failures == 0, feeds.c.last_attempt < now - SOONEST
    for piece in chunks(feed_ids):
        wanted = among(feeds.c.id, piece), feeds.c.id.in_(mine)
        tx.connection.execute(update(feeds).where(*wanted, *waiting).values(next_due=now))


def release(tx: Transaction, feed_ids: Sequence[int]) -> None:
    """Release feeds that were claimed and not polled."""
    for piece in chunks(feed_ids):
        tx.connection.execute(update(feeds).where(among(feeds.c.id, piece)).values(lease_until=None))


def record(tx: Transaction, records: Sequence[FetchRecord]) -> list[Stored]:
    """Write what some fetches found: the feeds' new state, their new articles, and changes to known ones.

    The lease ends. A feed whose new address is another feed's keeps its old one. Recording the same again
    changes nothing. One answer for each of ``records``, in their order.
    """
    addresses: dict[int, str] = {}
    for piece in chunks([fetched.feed.id for fetched in records]):
        rows = tx.connection.execute(select(feeds.c.id, feeds.c.url).where(among(feeds.c.id, piece)))
        addresses |= dict(rows.all())
    for fetched in records:
        if fetched.feed.url != addresses.get(fetched.feed.id):
            _move(tx, fetched.feed, addresses)
    _update_state.run(tx, [_state(fetched.feed) for fetched in records])
    return [
        articles.store(
            tx,
            fetched.feed.id,
            addresses[fetched.feed.id],
            fetched.articles,
            fetched.at,
            keep_longer=fetched.feed.fulltext,  # the text is the article's page's; a feed's teaser must not replace it
        )
        if fetched.articles
        else Stored(0, 0)
        for fetched in records
    ]


def count_followed(tx: Transaction, user_id: int) -> int:
    """Count the user's subscriptions."""
    query = select(func.count()).select_from(subscriptions).where(subscriptions.c.user_id == user_id)
    return int(tx.connection.execute(query).scalar_one())


def count_listed(tx: Transaction, user_ids: Sequence[int] | None = None) -> dict[int, int]:
    """Count each user's subscriptions of feeds.yaml, or those of some users; who has none is left out."""
    c = subscriptions.c
    query = select(c.user_id, func.count()).where(~is_remote(c.url)).group_by(c.user_id)
    if user_ids is not None:
        query = query.where(among(c.user_id, user_ids))
    return dict(tx.connection.execute(query).all())


def fetched(tx: Transaction, user_id: int) -> FetchCounts:
    """Count a user's feeds of feeds.yaml by how far they have been fetched."""
    c, failed = feeds.c, feeds.c.error != ""
    mine = subscriptions.c.user_id == user_id, subscriptions.c.enabled, ~is_remote(subscriptions.c.url)
    joined = feeds.join(subscriptions, subscriptions.c.feed_id == c.id)
    counted = func.count(), func.count(c.last_attempt), func.count(case((failed, 1))), func.min(c.next_due)
    wanted, asked, failures, due = tx.connection.execute(select(*counted).select_from(joined).where(*mine)).one()
    errors = select(c.error).select_from(joined).where(*mine, failed).group_by(c.error)
    error = tx.connection.execute(errors.order_by(func.count().desc(), c.error).limit(1)).scalar() if failures else ""
    return FetchCounts(wanted, asked, failures, due, error or "")


def overview(tx: Transaction, user_id: int) -> list[FeedOverview]:
    """List one user's subscriptions of feeds.yaml in their order, each with its feed and count of articles."""
    brought, mine = schema.articles.c.feed_id, subscriptions.c.user_id == user_id
    query = select(brought, func.count()).where(brought.in_(select(subscriptions.c.feed_id).where(mine)))
    counts: dict[int, int] = dict(tx.connection.execute(query.group_by(brought)).all())
    return [
        FeedOverview(wish, feed, counts.get(feed.id, 0))
        for wish, feed in followed(tx, user_id)
        if not wish.url.startswith(remote_address())
    ]


def followed(tx: Transaction, user_id: int) -> list[tuple[Subscription, Feed]]:
    """List one user's subscriptions in their order, each with its feed; those from another reader server last."""
    mine = subscriptions.c.user_id == user_id
    query = select_followed().where(feeds.c.id.in_(select(subscriptions.c.feed_id).where(mine)))
    found = {row.id: feed_of(row) for row in tx.connection.execute(query)}
    rows = tx.connection.execute(select(subscriptions).where(mine).order_by(subscriptions.c.position))
    return [
        (
            Subscription(row.url, row.title, row.tags, row.interval, row.fulltext, row.enabled, Priority(row.priority)),
            found[row.feed_id],
        )
        for row in rows
    ]


def _known(tx: Transaction, user_id: int, wishes: Sequence[Subscription]) -> dict[str, int]:
    """Return the feeds of those addresses that there are: by the user's subscriptions, else by the feeds' own."""
    c, known = subscriptions.c, dict[str, int]()
    urls = list({wish.url for wish in wishes})
    for start in range(0, len(urls), CHUNK):
        piece = urls[start : start + CHUNK]
        known |= dict(tx.connection.execute(select(feeds.c.url, feeds.c.id).where(feeds.c.url.in_(piece))).all())
    mine: dict[str, int] = dict(tx.connection.execute(select(c.url, c.feed_id).where(c.user_id == user_id)).all())
    return known | {url: mine[url] for url in urls if url in mine}


def _wanted(user_id: int, wishes: Sequence[Subscription], known: Mapping[str, int]) -> dict[int, dict[str, Any]]:
    """Return the rows of ``subscriptions`` that ``wishes`` make, by feed."""
    first = {wish.url: wish for wish in reversed(wishes)}
    rows: dict[int, dict[str, Any]] = {}
    for position, url in enumerate(dict.fromkeys(wish.url for wish in wishes)):
        wish = first[url]
        rows.setdefault(  # two addresses may have turned out to be one feed
            known[url],
            {
                "user_id": user_id,
                "feed_id": known[url],
                "url": url,
                "title": wish.title,
                "tags": wish.tags,
                "interval": wish.interval,
                "fulltext": wish.fulltext,
                "enabled": wish.enabled,
                "position": position,
                "priority": wish.priority,
            },
        )
    return rows


def _listed(tx: Transaction, user_id: int) -> dict[int, dict[str, Any]]:
    """Return the user's rows of ``subscriptions`` but those from another reader server, by feed."""
    query = select(subscriptions).where(subscriptions.c.user_id == user_id, ~is_remote(subscriptions.c.url))
    return {row["feed_id"]: dict(row) for row in tx.connection.execute(query).mappings()}


def _state(feed: Feed) -> tuple[Any, ...]:
    return (
        feed.title or address_without_password(feed.url),
        feed.title,
        feed.site_url,
        feed.etag,
        feed.last_modified,
        feed.body_hash,
        feed.items_seen,
        microseconds_or_none(feed.next_due),
        microseconds_or_none(feed.last_attempt),
        microseconds_or_none(feed.last_success),
        microseconds_or_none(feed.last_change),
        feed.failures,
        feed.error,
        microseconds_or_none(feed.gone_since),
        feed.moved_to,
        microseconds_or_none(feed.moved_since),
        feed.ttl_minutes,
        to_json(feed.skip_hours),
        to_json(feed.skip_days),
        feed.icon,
        feed.id,
    )


def _decide_again_from(tx: Transaction, user_id: int, feed_ids: Sequence[int]) -> None:
    """Let the search for articles without a decision start before the newest articles of feeds."""
    c = schema.articles.c
    newest = tx.connection.execute(select(c.arrived).order_by(c.seq.desc()).limit(1)).scalar_one_or_none()
    if newest is None:
        return
    firsts = []
    for piece in chunks(feed_ids):
        query = select(func.min(c.seq)).where(among(c.feed_id, piece), c.arrived >= newest - BEFORE_FOLLOWING)
        firsts.append(tx.connection.execute(query).scalar_one())
    first = min((each for each in firsts if each is not None), default=None)
    if first is not None:
        later = (schema.users.c.id == user_id) & (schema.users.c.decided_to >= first)
        tx.connection.execute(update(schema.users).where(later).values(decided_to=first - 1))


def _move(tx: Transaction, feed: Feed, addresses: dict[int, str]) -> None:
    taken = tx.connection.execute(select(feeds.c.id).where(feeds.c.url == feed.url)).first()
    if taken is None:
        values = {"url": feed.url, "host": host_of(feed.url), "login": login_of(feed.url)}
        tx.connection.execute(update(feeds).where(feeds.c.id == feed.id).values(values))
        addresses[feed.id] = feed.url
