"""What a person's own rules look at: stories as they came, and the feeds that carried them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import exists, func, literal, select

from storage import articles as stored
from storage.bulk_insert import chunks
from storage.columns import Words
from storage.records import Carried, RuleInput
from storage.schema import articles, feeds, seen, standings, subscriptions, texts
from storage.transaction import Transaction


def stories(
    tx: Transaction, user_id: int, seqs: Sequence[int], *, with_text: bool, with_sources: bool = True
) -> list[RuleInput]:
    """Give these stories, by their leading articles, in the order of ``seqs``.

    Without texts, or who carried them, if nobody asks for that.
    """
    carried = _carried(tx, user_id, seqs) if with_sources else {}
    found: dict[int, RuleInput] = {}
    for piece in chunks(seqs):
        text = func.coalesce(texts.c.text, "") if with_text else literal("")
        c = articles.c
        query = select(c.seq, c.title, text.label("text"), c.author, c.categories)
        query = query.select_from(articles.outerjoin(texts, texts.c.seq == articles.c.seq) if with_text else articles)
        for row in tx.connection.execute(query.where(c.seq.in_(piece))):
            told = tuple(carried.get(row.seq, ()))
            found[row.seq] = RuleInput(row.seq, row.title, row.text, row.author, row.categories, told)
    return [found[seq] for seq in seqs]


def joined(tx: Transaction, user_id: int, after_seq: int, up_to_seq: int, since: datetime) -> list[int]:
    """List the stories that arrived ``since``, wait, and that another article, behind ``after_seq``, has joined."""
    verdict = exists().where(seen.c.user_id == user_id, seen.c.story == standings.c.seq)
    newcomer = articles.c.seq.between(after_seq + 1, up_to_seq) & (articles.c.story != articles.c.seq)
    joining = select(articles.c.story).where(newcomer)
    query = select(standings.c.seq).where(
        standings.c.user_id == user_id, standings.c.arrived >= since, ~verdict, standings.c.seq.in_(joining)
    )
    return list(tx.connection.execute(query.order_by(standings.c.seq)).scalars())


def last_with_story(tx: Transaction) -> int:
    """Give the number of the last article before the first that is in no story yet."""
    first = tx.connection.execute(select(func.min(articles.c.seq)).where(articles.c.story.is_(None))).scalar_one()
    return stored.last_seq(tx) if first is None else int(first) - 1


def names_of_feeds(tx: Transaction, user_id: int) -> str:
    """Return a digest of all names and tags that the person's feeds have: another one when any of them changes."""
    query = select(subscriptions.c.feed_id, feeds.c.name, subscriptions.c.title, subscriptions.c.tags)
    query = query.join(feeds, feeds.c.id == subscriptions.c.feed_id).where(subscriptions.c.user_id == user_id)
    rows = tx.connection.execute(query.order_by(subscriptions.c.feed_id))
    return hashlib.sha256("\n".join(map(repr, map(tuple, rows))).encode()).hexdigest()[:16]


def _carried(tx: Transaction, user_id: int, seqs: Sequence[int]) -> dict[int, list[Carried]]:
    known = _feeds(tx, user_id)
    found: dict[int, list[Carried]] = {}
    made: dict[tuple[int, str], tuple[tuple[str, ...], tuple[str, ...]]] = {}
    for piece in chunks(seqs):
        query = select(articles.c.story, articles.c.feed_id, articles.c.site).where(articles.c.story.in_(piece))
        for story, feed_id, site in tx.connection.execute(query.order_by(articles.c.seq)):
            if (feed_id, site) not in made:
                names, tags = known[feed_id]
                made[feed_id, site] = tuple(dict.fromkeys(name for name in (*names, site) if name)), tags
            found.setdefault(story, []).append(Carried(story, feed_id, *made[feed_id, site]))
    return found


def _feeds(tx: Transaction, user_id: int) -> dict[int, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Give every feed's names and, where the person follows it, tags."""
    mine = (subscriptions.c.feed_id == feeds.c.id) & (subscriptions.c.user_id == user_id)
    own_title, tags = (
        func.coalesce(subscriptions.c.title, ""),
        func.coalesce(subscriptions.c.tags, literal((), Words())),
    )
    query = select(feeds.c.id, feeds.c.name, feeds.c.url, feeds.c.site_url, own_title, tags)
    rows = tx.connection.execute(query.select_from(feeds.outerjoin(subscriptions, mine)))
    return {
        number: ((name, own, stored.site(url), stored.site(site_url)), tags)
        for number, name, url, site_url, own, tags in rows
    }
