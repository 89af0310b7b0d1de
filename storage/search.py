"""Full-text search over all articles, with SQLite's FTS5 or PostgreSQL's ``tsvector``.

    articles.store, pruning.remove ─► remove, add ─► index ◄─ find ◄─ words

SQLite's index keeps no texts, and an entry is removed by giving its words again. Hence ``remove`` comes before a row
changes, and ``add`` after.

An article is also indexed under the number of its feed. Names of feeds are looked up when somebody searches: they
differ between users, and change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any

from sqlalchemy import ColumnElement, Select, func, select

from storage import feed_names, search_fts5, search_tsvector
from storage.article_filter import ArticleFilter, conditions
from storage.bulk_insert import among, chunks
from storage.schema import articles, feedback, texts
from storage.search_words import SearchTerm, Word, folded, parse
from storage.transaction import Transaction
from storage.visibility import visible

__all__ = ["COUNTED", "Word", "add", "count", "fill", "find", "parse", "remove"]

COUNTED = 1000
"""Matches are counted up to this number: counting all of a common word takes longer than finding the newest."""
PIECE = 1000
"""Articles indexed at once, and between two reports of progress."""


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
    number = _index(tx).NUMBER
    query = _matches(tx, user_id, words, only, articles.c.seq, articles.c.story).order_by(number.desc())
    if before is not None:
        query = query.where(number < before)
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
    _run(tx, _index(tx).add, seqs)


def remove(tx: Transaction, seqs: Iterable[int]) -> None:
    """Take articles, as they are stored now, out of the index."""
    _run(tx, _index(tx).remove, seqs)


def fill(tx: Transaction, progress: Callable[[int, int, str], None] | None = None) -> None:
    """Index all articles of a database that had no index. ``progress`` is called with ``(done, total, what)``."""
    seqs = list(tx.connection.execute(select(articles.c.seq).order_by(articles.c.seq)).scalars())
    for done in range(0, len(seqs), PIECE):
        if progress is not None:
            progress(done, len(seqs), "preparing the search")
        add(tx, seqs[done : done + PIECE])


def _index(tx: Transaction) -> ModuleType:
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


def _matches(
    tx: Transaction, user_id: int, words: Sequence[Word], only: ArticleFilter, *columns: ColumnElement[Any]
) -> Select[Any]:
    names = {number: each.known for number, each in feed_names.all_names(tx, user_id).items()}
    index = _index(tx)
    # What a user may see is in these feeds, or has their verdict.
    wanted = [_wanted(word, names) for word in words]
    rated = select(feedback.c.story).where(feedback.c.user_id == user_id)
    return (
        select(*columns)
        .select_from(index.INDEX.join(articles, articles.c.seq == index.NUMBER))
        .where(index.matches(wanted, list(names), rated), func.coalesce(articles.c.story, -1) != 0)
        .where(visible(user_id), *conditions(tx, user_id, only))
    )


def _wanted(word: Word, names: dict[int, tuple[str, ...]]) -> SearchTerm:
    pattern = re.compile(rf"\b{re.escape(folded(word.text))}" + ("" if word.prefix else r"\b"))
    named = [number for number, known in names.items() if any(pattern.search(folded(name)) for name in known)]
    return SearchTerm(word, tuple(named))
