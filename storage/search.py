"""Full-text search over all articles, with SQLite's FTS5.

    articles.store, pruning.remove ─► remove, add ─► index ◄─ find ◄─ words

The index knows where words are, and keeps no texts (``content=''``): so it takes a third of their room, and an entry is
removed by giving its words again. Hence ``remove`` comes before a row changes, and ``add`` after.

An article is also indexed under the number of its feed. Names of feeds are looked up when somebody searches: they
differ between users, and change.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, column, func, literal_column, select, table

from storage import feed_names
from storage.article_filter import ArticleFilter, conditions
from storage.bulk_insert import chunks
from storage.schema import articles, texts
from storage.transaction import Transaction
from storage.visibility import visible

COUNTED = 1000
"""Matches are counted up to this number: counting all of a common word takes longer than finding the newest."""
SHORTEST_STEM = 3
"""Characters before a star: with fewer, half of all words would have to be looked up."""
PIECE = 1000
"""Articles indexed at once, and between two reports of progress."""

_COLUMNS = "feed, title, author, text"
CREATE = f"CREATE VIRTUAL TABLE search USING fts5({_COLUMNS}, content='', tokenize='unicode61 remove_diacritics 2')"
"""The index. Its statement is compared when a backup is inspected, so that no other virtual table gets in."""
_ADD = f"INSERT INTO search (rowid, {_COLUMNS}) VALUES (?, ?, ?, ?, ?)"  # noqa: S608 -- constants
_REMOVE = f"INSERT INTO search (search, rowid, {_COLUMNS}) VALUES ('delete', ?, ?, ?, ?, ?)"  # noqa: S608 -- constants

_search = table("search", column("rowid"))

# Scripts without blanks between words. Each character is a word of its own, and what is searched is a phrase of them.
_UNSPACED = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
)
_WORD = re.compile(r'"([^"]*)"?|([^\s"]+)')


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a phrase that is searched."""

    text: str
    prefix: bool
    """Whether its last word may go on."""


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


def find(
    tx: Transaction,
    user_id: int,
    words: Sequence[Word],
    only: ArticleFilter,
    *,
    limit: int | None = None,
    before: int | None = None,
) -> list[int]:
    """List the articles that have all of ``words`` in title, text, author or name of their feed, newest first.

    With ``before`` only those with a smaller number.

    Of a story with several matches, the newest is listed. Imported items are no articles. Raises ``UnknownName``.
    """
    query = _matches(tx, user_id, words, only, articles.c.seq, articles.c.story).order_by(_search.c.rowid.desc())
    if before is not None:
        query = query.where(_search.c.rowid < before)
    found: dict[int, int] = {}
    with tx.connection.execute(query, execution_options={"yield_per": 100}) as rows:
        for seq, story in rows:
            found.setdefault(seq if story is None else story, seq)
            if limit is not None and len(found) >= limit:
                break
    return list(found.values())


def count(tx: Transaction, user_id: int, words: Sequence[Word], only: ArticleFilter) -> int:
    """Count what ``find`` lists, at most ``COUNTED``. Raises ``UnknownName``."""
    story = func.coalesce(articles.c.story, articles.c.seq)
    some = _matches(tx, user_id, words, only, story).distinct().limit(COUNTED).subquery()
    return int(tx.connection.execute(select(func.count()).select_from(some)).scalar_one())


def add(tx: Transaction, seqs: Iterable[int]) -> None:
    """Index articles as they are stored now."""
    _run(tx, _ADD, seqs)


def remove(tx: Transaction, seqs: Iterable[int]) -> None:
    """Take articles, as they are stored now, out of the index."""
    _run(tx, _REMOVE, seqs)


def fill(tx: Transaction, progress: Callable[[int, int, str], None] | None = None) -> None:
    """Index all articles of a database that had no index. ``progress`` is called with ``(done, total, what)``."""
    seqs = list(tx.connection.execute(select(articles.c.seq).order_by(articles.c.seq)).scalars())
    for done in range(0, len(seqs), PIECE):
        if progress is not None:
            progress(done, len(seqs), "preparing the search")
        add(tx, seqs[done : done + PIECE])


def _run(tx: Transaction, statement: str, seqs: Iterable[int]) -> None:
    for piece in chunks(list(seqs)):
        query = select(articles.c.seq, articles.c.feed_id, articles.c.title, articles.c.author, texts.c.text)
        query = query.outerjoin(texts, texts.c.seq == articles.c.seq).where(articles.c.seq.in_(piece))
        rows = [
            (seq, str(feed), _spaced(title), _spaced(author), _spaced(text or ""))
            for seq, feed, title, author, text in tx.connection.execute(query)
        ]
        if rows:
            tx.connection.exec_driver_sql(statement, rows)


def _matches(
    tx: Transaction, user_id: int, words: Sequence[Word], only: ArticleFilter, *columns: ColumnElement[Any]
) -> Select[Any]:
    names = {number: each.known for number, each in feed_names.all_names(tx, user_id).items()}
    expression = " AND ".join(_expression(word, names) for word in words)
    return (
        select(*columns)
        .select_from(_search.join(articles, articles.c.seq == _search.c.rowid))
        .where(literal_column("search").op("MATCH")(expression), func.coalesce(articles.c.story, -1) != 0)
        .where(visible(user_id), *conditions(tx, user_id, only))
    )


def _expression(word: Word, names: dict[int, tuple[str, ...]]) -> str:
    """Write a word in FTS5's language: in a column, or in the name of the article's feed."""
    star = "*" if word.prefix else ""
    text = f'{{title author text}} : "{_spaced(word.text)}" {star}'
    pattern = re.compile(rf"\b{re.escape(_folded(word.text))}" + ("" if word.prefix else r"\b"))
    named = [number for number, known in names.items() if any(pattern.search(_folded(name)) for name in known)]
    if not named:
        return f"({text})"
    return f"({text} OR feed : ({' OR '.join(map(str, named))}))"


def _spaced(text: str) -> str:
    return text if text.isascii() else _UNSPACED.sub(r" \1 ", text)


def _folded(text: str) -> str:
    """Return a text without case and accents, as the index compares words."""
    return "".join(each for each in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(each))
