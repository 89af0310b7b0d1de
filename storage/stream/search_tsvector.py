"""The index of words in PostgreSQL: a ``tsvector`` for each article, made here.

No configuration of PostgreSQL's splits texts as SQLite's FTS5 does, so words are cut and folded here, the same for all
languages and servers. An article's feed is a word with a character that no other has.

A ``tsvector`` numbers the first 16,383 words of an article: behind them single words are found, phrases are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sqlalchemy import ColumnElement, SelectBase, and_, cast, column, false, insert, literal, or_, table
from sqlalchemy.types import UserDefinedType

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import Bulk, among_few
from storage.stream.search_words import SearchTerm, folded, spaced

CREATE = "CREATE TABLE search (seq BIGINT PRIMARY KEY REFERENCES articles (seq), words TSVECTOR NOT NULL)"
CREATE_INDEX = "CREATE INDEX search_words ON search USING gin (words)"

INDEX = table("search", column("seq"), column("words"))
NUMBER: ColumnElement[int] = INDEX.c.seq

_WORD = re.compile(r"[^\W_]+")
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
        """Its type in SQL."""
        return "TSQUERY"


_insert = Bulk(insert(INDEX), ["seq", "words"])


def add(tx: Transaction, rows: Sequence[tuple[int, int, str, str, str]]) -> None:
    """Add articles: number, feed, title, author, text."""
    _insert.run(tx, [(seq, _vector(feed, texts)) for seq, feed, *texts in rows])


def remove(tx: Transaction, rows: Sequence[tuple[int, int, str, str, str]]) -> None:
    """Remove articles, given as they were added."""
    tx.connection.execute(INDEX.delete().where(NUMBER.in_([row[0] for row in rows])))


def matches(wanted: Sequence[SearchTerm], feeds: Sequence[int], others: SelectBase) -> ColumnElement[bool]:
    """Return the condition that a row of the index has all that is wanted, in one of some feeds or among ``others``.

    ``others`` selects the numbers of few articles. On a server with many users most articles that have a word are in
    feeds that one of them does not follow; so the index is asked for feeds, too.
    """
    query = " & ".join(map(_expression, wanted))
    of_feeds = _has(f"{query} & ({_any_feed(feeds)})") if feeds else false()
    return or_(of_feeds, and_(among_few(NUMBER, others), _has(query)))


def _has(query: str) -> ColumnElement[bool]:
    return INDEX.c.words.op("@@")(cast(literal(query), _Query))


def _words(text: str) -> Iterator[str]:
    return (word[:_LONGEST] for word in _WORD.findall(folded(spaced(text))))


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


def _expression(wanted: SearchTerm) -> str:
    words = [f"'{word}'" for word in _words(wanted.word.text)] or ["'/'"]  # without a word it is nowhere
    if wanted.word.prefix:
        words[-1] += ":*"
    phrase = " <-> ".join(words)
    return f"({' | '.join(filter(None, [f'({phrase})', _any_feed(wanted.feeds)]))})"


def _any_feed(numbers: Sequence[int]) -> str:
    return " | ".join(f"'{_feed(each)}'" for each in numbers)


def _feed(number: int) -> str:
    return f"feed/{number}"
