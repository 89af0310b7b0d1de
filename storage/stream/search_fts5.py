"""The index of words in SQLite, by FTS5.

It knows where words are, and keeps no texts (``content=''``): so it takes a third of their room, and an entry is
removed by giving its words again.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, SelectBase, column, literal_column, table

from storage.engine.base_database import Transaction
from storage.stream.search_words import SearchTerm, spaced

_COLUMNS = "feed, title, author, text"
CREATE = f"CREATE VIRTUAL TABLE search USING fts5({_COLUMNS}, content='', tokenize='unicode61 remove_diacritics 2')"
"""The index. Its statement is compared when a backup is inspected, so that no other virtual table gets in."""
_ADD = f"INSERT INTO search (rowid, {_COLUMNS}) VALUES (?, ?, ?, ?, ?)"  # noqa: S608 -- constants
_REMOVE = f"INSERT INTO search (search, rowid, {_COLUMNS}) VALUES ('delete', ?, ?, ?, ?, ?)"  # noqa: S608 -- constants

INDEX = table("search", column("rowid"))
NUMBER: ColumnElement[int] = INDEX.c.rowid


def add(tx: Transaction, rows: Sequence[tuple[int, int, str, str, str]]) -> None:
    """Add articles: number, feed, title, author, text."""
    _run(tx, _ADD, rows)


def remove(tx: Transaction, rows: Sequence[tuple[int, int, str, str, str]]) -> None:
    """Remove articles, given as they were added."""
    _run(tx, _REMOVE, rows)


def matches(wanted: Sequence[SearchTerm], _feeds: Sequence[int], _others: SelectBase) -> ColumnElement[bool]:
    """Return the condition that a row of the index has all that is wanted; as for PostgreSQL, but in any feed."""
    return literal_column("search").op("MATCH")(" AND ".join(map(_expression, wanted)))


def _run(tx: Transaction, statement: str, rows: Sequence[tuple[int, int, str, str, str]]) -> None:
    values = [(seq, str(feed), *map(spaced, texts)) for seq, feed, *texts in rows]
    tx.connection.exec_driver_sql(statement, values)


def _expression(wanted: SearchTerm) -> str:
    """Write a word in FTS5's language: in a column, or in the name of the article's feed."""
    star = "*" if wanted.word.prefix else ""
    text = f'{{title author text}} : "{spaced(wanted.word.text)}" {star}'
    return f"({text} OR feed : ({' OR '.join(map(str, wanted.feeds))}))" if wanted.feeds else f"({text})"
