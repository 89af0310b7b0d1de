"""Removes a user with all that is theirs: the one way on which rows of the log and other facts go.

Triggers refuse to delete facts, except those of a user whose role is ``REMOVED``. Nobody else knows this role: it
exists only within the transaction that deletes the user.

Articles that feeds delivered stay, since stories, the stream's statistics and other users' scores are built on them;
their texts go when they are pruned. Of articles that only the user had, the row stays without its content: to delete
one, the database would look for it in a dozen tables that have no index by article. The address of a feed that nobody
follows any more is cut to its site: it may contain a password or a token. Of feeds that came from another reader server
not even the title stays.
"""

from __future__ import annotations

from sqlalchemy import Text, cast, delete, literal, select, update

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import among, chunks
from storage.log.imports import items_address
from storage.log.saved_items import is_saved_item
from storage.people import users
from storage.schema import articles, contents, features, feedback, feeds, icons, metadata, subscriptions, texts
from storage.schema import users as user_rows
from storage.stream import hubs, search_index
from storage.stream.addresses import remote_address, site
from storage.stream.feeds import add as add_feed

REMOVED = "removed"
EMPTIED = "iscore:removed"
"""The address of the feed of articles that were a removed user's own."""


def remove_user(tx: Transaction, user_id: int) -> None:
    """Delete a user and every row that is theirs. Raises ``LastAdmin``, ``UnknownUser``."""
    users.require_another_admin(tx, user_id)
    users.get(tx, user_id)
    tx.connection.execute(update(user_rows).where(user_rows.c.id == user_id).values(role=REMOVED))
    followed = select(subscriptions.c.feed_id).where(subscriptions.c.user_id == user_id)
    rated = select(articles.c.feed_id).join(feedback, feedback.c.seq == articles.c.seq)
    elsewhere = select(feeds.c.id).where(feeds.c.url.startswith(remote_address(user_id)))
    known = followed.union(rated.where(feedback.c.user_id == user_id), elsewhere)
    before = list(tx.connection.execute(known).scalars())
    for table in reversed(metadata.sorted_tables):  # what refers to others first
        if "user_id" in table.columns:
            tx.connection.execute(delete(table).where(table.c.user_id == user_id))
    _remove_imported_items(tx, user_id)
    for feed_id in before:
        _cut_address(tx, feed_id)
    tx.connection.execute(delete(user_rows).where(user_rows.c.id == user_id))


def _remove_imported_items(tx: Transaction, user_id: int) -> None:
    """Empty the articles that only an import brought: they are in nobody else's story, and nobody else sees them."""
    items = select(feeds.c.id).where(feeds.c.url == items_address(user_id))
    own = list(tx.connection.execute(items.union(select(articles.c.feed_id).where(is_saved_item(user_id)))).scalars())
    seqs = list(tx.connection.execute(select(articles.c.seq).where(articles.c.feed_id.in_(own))).scalars())
    search_index.remove(tx, seqs)
    number = cast(articles.c.seq, Text)
    empty = {"feed_id": _feed_of_emptied(tx), "key": number, "id": literal("removed-") + number, "story": 0}
    empty |= dict.fromkeys(("url", "site", "title", "author", "language"), "") | {"categories": (), "published": None}
    empty |= {"links": 0, "pictures": 0, "content_hash": b""}
    for piece in chunks(seqs):
        for table in (texts, contents, features):
            tx.connection.execute(delete(table).where(among(table.c.seq, piece)))
        tx.connection.execute(update(articles).where(among(articles.c.seq, piece)).values(empty))
    tx.connection.execute(delete(feeds).where(feeds.c.id.in_(own)))


def _feed_of_emptied(tx: Transaction) -> int:
    """Return the feed of all emptied articles, made if missing."""
    found: int | None = tx.connection.execute(select(feeds.c.id).where(feeds.c.url == EMPTIED)).scalar_one_or_none()
    return add_feed(tx, EMPTIED, name="") if found is None else found


def _cut_address(tx: Transaction, feed_id: int) -> None:
    """Cut the address of a feed to its site, unless somebody follows it."""
    followed = select(subscriptions.c.feed_id).where(subscriptions.c.feed_id == feed_id).limit(1)
    if tx.connection.execute(followed).first() is not None:
        return
    feed = tx.connection.execute(select(feeds.c.url, feeds.c.title).where(feeds.c.id == feed_id)).one_or_none()
    if feed is None:  # that of the imported items
        return
    url, title = feed
    hubs.forget(tx, [feed_id])
    tx.connection.execute(delete(icons).where(icons.c.feed_id == feed_id))
    host = site(url)
    if url.startswith(remote_address()):  # nobody else has ever followed it
        host, title = "elsewhere", ""
    values = {"url": f"https://{host}/#feed-{feed_id}", "name": title or host, "title": title, "site_url": ""}
    values |= {"moved_to": "", "error": "", "icon": "", "host": host, "login": ""}
    tx.connection.execute(update(feeds).where(feeds.c.id == feed_id).values(values))
