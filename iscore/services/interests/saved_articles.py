"""Stores what somebody saved in another reader or data folder: their stars become saved articles here.

    saved elsewhere ─► a feed has brought the page here? ─► its story is marked
                       └─► else stored as an article of its own, from a source of its own: in Saved and in the search

See ``storage.log.saved_items`` for what such an article is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from storage.engine.transaction import Transaction
from storage.log import saved_items
from storage.log.saved_items import SavedItem
from storage.opening.database import Database
from storage.records.articles import Article, Features, NewArticle
from storage.records.stories import Mark

Measure = Callable[[Sequence[Article]], list[Features]]
"""Measures documents apart from the stream."""


@dataclass(frozen=True, slots=True)
class SavedArticle:
    """An article that was saved elsewhere."""

    document: Article
    """As it is measured."""
    entry: NewArticle
    """As it is stored; ``key`` identifies it among the user's."""
    mark: Mark


def saved_source(article: SavedArticle) -> str:
    """Return the name of the feed of the user's own that has an article: its source there, else its site."""
    return article.document.source or article.document.site


def save(database: Database, user_id: int, found: Sequence[SavedArticle], measure: Measure) -> int:
    """Store articles with their marks, but those that were stored before; return how many."""
    items = with_features(database, user_id, found, measure)
    if not items:
        return 0
    with database.write(durable=True) as tx:
        return len(add(tx, user_id, items))


def with_features(database: Database, user_id: int, found: Sequence[SavedArticle], measure: Measure) -> list[SavedItem]:
    """Measure articles that are not stored yet, so that they can be; each once."""
    with database.read() as tx:
        known = saved_items.known(tx, user_id, [each.entry.key for each in found])
    new = list({each.entry.key: each for each in found if each.entry.key not in known}.values())
    rows = measure([each.document for each in new]) if new else []
    return [
        SavedItem(saved_source(each), each.entry, each.document.arrived, row, each.mark)
        for each, row in zip(new, rows, strict=True)
    ]


def add(tx: Transaction, user_id: int, items: Sequence[SavedItem]) -> dict[str, int]:
    """Store measured articles that nobody has stored meanwhile, and return their numbers by their keys."""
    from iscore.filtering.delivery.limits import UNKNOWN_THRESHOLD
    from iscore.filtering.delivery.tuning import UNKNOWN_SCORE

    known = saved_items.known(tx, user_id, [item.entry.key for item in items])
    return saved_items.add(
        tx, user_id, [item for item in items if item.entry.key not in known], UNKNOWN_SCORE, UNKNOWN_THRESHOLD
    )
