"""Which articles a user may see: those of the feeds that they follow now, those that their filter has scored, and those
that they imported or gave a verdict on.

All users share one table of articles. Every query that finds articles by an id from outside, by words, or by their
story uses ``visible``.

A story can have articles that a user may not see, its first one among them. So each user has a *leading article* of
their own for it: the one that was scored for them, else the first that they may see. Decisions, current scores and
verdicts are about that article. For somebody who sees the whole story it is the story's first.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, FromClause, ScalarSelect, Select, and_, exists, func, or_, select

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import among, chunks
from storage.schema import articles, current_scores, feedback, subscriptions

# Made once, as are the expressions for each user: SQLAlchemy takes as long to make them as SQLite takes to answer. No
# alias is nested in itself.
_once = lru_cache(1000)
_LEADING = articles.alias("leading_article")
_SCORED = articles.alias("scored_article")
_EARLIER = articles.alias("earlier_article")
_VISIBLE = articles.alias("visible_article")
_OF_FEED = articles.alias("article_of_feed")


@_once
def visible(user_id: int, article: FromClause = articles) -> ColumnElement[bool]:
    """Return the condition that a user may see a row of ``articles``."""
    c = article.c
    return or_(
        exists().where(subscriptions.c.user_id == user_id, subscriptions.c.feed_id == c.feed_id).correlate(article),
        _has_score(user_id, article),
        exists().where(feedback.c.user_id == user_id, feedback.c.story == c.seq).correlate(article),
    )


@_once
def lead(user_id: int, article: FromClause = articles) -> ScalarSelect[Any]:
    """Return the expression for the article that leads the story of a row of ``articles`` for a user.

    Without a story it is the article itself.
    """
    return func.coalesce(scored_lead(user_id, article), _first(user_id, article), article.c.seq)  # type: ignore[return-value]


@_once
def scored_lead(user_id: int, article: FromClause = articles) -> ScalarSelect[Any]:
    """Return the expression for the article of a story that was scored for a user; NULL if none was.

    The story is that of a row of ``articles``.
    """
    of_story = _SCORED
    query = select(func.min(of_story.c.seq)).where(of_story.c.story == article.c.story, article.c.story > 0)
    return query.where(_has_score(user_id, of_story)).correlate(article).scalar_subquery()


@_once
def is_scored(user_id: int, article: FromClause = articles) -> ColumnElement[bool]:
    """Return the condition that the story of a row of ``articles`` has a score for a user."""
    of_story = _SCORED
    return exists().where(of_story.c.story == article.c.story, _has_score(user_id, of_story)).correlate(article)


@_once
def is_first(user_id: int, article: FromClause = articles) -> ColumnElement[bool]:
    """Return the condition that no article of the story before a row of ``articles`` is one that a user may see."""
    earlier = _EARLIER
    of_story = earlier.c.story == article.c.story, earlier.c.seq < article.c.seq
    other = exists().where(*of_story, visible(user_id, earlier)).correlate(article)
    return or_(article.c.seq == article.c.story, ~other)


def leads_of_feed(user_id: int, feed_id: int) -> Select[Any]:
    """Select the leading articles of the scored stories that have an article of a feed that the user may see."""
    mine = _OF_FEED.c.feed_id == feed_id, _OF_FEED.c.story > 0, visible(user_id, _OF_FEED)
    return select(scored_lead(user_id, _OF_FEED)).where(*mine)


def leads(tx: Transaction, user_id: int, seqs: Sequence[int]) -> dict[int, int]:
    """Return for each of these articles the one that leads its story for the user; unknown articles are left out."""
    found: dict[int, int] = {}
    for piece in chunks(seqs):
        query = select(articles.c.seq, lead(user_id)).where(among(articles.c.seq, piece))
        found |= dict(tx.connection.execute(query).all())
    return found


def of_stories(user_id: int, stories: Sequence[int], *columns: ColumnElement[Any]) -> Select[Any]:
    """Select leading article, number and ``columns`` of the articles of some stories that a user may see.

    Stories are given by their leading articles; articles come in order of arrival.
    """
    leading = _LEADING
    query = select(leading.c.seq, articles.c.seq, *columns).join_from(
        leading, articles, and_(articles.c.story == leading.c.story, leading.c.story > 0)
    )
    return query.where(leading.c.seq.in_(stories), visible(user_id)).order_by(articles.c.seq)


def only_visible(tx: Transaction, user_id: int, seqs: Sequence[int]) -> list[int]:
    """Return those of ``seqs`` that the user may see, in their order."""
    found: set[int] = set()
    for piece in chunks(seqs):
        query = select(articles.c.seq).where(among(articles.c.seq, piece), visible(user_id))
        found |= set(tx.connection.execute(query).scalars())
    return [seq for seq in seqs if seq in found]


@_once
def _has_score(user_id: int, article: FromClause) -> ColumnElement[bool]:
    # Not a join: SQLite would go through all scores of the user for each row.
    return exists().where(current_scores.c.user_id == user_id, current_scores.c.seq == article.c.seq).correlate(article)


@_once
def _first(user_id: int, article: FromClause) -> ScalarSelect[Any]:
    of_story = _VISIBLE
    query = select(func.min(of_story.c.seq)).where(of_story.c.story == article.c.story, article.c.story > 0)
    return query.where(visible(user_id, of_story)).correlate(article).scalar_subquery()
