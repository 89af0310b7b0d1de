"""What the user's rules look at: stories and their sources."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from sqlalchemy import func, literal, select

from storage.engine.bulk_insert import among, chunks
from storage.engine.transaction import Transaction
from storage.records.feeds import Priority
from storage.records.rules import RuleInput, RuleSource
from storage.schema import articles, feeds, subscriptions, texts
from storage.stream import articles as stored
from storage.stream import feed_names
from storage.stream.visibility import of_stories


def stories(
    tx: Transaction, user_id: int, seqs: Sequence[int], *, with_text: bool, with_sources: bool = True
) -> list[RuleInput]:
    """Return these stories, by their leading articles, in the order of ``seqs``, with texts and sources if asked."""
    sources = _sources(tx, user_id, seqs) if with_sources else {}
    found: dict[int, RuleInput] = {}
    for piece in chunks(seqs):
        text = func.coalesce(texts.c.text, "") if with_text else literal("")
        c = articles.c
        query = select(c.seq, c.title, text.label("text"), c.author, c.categories)
        query = query.select_from(articles.outerjoin(texts, texts.c.seq == articles.c.seq) if with_text else articles)
        for row in tx.connection.execute(query.where(among(c.seq, piece))):
            of_story = tuple(sources.get(row.seq, ()))
            found[row.seq] = RuleInput(row.seq, row.title, row.text, row.author, row.categories, of_story)
    return [found[seq] for seq in seqs]


def last_with_story(tx: Transaction) -> int:
    """Return the ``seq`` of the last article before the first that has no story yet."""
    last = stored.last_seq(tx)  # first: others may come meanwhile
    first = tx.connection.execute(select(func.min(articles.c.seq)).where(articles.c.story.is_(None))).scalar_one()
    return last if first is None else int(first) - 1


def names_of_feeds(tx: Transaction, user_id: int) -> str:
    """Return a digest of all names and tags of the user's feeds; it changes when any of them changes."""
    query = select(subscriptions.c.feed_id, feeds.c.name, subscriptions.c.title, subscriptions.c.tags)
    query = query.join(feeds, feeds.c.id == subscriptions.c.feed_id).where(subscriptions.c.user_id == user_id)
    rows = tx.connection.execute(query.order_by(subscriptions.c.feed_id))
    return hashlib.sha256("\n".join(map(repr, map(tuple, rows))).encode()).hexdigest()[:16]


def priorities(tx: Transaction, user_id: int) -> dict[int, Priority]:
    """Return the priorities that the user has set, by number of the feed; those that are filtered are left out."""
    query = select(subscriptions.c.feed_id, subscriptions.c.priority).where(subscriptions.c.user_id == user_id)
    query = query.where(subscriptions.c.priority != Priority.FILTERED).order_by(subscriptions.c.feed_id)
    return {feed: Priority(name) for feed, name in tx.connection.execute(query)}


def _sources(tx: Transaction, user_id: int, seqs: Sequence[int]) -> dict[int, list[RuleSource]]:
    known, wanted = feed_names.all_names(tx, user_id), priorities(tx, user_id)
    found: dict[int, list[RuleSource]] = {}
    made: dict[tuple[int, str], tuple[tuple[str, ...], tuple[str, ...]]] = {}
    for piece in chunks(seqs):
        for story, _, feed_id, site in tx.connection.execute(
            of_stories(user_id, piece, articles.c.feed_id, articles.c.site)
        ):
            if (feed_id, site) not in made:
                names = known[feed_id]
                made[feed_id, site] = tuple(dict.fromkeys(filter(None, (*names.known, site)))), names.tags
            found.setdefault(story, []).append(
                RuleSource(story, feed_id, *made[feed_id, site], wanted.get(feed_id, Priority.FILTERED))
            )
    return found
