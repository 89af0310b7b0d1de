"""The index of the full-text search, SQLite's FTS5 or PostgreSQL's ``tsvector``; ``storage.stories.search`` asks it.

SQLite's index keeps no texts, and an entry is removed by giving its words again. Hence ``remove`` comes before a row
changes, and ``add`` after.

An article is also indexed under the number of its feed. Names of feeds are looked up when somebody searches: they
differ between users, and change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import ModuleType

from sqlalchemy import select

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import among, chunks
from storage.schema import articles, texts
from storage.stream import search_fts5, search_tsvector

PIECE = 1000
"""Articles indexed at once, and between two reports of progress."""


def add(tx: Transaction, seqs: Iterable[int]) -> None:
    """Index articles as they are stored now."""
    _run(tx, index_of(tx).add, seqs)


def remove(tx: Transaction, seqs: Iterable[int]) -> None:
    """Take articles, as they are stored now, out of the index."""
    _run(tx, index_of(tx).remove, seqs)


def fill(tx: Transaction, progress: Callable[[int, int, str], None] | None = None) -> None:
    """Index all articles of a database that had no index. ``progress`` is called with ``(done, total, what)``."""
    seqs = list(tx.connection.execute(select(articles.c.seq).order_by(articles.c.seq)).scalars())
    for done in range(0, len(seqs), PIECE):
        if progress is not None:
            progress(done, len(seqs), "preparing the search")
        add(tx, seqs[done : done + PIECE])


def index_of(tx: Transaction) -> ModuleType:
    """Return the module that has the index of this database."""
    return search_fts5 if tx.connection.dialect.name == "sqlite" else search_tsvector


def _run(
    tx: Transaction, do: Callable[[Transaction, list[tuple[int, int, str, str, str]]], None], seqs: Iterable[int]
) -> None:
    for piece in chunks(list(seqs)):
        query = select(articles.c.seq, articles.c.feed_id, articles.c.title, articles.c.author, texts.c.text)
        query = query.outerjoin(texts, texts.c.seq == articles.c.seq).where(among(articles.c.seq, piece))
        rows = [(*row[:4], row[4] or "") for row in tx.connection.execute(query)]
        if rows:
            do(tx, rows)
