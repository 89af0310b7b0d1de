"""The user's log of verdicts on its way out of one database and into another.

An exported verdict names its article by feed address and key, which are the same in every database. The article is the
first one of its story, the one that was learned from. In another database, an article that no feed delivered is stored
apart: it is in no story, and is never scored, delivered or counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import func, select

from storage.engine.base_database import Transaction
from storage.log import feedback
from storage.log import imports as imported
from storage.records.articles import Features, NewArticle
from storage.records.users import Kind, Verdict
from storage.schema import articles, feeds, imported_items
from storage.schema import feedback as log
from storage.stream import articles as stored
from storage.stream import features
from storage.stream.addresses import address_without_password
from storage.stream.feeds import add as add_feed
from storage.stream.feeds import set_first_titles


@dataclass(frozen=True, slots=True)
class ArticleKey:
    """Identifies an article in every database."""

    feed: str
    """The feed's address."""
    key: str
    """The article's key within the feed."""


@dataclass(frozen=True, slots=True)
class LogRow:
    """A row of the log."""

    id: str
    article: ArticleKey
    kind: Kind
    at: datetime
    tags: tuple[str, ...]
    form: str = ""
    """Of an imported item: how much was known of it."""
    import_id: int | None = None
    """Of an imported item: its import."""
    interest: str = ""
    """Of an imported item: the interest that it is an example of."""
    weight: float = 1.0
    """Of an imported item: how much it teaches."""


@dataclass(frozen=True, slots=True)
class ForeignArticle:
    """An article from another database, with its features."""

    article: ArticleKey
    source: str
    """The feed's name."""
    entry: NewArticle
    arrived: datetime
    features: Features
    """``seq`` and ``story`` are ignored."""


def rows(tx: Transaction, user_id: int) -> list[tuple[int, LogRow]]:
    """Return the whole log in order, each row with the number of its story's first article."""
    query = (
        select(
            articles.c.seq, log.c.id, feeds.c.url, articles.c.key, log.c.kind, log.c.at, log.c.tags,
            imported_items.c.form, imported_items.c.import_id, imported_items.c.interest,
            func.coalesce(imported_items.c.weight, 1.0),
        )
        .join(articles, articles.c.seq == log.c.story)
        .join(feeds, feeds.c.id == articles.c.feed_id)
        .outerjoin(imported_items, (imported_items.c.user_id == log.c.user_id) & (imported_items.c.row == log.c.row))
        .where(log.c.user_id == user_id)
        .order_by(log.c.row)
    )  # fmt: skip
    return [
        (seq, LogRow(key, ArticleKey(feed, name), Kind(kind), at, tags, form or "", number, interest or "", weight))
        for seq, key, feed, name, kind, at, tags, form, number, interest, weight in tx.connection.execute(query)
    ]


def find(tx: Transaction, wanted: Sequence[ArticleKey]) -> dict[ArticleKey, int]:
    """Return the numbers of those articles that are stored."""
    by_feed: dict[str, list[str]] = {}
    for each in wanted:
        by_feed.setdefault(each.feed, []).append(each.key)
    found: dict[ArticleKey, int] = {}
    for url, keys in by_feed.items():
        feed = _feed(tx, url)
        if feed is not None:
            found |= {ArticleKey(url, key): seq for key, seq in stored.seqs_by_key(tx, feed, keys).items()}
    return found


def add_articles(tx: Transaction, foreign: Sequence[ForeignArticle]) -> None:
    """Store articles apart from the stream; those that are stored already do not change.

    A feed without a title, since it was never polled here, gets the name that the articles know it by.
    """
    set_first_titles(tx, {each.article.feed: each.source for each in foreign})
    for each in foreign:
        url, key = each.article.feed, each.article.key
        feed = _feed(tx, url)
        if feed is None:
            feed = add_feed(tx, url, each.source or address_without_password(url))
        if not stored.known_keys(tx, feed, [key]):
            stored.store(tx, feed, url, [each.entry], each.arrived)
            (seq,) = stored.seqs_by_key(tx, feed, [key]).values()
            features.add(tx, [replace(each.features, seq=seq, story=0)])


def add_verdicts(
    tx: Transaction, user_id: int, new: Sequence[LogRow], sources: Mapping[int, tuple[str, datetime]]
) -> int:
    """Append verdicts on stored articles, and return how many were appended.

    A story that has a verdict keeps it. ``sources`` has name and time of the imports of imported items.
    """
    seqs = find(tx, [row.article for row in new])
    added = 0
    by_import: dict[tuple[int, str], list[LogRow]] = {}
    for row in new:
        if row.kind is Kind.IMPORTED:
            by_import.setdefault((row.import_id or 0, row.interest), []).append(row)
        elif feedback.verdict(tx, user_id, feedback.story(tx, user_id, seqs[row.article])) is None:
            verdict = Verdict(row.id, user_id, seqs[row.article], row.kind, row.at, row.tags)
            ((is_new, _),) = feedback.append(tx, [verdict])
            added += is_new
    for (number, interest), items in by_import.items():
        name, at = sources.get(number, ("import", items[0].at))
        known = [imported.StoredImportedItem(seqs[row.article], row.form, row.weight) for row in items]
        known = [item for item in known if feedback.verdict(tx, user_id, feedback.story(tx, user_id, item.seq)) is None]
        _, learned = imported.add_import(tx, user_id, name, [], known, at, interest)
        added += len(learned)
    return added


def _feed(tx: Transaction, url: str) -> int | None:
    found: int | None = tx.connection.execute(select(feeds.c.id).where(feeds.c.url == url)).scalar_one_or_none()
    return found
