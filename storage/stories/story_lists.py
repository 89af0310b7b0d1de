"""Lists of stories by time. Lists by score are the inbox's: ``storage.stories.inbox.best``.

A list is read in pages. Each story has a place in it, and the next page begins behind the last one's: so a page costs
the same wherever it is, and none is shown twice when others arrive meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import exists, select

from storage.engine.transaction import Transaction
from storage.log import marks
from storage.log.saved_items import is_saved_item
from storage.schema import articles
from storage.schema import marks as marks_table
from storage.schema.columns import microseconds, moment_or_none
from storage.stories.article_filter import ArticleFilter, conditions
from storage.stories.search import Word, find
from storage.stream.visibility import leads, scored_lead, visible

_LATER = articles.alias("later_article")


def newest(
    tx: Transaction,
    user_id: int,
    only: ArticleFilter,
    *,
    after: int | None = None,
    since: datetime | None = None,
    limit: int | None = None,
) -> list[tuple[int, int]]:
    """List the scored stories that have an article that fits, newest first: leading article, and place.

    The place is the number of the newest article that fits. ``after`` is the place behind which the list begins; with
    ``since`` only articles that arrived since. What was saved elsewhere is nothing new: it is only in lists of what is
    saved or has a label. Raises ``UnknownName``.
    """
    later = _LATER
    of_story = later.c.story == articles.c.story, later.c.seq > articles.c.seq
    fitting_later = exists().where(*of_story, visible(user_id, later), *conditions(tx, user_id, only, later))
    lead = scored_lead(user_id)
    query = select(lead, articles.c.seq).where(articles.c.story > 0, *conditions(tx, user_id, only))
    query = query.where(lead.is_not(None), visible(user_id), ~fitting_later.correlate(articles))
    if not (only.saved or only.label):
        query = query.where(~is_saved_item(user_id))
    if after is not None:
        query = query.where(articles.c.seq < after)
    if since is not None:
        first = marks.first_since(tx, user_id, since)
        query = query.where(articles.c.seq >= (first or 0), articles.c.arrived >= since)
    return list(map(tuple, tx.connection.execute(query.order_by(articles.c.seq.desc()).limit(limit))))


def saved(
    tx: Transaction, user_id: int, only: ArticleFilter, *, after: int | None = None, limit: int | None = None
) -> list[tuple[int, int]]:
    """List the scored stories that the user saved, the last saved first: leading article, and place.

    The place is the time of saving, in microseconds since 1970. Raises ``UnknownName``.
    """
    c = marks_table.c
    lead = scored_lead(user_id)
    query = select(lead, c.saved_at).join_from(marks_table, articles, articles.c.seq == c.story)
    query = query.where(c.user_id == user_id, c.saved_at.is_not(None), lead.is_not(None))
    query = query.where(*conditions(tx, user_id, only)).order_by(c.saved_at.desc(), c.story.desc()).limit(limit)
    if after is not None:
        query = query.where(c.saved_at < moment_or_none(after))
    return [(seq, microseconds(at)) for seq, at in tx.connection.execute(query)]


def matching(
    tx: Transaction,
    user_id: int,
    words: Sequence[Word],
    only: ArticleFilter,
    *,
    after: int | None = None,
    limit: int | None = None,
) -> list[tuple[int, int]]:
    """List the stories with an article that has all of ``words``, newest first: leading article, and place.

    The place is the number of the article. Raises ``UnknownName``.
    """
    found = find(tx, user_id, words, only, before=after, limit=limit)
    leading = leads(tx, user_id, found)
    return [(leading[seq], seq) for seq in found]
