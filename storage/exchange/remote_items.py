"""Items of another reader server, what their user and iScore have set there, and the outbox of tags.

    a wanted tag ─► ours, and the outbox (one transaction) ─► sent ─► out of the outbox; out of ours if it was removed

So a tag is ours from before it can be there until after it is gone, whatever is killed in between.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Integer, cast, delete, func, insert, select, update

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import Bulk, among, chunks, insert_new
from storage.records.connections import RemoteItem, RemoteTag
from storage.schema import articles, remote_items, remote_tags
from storage.schema.column_types import to_json

MOST_REFUSED = 3
"""So often a tag is tried that the other server refuses."""

_ITEM = ("item", "seq", "starred", "liked", "disliked", "read", "ours")
_c = remote_items.c
_columns = tuple(_c[name] for name in _ITEM)
_add = Bulk(insert_new(remote_items), ("user_id", *_ITEM))


def add(tx: Transaction, user_id: int, items: Sequence[RemoteItem]) -> None:
    """Store new items; those that are known stay as they are."""
    _add.run(
        tx,
        [(user_id, *(getattr(each, name) for name in _ITEM[:-1]), to_json(each.ours)) for each in items],
    )


def get(tx: Transaction, user_id: int, items: Sequence[int]) -> dict[int, RemoteItem]:
    """Return items by their numbers; unknown ones are left out."""
    found: dict[int, RemoteItem] = {}
    for piece in chunks(items):
        rows = tx.connection.execute(select(*_columns).where(_c.user_id == user_id, among(_c.item, piece)))
        found |= {row.item: RemoteItem(*row) for row in rows}
    return found


def with_verdicts(tx: Transaction, user_id: int) -> dict[int, RemoteItem]:
    """Return the items that were starred, liked or disliked when they were seen last, by number."""
    query = select(*_columns).where(_c.user_id == user_id, _c.starred | _c.liked | _c.disliked)
    return {row.item: RemoteItem(*row) for row in tx.connection.execute(query)}


def since(tx: Transaction, user_id: int, start: datetime) -> list[RemoteItem]:
    """List the items whose articles arrived here at or after a time, in order of arrival."""
    query = select(*_columns).join(articles, articles.c.seq == _c.seq)
    query = query.where(_c.user_id == user_id, articles.c.arrived >= start)
    return [RemoteItem(*row) for row in tx.connection.execute(query.order_by(_c.seq))]


def change(tx: Transaction, user_id: int, item: RemoteItem) -> None:
    """Store what the user has set on an item now."""
    values = {name: getattr(item, name) for name in ("starred", "liked", "disliked", "read")}
    tx.connection.execute(update(remote_items).where(_c.user_id == user_id, _c.item == item.item).values(**values))


def count(tx: Transaction, user_id: int) -> int:
    """Count the items."""
    return int(tx.connection.execute(select(func.count()).where(_c.user_id == user_id)).scalar_one())


def count_ours(tx: Transaction, user_id: int) -> int:
    """Count the items on which iScore has set something."""
    return int(tx.connection.execute(select(func.count()).where(_c.user_id == user_id, _c.ours != ())).scalar_one())


def want(tx: Transaction, user_id: int, tags: Sequence[RemoteTag]) -> None:
    """Put tags into the outbox, each in place of an earlier wish; those that should be set are ours from now on."""
    known = get(tx, user_id, [each.item for each in tags])
    ours = {number: each.ours for number, each in known.items()}
    for each in tags:
        if each.item not in ours:
            continue
        _forget(tx, user_id, each)
        values = {"item": each.item, "tag": each.tag, "wanted": each.wanted, "refused": 0}
        tx.connection.execute(insert(remote_tags).values(user_id=user_id, **values))
        if each.wanted:
            ours[each.item] = tuple(dict.fromkeys((*ours[each.item], each.tag)))
            _set_ours(tx, user_id, each.item, ours[each.item])


def waiting(tx: Transaction, user_id: int, limit: int | None = None) -> list[RemoteTag]:
    """List what the other server does not know yet, tag by tag; what it refuses for good is left out."""
    t = remote_tags.c
    query = select(t.item, t.tag, t.wanted, t.refused).where(t.user_id == user_id, t.refused < MOST_REFUSED)
    rows = tx.connection.execute(query.order_by(t.tag, t.wanted, t.item).limit(limit))
    return [RemoteTag(*row) for row in rows]


def wishes(tx: Transaction, user_id: int) -> dict[tuple[int, str], bool]:
    """Return all that is in the outbox: whether an item should have a tag, by item and tag."""
    t = remote_tags.c
    query = select(t.item, t.tag, t.wanted).where(t.user_id == user_id)
    return {(item, tag): wanted for item, tag, wanted in tx.connection.execute(query)}


def counts(tx: Transaction, user_id: int) -> tuple[int, int]:
    """Count what waits in the outbox, and what the other server refuses for good."""
    t = remote_tags.c
    refused = func.coalesce(func.sum(cast(t.refused >= MOST_REFUSED, Integer)), 0)
    every, bad = tx.connection.execute(select(func.count(), refused).where(t.user_id == user_id)).one()
    return int(every) - int(bad), int(bad)


def sent(tx: Transaction, user_id: int, tags: Sequence[RemoteTag]) -> None:
    """Record that the other server has done what these rows of the outbox say."""
    known = get(tx, user_id, [each.item for each in tags])
    for each in tags:
        _forget(tx, user_id, each)
        if not each.wanted and each.item in known:
            left = tuple(tag for tag in known[each.item].ours if tag != each.tag)
            _set_ours(tx, user_id, each.item, left)


def refuse(tx: Transaction, user_id: int, tags: Sequence[RemoteTag]) -> None:
    """Record that the other server refuses these rows of the outbox."""
    for each in tags:
        tx.connection.execute(update(remote_tags).where(*_row(user_id, each)).values(refused=remote_tags.c.refused + 1))


def try_again(tx: Transaction, user_id: int) -> None:
    """Let everything in the outbox wait that the other server has refused."""
    tx.connection.execute(update(remote_tags).where(remote_tags.c.user_id == user_id).values(refused=0))


def want_none(tx: Transaction, user_id: int, tags: Collection[str]) -> int:
    """Put the removal of all that is ours of some tags into the outbox; return how many rows it has then."""
    query = select(_c.item, _c.ours).where(_c.user_id == user_id, _c.ours != ())
    found: list[tuple[int, tuple[str, ...]]] = [(item, ours) for item, ours in tx.connection.execute(query)]
    tx.connection.execute(delete(remote_tags).where(remote_tags.c.user_id == user_id))
    gone = [RemoteTag(item, tag, wanted=False) for item, ours in found for tag in ours if tag in tags]
    want(tx, user_id, gone)
    return len(gone)


def remove_all(tx: Transaction, user_id: int) -> None:
    """Forget all items, and the outbox."""
    for table in (remote_tags, remote_items):
        tx.connection.execute(delete(table).where(table.c.user_id == user_id))


def _set_ours(tx: Transaction, user_id: int, item: int, ours: tuple[str, ...]) -> None:
    tx.connection.execute(update(remote_items).where(_c.user_id == user_id, _c.item == item).values(ours=ours))


def _forget(tx: Transaction, user_id: int, tag: RemoteTag) -> None:
    tx.connection.execute(delete(remote_tags).where(*_row(user_id, tag)))


def _row(user_id: int, tag: RemoteTag) -> tuple[Any, ...]:
    t = remote_tags.c
    return t.user_id == user_id, t.item == tag.item, t.tag == tag.tag
