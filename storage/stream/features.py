"""Features of articles, frozen at arrival with the metadata that learning needs; and bases of the stream's vectors.

Bases are facts, since another processor would learn other bits from the same articles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Select, bindparam, func, insert, literal, select, update

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import Bulk, among, chunks, insert_new
from storage.records.articles import Features, IngestedArticle, StoredBasis
from storage.schema import articles, bases, feature_sets, features, feeds, subscriptions
from storage.schema.column_types import Words
from storage.stream import meanings

PIECE = 5000
"""Articles in memory together, where there may be many: a kilobyte or two each."""

_OWN = ("seq", "set_id", "story", "simhash", "values", "terms", "pairs")
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
_replace = Bulk(update(features).where(features.c.seq == bindparam("article")), ["terms", "pairs"], ["article"])
_assess = Bulk(update(articles).where(articles.c.seq == bindparam("article")), ["story"], ["article"])


def add(tx: Transaction, rows: Sequence[Features]) -> None:
    """Store the features of articles that have none; from now on these are assessed, and in a story."""
    sets: dict[tuple[str, ...], int] = {}
    for row in rows:
        if row.names not in sets:
            sets[row.names] = _set_id(tx, row.names)
    _add.run(tx, [(row.seq, sets[row.names], row.story, row.simhash, row.values, row.terms, row.pairs) for row in rows])
    meanings.add(tx, [(row.seq, row.encoder, row.meaning) for row in rows if row.meaning])
    _assess.run(tx, [(row.story, row.seq) for row in rows])


def replace_words(tx: Transaction, rows: Sequence[tuple[int, bytes, bytes]]) -> None:
    """Store other terms and pairs of articles, given by number: another version of iScore makes them otherwise."""
    _replace.run(tx, [(terms, pairs, seq) for seq, terms, pairs in rows])


def term_vectors(tx: Transaction, offset: int, limit: int) -> list[tuple[int, bytes]]:
    """Return ``seq`` and term vector of the articles that came through a feed, in order of arrival."""
    query = select(features.c.seq, features.c.terms).where(features.c.story > 0).order_by(features.c.seq)
    return [(seq, terms) for seq, terms in tx.connection.execute(query.offset(offset).limit(limit))]


def usual_language(tx: Transaction, newest: int = 1000) -> str:
    """Return the language that most of the newest articles have; empty when that is unknown."""
    recent = select(features.c.language).order_by(features.c.seq.desc()).limit(newest).subquery()
    query = select(recent.c.language).where(recent.c.language != "").group_by(recent.c.language)
    found = tx.connection.execute(query.order_by(func.count().desc(), recent.c.language).limit(1)).scalar()
    return found or ""


def ingested(tx: Transaction, user_id: int, seqs: Sequence[int]) -> list[IngestedArticle]:
    """Return what learning needs of these articles, with the user's tags, in the order of ``seqs``.

    Articles without features are left out.
    """
    found: dict[int, IngestedArticle] = {}
    for piece in chunks(seqs):
        found |= {each.seq: each for each in load(tx, select_ingested(user_id).where(among(features.c.seq, piece)))}
    return [found[seq] for seq in seqs if seq in found]


def select_ingested(user_id: int) -> Select[Any]:
    """Build the query for ``load``; callers narrow it."""
    tags = func.coalesce(subscriptions.c.tags, literal((), Words()))
    mine = (subscriptions.c.feed_id == articles.c.feed_id) & (subscriptions.c.user_id == user_id)
    columns = (
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
        features.c.pairs,
        tags,
        articles.c.archive,
    )
    followed = features.join(articles, articles.c.seq == features.c.seq).outerjoin(subscriptions, mine)
    return select(*columns).select_from(followed)


def load(tx: Transaction, query: Select[Any]) -> list[IngestedArticle]:
    """Read the rows of a narrowed ``select_ingested``."""
    return [row for piece in load_pieces(tx, query) for row in piece]


def load_pieces(tx: Transaction, query: Select[Any]) -> Iterator[list[IngestedArticle]]:
    """Load like ``load``, ``PIECE`` rows at a time."""
    sets = dict(tx.connection.execute(select(feature_sets.c.id, feature_sets.c.names)).all())
    for rows in tx.connection.execute(query).partitions(PIECE):
        yield [IngestedArticle._make((*row[:11], sets[row[11]], *row[12:])) for row in rows]


def _set_id(tx: Transaction, names: tuple[str, ...]) -> int:
    known: int | None = tx.connection.execute(
        select(feature_sets.c.id).where(feature_sets.c.names == names)
    ).scalar_one_or_none()
    if known is not None:
        return known
    key = tx.connection.execute(insert(feature_sets).values(names=names)).inserted_primary_key
    assert key is not None  # noqa: S101 -- an insert of one row always gives it
    return int(key[0])


def add_basis(tx: Transaction, basis: StoredBasis) -> None:
    """Store a basis. One that is stored under its number already stays as it is."""
    tx.connection.execute(
        insert_new(bases).values(
            number=basis.number, articles=basis.articles, sequence=basis.sequence, state=basis.state
        )
    )


def basis(tx: Transaction, number: int) -> StoredBasis | None:
    """Return a basis; None when there is none of this number."""
    return _first_basis(tx, _bases().where(bases.c.number == number))


def newest_basis(tx: Transaction) -> StoredBasis | None:
    """Return the basis in force; None before the first."""
    return _first_basis(tx, _bases().order_by(bases.c.number.desc()).limit(1))


def newest_basis_number(tx: Transaction) -> int:
    """Return the number of the basis in force; 0 before the first."""
    return int(tx.connection.execute(select(func.coalesce(func.max(bases.c.number), 0))).scalar_one())


def load_bases(tx: Transaction) -> list[StoredBasis]:
    """Return every basis, oldest first."""
    return [StoredBasis(*row) for row in tx.connection.execute(_bases().order_by(bases.c.number))]


def _bases() -> Select[Any]:
    return select(bases.c.number, bases.c.articles, bases.c.sequence, bases.c.state)


def _first_basis(tx: Transaction, query: Select[Any]) -> StoredBasis | None:
    row = tx.connection.execute(query).one_or_none()
    return None if row is None else StoredBasis(*row)
