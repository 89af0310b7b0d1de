"""Full-text search over all articles; the index is in ``storage.stream.search_index``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from typing import Any

from sqlalchemy import ColumnElement, Select, func, select

from storage.engine.base_database import Transaction
from storage.schema import articles, feedback
from storage.schema.column_types import microseconds
from storage.stories.article_filter import ArticleFilter, conditions
from storage.stories.places import Place
from storage.stream import feed_names
from storage.stream.folding import folded
from storage.stream.search_index import SearchTerm, Word, index_of, parse
from storage.stream.visibility import visible

__all__ = ["COUNTED", "Word", "count", "find", "parse", "places"]

COUNTED = 1000
"""Matches are counted up to this number: counting all of a common word takes longer than finding the newest."""


def find(
    tx: Transaction, user_id: int, words: Sequence[Word], only: ArticleFilter, *, limit: int | None = None
) -> list[int]:
    """List the numbers of the articles whose ``places`` are listed."""
    return [each.seq for each in places(tx, user_id, words, only, limit=limit)]


def places(
    tx: Transaction,
    user_id: int,
    words: Sequence[Word],
    only: ArticleFilter,
    *,
    limit: int | None = None,
    after: Place | None = None,
) -> list[Place]:
    """List the places of the articles that have all of ``words`` in title, text, author or name of their feed, newest
    first.

    With ``after`` those behind it; a place of no such list is the beginning.

    Of a story with several matches, the newest is listed. Imported items are no articles. Raises ``UnknownName``.
    """
    c = articles.c
    query = _matches(tx, user_id, words, only, c.seq, c.story, c.dated, c.arrived, c.archive)
    query = query.order_by(index_of(tx).number.desc())
    found: list[Place] = []
    stories: set[int] = set()
    is_behind = after is None
    with tx.connection.execute(query, execution_options={"yield_per": 100}) as rows:
        for story, place in _by_publication(rows):
            if is_behind and story not in stories:
                found.append(place)
            stories.add(story)
            is_behind = is_behind or place == after
            if limit is not None and len(found) >= limit:
                break
    return found if is_behind else places(tx, user_id, words, only, limit=limit)


def _by_publication(rows: Iterable[Any]) -> Iterator[tuple[int, Place]]:
    """Yield stories and places of articles, which come as the last to arrive first, by publication.

    None was published after its arrival: once the next one arrived before the newest that waits was published, that
    one is the newest of all. Only of archive this is not asked: it may have been brought with the time that it had
    elsewhere.
    """
    waiting: list[tuple[int, int, int, Place]] = []
    for seq, story, dated, arrived, archive in rows:
        while waiting and not archive and waiting[0][-1].dated >= arrived:
            yield heappop(waiting)[2:]
        heappush(waiting, (-microseconds(dated), -seq, seq if story is None else story, Place(dated, seq)))
    while waiting:
        yield heappop(waiting)[2:]


def count(tx: Transaction, user_id: int, words: Sequence[Word], only: ArticleFilter) -> int:
    """Count what ``find`` lists, at most ``COUNTED``. Raises ``UnknownName``."""
    story = func.coalesce(articles.c.story, articles.c.seq)
    some = _matches(tx, user_id, words, only, story).distinct().limit(COUNTED).subquery()
    return int(tx.connection.execute(select(func.count()).select_from(some)).scalar_one())


def _matches(
    tx: Transaction, user_id: int, words: Sequence[Word], only: ArticleFilter, *columns: ColumnElement[Any]
) -> Select[Any]:
    names = {number: each.known for number, each in feed_names.all_names(tx, user_id).items()}
    index = index_of(tx)
    # What a user may see is in these feeds, or has their verdict.
    wanted = [_wanted(word, names) for word in words]
    rated = select(feedback.c.story).where(feedback.c.user_id == user_id)
    return (
        select(*columns)
        .select_from(index.table.join(articles, articles.c.seq == index.number))
        .where(index.matches(wanted, list(names), rated), func.coalesce(articles.c.story, -1) != 0)
        .where(visible(user_id), *conditions(tx, user_id, only))
    )


def _wanted(word: Word, names: dict[int, tuple[str, ...]]) -> SearchTerm:
    pattern = re.compile(rf"\b{re.escape(folded(word.text))}" + ("" if word.prefix else r"\b"))
    named = [number for number, known in names.items() if any(pattern.search(folded(name)) for name in known)]
    return SearchTerm(word, tuple(named))
