"""Features of articles, frozen at arrival with the metadata that learning needs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Select, bindparam, insert, select, update

from storage.bulk import Bulk, chunks
from storage.records import Arrived, Features
from storage.schema import articles, feature_sets, features, feeds
from storage.transaction import Transaction

_OWN = ("seq", "set_id", "story", "simhash", "values", "terms")
_COPIED = ("arrived", "id", "url", "site", "author", "categories", "language", "published")

_add = Bulk(
    insert(features).from_select(
        [*_OWN[1:], "seq", *_COPIED, "source"],
        select(
            *(bindparam(name, type_=features.c[name].type) for name in _OWN[1:]),
            articles.c.seq,
            *(articles.c[name] for name in _COPIED),
            feeds.c.name,
        )
        .join_from(articles, feeds, feeds.c.id == articles.c.feed_id)
        .where(articles.c.seq == bindparam("seq")),
    ),
    others=_OWN,
)
_assess = Bulk(update(articles).where(articles.c.seq == bindparam("article")), ["story"], ["article"])


def add(tx: Transaction, rows: Sequence[Features]) -> None:
    """Store the features of articles that have none; from now on these are assessed, and in a story."""
    sets: dict[tuple[str, ...], int] = {}
    for row in rows:
        if row.names not in sets:
            sets[row.names] = _set_id(tx, row.names)
    _add.run(tx, [(row.seq, sets[row.names], row.story, row.simhash, row.values, row.terms) for row in rows])
    _assess.run(tx, [(row.story, row.seq) for row in rows])


def recent_simhashes(tx: Transaction, since: datetime) -> list[tuple[int, int, int, str, datetime]]:
    """List seq, story, simhash, source, arrival of what is assessed and arrived ``since``, by seq."""
    query = (
        select(features.c.seq, features.c.story, features.c.simhash, features.c.source, features.c.arrived)
        .where(features.c.arrived >= since)
        .order_by(features.c.seq)
    )
    return [tuple(row) for row in tx.connection.execute(query)]


def arrived(tx: Transaction, seqs: Sequence[int]) -> list[Arrived]:
    """Give what learning needs of these articles, in the order of ``seqs``; what is not assessed is left
    out.
    """
    found: dict[int, Arrived] = {}
    for piece in chunks(seqs):
        found |= {each.seq: each for each in load(tx, select_arrived().where(features.c.seq.in_(piece)))}
    return [found[seq] for seq in seqs if seq in found]


def select_arrived() -> Select[Any]:
    """Build the query for ``load``; callers narrow it."""
    return select(
        features.c.seq,
        features.c.id,
        features.c.story,
        features.c.url,
        features.c.source,
        features.c.site,
        features.c.author,
        features.c.categories,
        features.c.language,
        features.c.published,
        features.c.arrived,
        features.c.set_id,
        features.c["values"],
        features.c.terms,
    )


def load(tx: Transaction, query: Select[Any]) -> list[Arrived]:
    """Read the rows of a narrowed ``select_arrived``."""
    rows: Any = tx.connection.execute(query).all()
    sets = dict(tx.connection.execute(select(feature_sets.c.id, feature_sets.c.names)).all())
    return [Arrived(*_with_names(row, sets)) for row in rows]


def _with_names(row: Any, sets: dict[int, tuple[str, ...]]) -> Any:
    """Put the names in the place of their set's number."""
    return *row[:11], sets[row[11]], *row[12:]


def _set_id(tx: Transaction, names: tuple[str, ...]) -> int:
    known: int | None = tx.connection.execute(
        select(feature_sets.c.id).where(feature_sets.c.names == names)
    ).scalar_one_or_none()
    if known is not None:
        return known
    key = tx.connection.execute(insert(feature_sets).values(names=names)).inserted_primary_key
    assert key is not None  # noqa: S101 -- an insert of one row always gives it
    return int(key[0])
