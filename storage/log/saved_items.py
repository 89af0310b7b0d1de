"""Articles that a user saved in another reader or data folder, and that no feed has brought here.

Each is an article of a feed of the user's own, one for each source that it came from, which has no subscribers and is
never polled. The article is a story of its own (``articles.story`` is its number) and archive: it has a score, so that
lists of what is saved and the search have it, but nothing is decided about it and it is in no list of what is new. Its
features were made apart from the stream, so no other article joins its story.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import quote

from sqlalchemy import ColumnElement, func, select

from storage.engine.transaction import Transaction
from storage.log import decisions, marks
from storage.records.articles import Features, NewArticle
from storage.records.decisions import CurrentScore
from storage.records.stories import Mark
from storage.schema import articles, feeds
from storage.stream import articles as stored
from storage.stream import features
from storage.stream.feeds import add as add_feed


@dataclass(frozen=True, slots=True)
class SavedItem:
    """Something saved elsewhere, ready to be stored."""

    source: str
    """The name of the feed that it came from."""
    entry: NewArticle
    """``key`` identifies it among the user's."""
    arrived: datetime
    features: Features
    """``seq`` and ``story`` do not matter."""
    mark: Mark


def known(tx: Transaction, user_id: int, keys: Sequence[str]) -> set[str]:
    """Return which of the user's saved items are stored, by their keys."""
    own = select(articles.c.key).where(is_saved_item(user_id))
    return set(keys).intersection(tx.connection.execute(own).scalars())


def add(tx: Transaction, user_id: int, items: Sequence[SavedItem], score: float, threshold: float) -> dict[str, int]:
    """Store items that are not ``known``, with their marks, and return their numbers by their keys.

    ``score`` and ``threshold`` are those of all of them.
    """
    placed: list[tuple[int, Mark]] = []
    for item in items:
        address = saved_address(user_id, item.source)
        feed: int | None = tx.connection.execute(select(feeds.c.id).where(feeds.c.url == address)).scalar_one_or_none()
        if feed is None:
            feed = add_feed(tx, address, item.source)
        stored.store(tx, feed, address, [replace(item.entry, archive=True)], item.arrived)
        (seq,) = stored.seqs_by_key(tx, feed, [item.entry.key]).values()
        features.add(tx, [replace(item.features, seq=seq, story=seq)])
        placed.append((seq, item.mark))
    decisions.add(tx, [], [(user_id, seq, score) for seq, _ in placed])
    scores = [CurrentScore(seq, score, threshold, interesting=False, archive=True) for seq, _ in placed]
    decisions.rescore(tx, user_id, scores)
    marks.add(tx, user_id, placed)
    return {item.entry.key: seq for item, (seq, _) in zip(items, placed, strict=True)}


def is_saved_item(user_id: int) -> ColumnElement[bool]:
    """Return the condition that a row of ``articles`` is one of the user's saved items."""
    address = saved_address(user_id)
    return articles.c.feed_id.in_(select(feeds.c.id).where(func.substr(feeds.c.url, 1, len(address)) == address))


def saved_address(user_id: int, source: str = "") -> str:
    """Return the address of the feed of a user's saved items from a source, or how all of these begin."""
    return f"iscore:saved/{user_id}/{quote(source, safe='')}"
