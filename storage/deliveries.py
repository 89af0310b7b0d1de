"""Which article stood in which digest under which number. An article is delivered once over all digests."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select

from storage.bulk import Bulk, chunks, insert_new
from storage.columns import microseconds
from storage.records import Delivery
from storage.schema import deliveries
from storage.transaction import Transaction

_DELIVERY = ("user_id", "seq", "edition", "number", "at")
_add = Bulk(insert_new(deliveries), _DELIVERY)


def add(tx: Transaction, rows: Sequence[Delivery]) -> None:
    """Record deliveries; an article that was delivered before keeps its place."""
    _add.run(tx, [(row.user_id, row.seq, row.edition, row.number, microseconds(row.at)) for row in rows])


def edition(tx: Transaction, user_id: int, date: str) -> list[Delivery]:
    """List what stood in a person's digest of that date, by number; empty when there was none."""
    query = select(*(deliveries.c[name] for name in _DELIVERY)).where(
        deliveries.c.user_id == user_id, deliveries.c.edition == date
    )
    return [Delivery(*row) for row in tx.connection.execute(query.order_by(deliveries.c.number))]


def newest_edition(tx: Transaction, user_id: int) -> str | None:
    """Give the date of the person's last digest; None when there was none."""
    query = select(func.max(deliveries.c.edition)).where(deliveries.c.user_id == user_id)
    newest: str | None = tx.connection.execute(query).scalar_one()
    return newest


def delivered(tx: Transaction, user_id: int, seqs: Sequence[int]) -> set[int]:
    """Tell which of these articles have stood in a digest of this person."""
    found: set[int] = set()
    for piece in chunks(seqs):
        query = select(deliveries.c.seq).where(deliveries.c.user_id == user_id, deliveries.c.seq.in_(piece))
        found |= set(tx.connection.execute(query).scalars())
    return found
