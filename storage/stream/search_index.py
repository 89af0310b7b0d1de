"""The index of the full-text search, SQLite's FTS5 or PostgreSQL's ``tsvector``; ``storage.stories.search`` asks it.

An article is also indexed under the number of its feed. Names of feeds are looked up when somebody searches: they
differ between users, and change.

Texts and searches are folded (``storage.stream.folding``), the same on both kinds of databases.

FTS5 knows where words are, and keeps no texts (``content=''``): so it takes a third of their room, and an entry is
removed by giving its words again. Hence ``remove`` comes before a row changes, and ``add`` after.

A ``tsvector`` for each article is made here. No configuration of PostgreSQL's splits texts as SQLite's FTS5 does, so
words are cut here, the same for all languages and servers. An article's feed is a word with a character that
no other has. A ``tsvector`` numbers the first 16,383 words of an article: behind them single words are found, phrases
are not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import (
    ColumnElement,
    SelectBase,
    TableClause,
    and_,
    cast,
    column,
    false,
    insert,
    literal,
    literal_column,
    or_,
    select,
    table,
)
from sqlalchemy.types import UserDefinedType

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import Bulk, among, among_few, chunks
from storage.schema import articles, texts
from storage.stream.folding import folded, spaced

_Rows = Sequence[tuple[int, int, str, str, str]]
"""Articles: number, feed, title, author, text."""

SHORTEST_STEM = 3
"""Characters before a star: with fewer, half of all words would have to be looked up."""

_WORD = re.compile(r'"([^"]*)"?|([^\s"]+)')


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a phrase that is searched."""

    text: str
    prefix: bool
    """Whether its last word may go on."""


@dataclass(frozen=True, slots=True)
class SearchTerm:
    """What an article must have: a word in its title, author or text, or one of some feeds."""

    word: Word
    feeds: tuple[int, ...]
    """Feeds whose names have the word."""


def parse(query: str) -> tuple[Word, ...]:
    """Split a query into words, and phrases in double quotes; a star at the end matches any ending.

    A star after fewer than ``SHORTEST_STEM`` characters is ignored. What has no letter and no digit is left out.
    """
    found = []
    for phrase, word in _WORD.findall(query):
        text = phrase or word
        if any(map(str.isalnum, text)):
            stem = text.rstrip("*")
            found.append(Word(stem, text.endswith("*") and len(stem) >= SHORTEST_STEM))
    return tuple(found)


def _indexed(text: str) -> str:
    return spaced(folded(text))


_COLUMNS = "feed, title, author, text"
CREATE_FTS5 = (
    f"CREATE VIRTUAL TABLE search USING fts5({_COLUMNS}, content='', tokenize='unicode61 remove_diacritics 2')"
)
"""The index. Its statement is compared when a backup is inspected, so that no other virtual table gets in."""
_ADD_FTS5 = f"INSERT INTO search (rowid, {_COLUMNS}) VALUES (?, ?, ?, ?, ?)"  # noqa: S608 -- constants
_REMOVE_FTS5 = f"INSERT INTO search (search, rowid, {_COLUMNS}) VALUES ('delete', ?, ?, ?, ?, ?)"  # noqa: S608 -- constants

_FTS5 = table("search", column("rowid"))


def _add_fts5(tx: Transaction, rows: _Rows) -> None:
    _write_fts5(tx, _ADD_FTS5, rows)


def _remove_fts5(tx: Transaction, rows: _Rows) -> None:
    _write_fts5(tx, _REMOVE_FTS5, rows)


def _matches_fts5(wanted: Sequence[SearchTerm], _feeds: Sequence[int], _others: SelectBase) -> ColumnElement[bool]:
    """Return the condition that a row of the index has all that is wanted; as for PostgreSQL, but in any feed."""
    return literal_column("search").op("MATCH")(" AND ".join(map(_expression_fts5, wanted)))


def _write_fts5(tx: Transaction, statement: str, rows: _Rows) -> None:
    values = [(seq, str(feed), *map(_indexed, texts)) for seq, feed, *texts in rows]
    tx.connection.exec_driver_sql(statement, values)


def _expression_fts5(wanted: SearchTerm) -> str:
    """Write a word in FTS5's language: in a column, or in the name of the article's feed."""
    star = "*" if wanted.word.prefix else ""
    words = _indexed(wanted.word.text).replace('"', " ")  # typographic quotes are folded, too
    text = f'{{title author text}} : "{words}" {star}'
    return f"({text} OR feed : ({' OR '.join(map(str, wanted.feeds))}))" if wanted.feeds else f"({text})"


CREATE_TSVECTOR = "CREATE TABLE search (seq BIGINT PRIMARY KEY REFERENCES articles (seq), words TSVECTOR NOT NULL)"
CREATE_TSVECTOR_INDEX = "CREATE INDEX search_words ON search USING gin (words)"

_TSVECTOR = table("search", column("seq"), column("words"))

_SQL_WORD = re.compile(r"[^\W_]+")
_LONGEST = 500
"""Characters of a word that are compared; PostgreSQL refuses words of 2,047 bytes."""
_LAST = 16_383
"""PostgreSQL's last place of a word."""
_PLACES = 255
"""PostgreSQL's number of places of one word."""
_MOST = 1_000_000
"""Bytes of the words of one article, of which PostgreSQL takes one MiB; the rest of the text is not searched."""


class _Query(UserDefinedType[str]):
    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        """The type in SQL."""
        return "TSQUERY"


_insert_tsvector = Bulk(insert(_TSVECTOR), ["seq", "words"])


def _add_tsvector(tx: Transaction, rows: _Rows) -> None:
    _insert_tsvector.run(tx, [(seq, _vector(feed, texts)) for seq, feed, *texts in rows])


def _remove_tsvector(tx: Transaction, rows: _Rows) -> None:
    tx.connection.execute(_TSVECTOR.delete().where(_TSVECTOR.c.seq.in_([row[0] for row in rows])))


def _matches_tsvector(wanted: Sequence[SearchTerm], feeds: Sequence[int], others: SelectBase) -> ColumnElement[bool]:
    """Return the condition that a row of the index has all that is wanted, in one of some feeds or among ``others``.

    ``others`` selects the numbers of few articles. On a server with many users most articles that have a word are in
    feeds that one of them does not follow; so the index is asked for feeds, too.
    """
    query = " & ".join(map(_expression_tsvector, wanted))
    of_feeds = _has(f"{query} & ({_any_feed(feeds)})") if feeds else false()
    return or_(of_feeds, and_(among_few(_TSVECTOR.c.seq, others), _has(query)))


def _has(query: str) -> ColumnElement[bool]:
    return _TSVECTOR.c.words.op("@@")(cast(literal(query), _Query))


def _words(text: str) -> Iterator[str]:
    return (word[:_LONGEST] for word in _SQL_WORD.findall(_indexed(text)))


def _vector(feed: int, texts: Sequence[str]) -> str:
    places: dict[str, list[int]] = {_feed(feed): []}
    place = size = 0
    for text in texts:
        for word in _words(text):
            place = min(place + 1, _LAST)
            known = places.get(word)
            if known is None:
                size += len(word.encode()) + 8
                if size > _MOST:
                    break
                known = places[word] = []
            elif len(known) < _PLACES:
                size += 2
            if len(known) < _PLACES:
                known.append(place)
        place = min(place + 1, _LAST)  # a phrase does not go on in the next text
    return " ".join(f"'{word}':{','.join(map(str, at))}" if at else f"'{word}'" for word, at in places.items())


def _expression_tsvector(wanted: SearchTerm) -> str:
    words = [f"'{word}'" for word in _words(wanted.word.text)] or ["'/'"]  # without a word it is nowhere
    if wanted.word.prefix:
        words[-1] += ":*"
    phrase = " <-> ".join(words)
    return f"({' | '.join(filter(None, [f'({phrase})', _any_feed(wanted.feeds)]))})"


def _any_feed(numbers: Sequence[int]) -> str:
    return " | ".join(f"'{_feed(each)}'" for each in numbers)


def _feed(number: int) -> str:
    return f"feed/{number}"


class SearchIndex(NamedTuple):
    """The index of one kind of database."""

    table: TableClause
    number: ColumnElement[int]
    """Of the article."""
    clear: str
    """The statement that removes all articles."""
    add: Callable[[Transaction, _Rows], None]
    """Add articles: number, feed, title, author, text."""
    remove: Callable[[Transaction, _Rows], None]
    """Remove articles, given as they were added."""
    matches: Callable[[Sequence[SearchTerm], Sequence[int], SelectBase], ColumnElement[bool]]
    """Return the condition that a row of the index has all that is wanted, in one of some feeds or among others."""


FTS5 = SearchIndex(
    _FTS5, _FTS5.c.rowid, "INSERT INTO search (search) VALUES ('delete-all')", _add_fts5, _remove_fts5, _matches_fts5
)
TSVECTOR = SearchIndex(
    _TSVECTOR, _TSVECTOR.c.seq, "TRUNCATE search", _add_tsvector, _remove_tsvector, _matches_tsvector
)

PIECE = 1000
"""Articles indexed at once, and between two reports of progress."""


def add(tx: Transaction, seqs: Iterable[int]) -> None:
    """Index articles as they are stored now."""
    _run(tx, index_of(tx).add, seqs)


def remove(tx: Transaction, seqs: Iterable[int]) -> None:
    """Take articles, as they are stored now, out of the index."""
    _run(tx, index_of(tx).remove, seqs)


def fill(tx: Transaction, progress: Callable[[int, int, str], None] | None = None) -> None:
    """Index all articles anew. ``progress`` is called with ``(done, total, what)``."""
    tx.connection.exec_driver_sql(index_of(tx).clear)
    seqs = list(tx.connection.execute(select(articles.c.seq).order_by(articles.c.seq)).scalars())
    for done in range(0, len(seqs), PIECE):
        if progress is not None:
            progress(done, len(seqs), "preparing the search")
        add(tx, seqs[done : done + PIECE])


def index_of(tx: Transaction) -> SearchIndex:
    """Return the index of this database."""
    return FTS5 if tx.connection.dialect.name == "sqlite" else TSVECTOR


def _run(tx: Transaction, do: Callable[[Transaction, _Rows], None], seqs: Iterable[int]) -> None:
    for piece in chunks(list(seqs)):
        query = select(articles.c.seq, articles.c.feed_id, articles.c.title, articles.c.author, texts.c.text)
        query = query.outerjoin(texts, texts.c.seq == articles.c.seq).where(among(articles.c.seq, piece))
        rows = [(*row[:4], row[4] or "") for row in tx.connection.execute(query)]
        if rows:
            do(tx, rows)
