"""Statistics of feeds: how much they publish, when, and the user's verdicts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, ScalarSelect, and_, case, func, select

from storage.engine.base_database import Transaction
from storage.log.rule_outcomes import OVERRULED
from storage.records.feeds import FeedArrivals
from storage.records.users import FeedVerdicts, Kind
from storage.schema import articles, decisions, effective_verdicts, rule_outcomes, subscriptions
from storage.stream.visibility import lead


def arrivals(tx: Transaction, user_id: int, since: datetime) -> dict[int, FeedArrivals]:
    """Return, by feed id, when articles of the user's feeds arrived; feeds without articles are left out."""
    # The articles of a feed are numbered in order of arrival, so the first and the last are found without the others.
    own, c = articles.alias("article_of_feed"), articles.c

    def one(value: ColumnElement[Any], by: ColumnElement[Any]) -> ScalarSelect[Any]:
        of_feed = select(value).where(own.c.feed_id == subscriptions.c.feed_id).correlate(subscriptions)
        return of_feed.order_by(by).limit(1).scalar_subquery()

    last = own.c.seq.desc()
    first, newest = one(own.c.arrived, own.c.seq), one(own.c.arrived, last)
    published = one(case((own.c.published.is_not(None), own.c.dated)), last)
    recent = select(func.count()).where(c.feed_id == subscriptions.c.feed_id, c.arrived >= since, c.arrived > first)
    query = select(subscriptions.c.feed_id, first, newest, recent.correlate(subscriptions).scalar_subquery(), published)
    rows = tx.connection.execute(query.where(subscriptions.c.user_id == user_id))
    return {feed: FeedArrivals(*values) for feed, *values in rows if values[0] is not None}


def verdict_counts(tx: Transaction, user_id: int) -> dict[int, FeedVerdicts]:
    """Return, by feed id, the user's verdicts on the feed's stories; feeds without stories are left out."""
    carried = (
        select(articles.c.feed_id, lead(user_id).label("story"))
        .join(subscriptions, subscriptions.c.feed_id == articles.c.feed_id)
        .where(subscriptions.c.user_id == user_id, articles.c.story > 0)
        .distinct()
        .subquery()
    )

    def count_of(kind: Kind) -> ColumnElement[Any]:
        return func.sum(case((effective_verdicts.c.kind == kind, 1), else_=0))

    query = (
        select(
            carried.c.feed_id,
            func.sum(case((and_(decisions.c.interesting, ~OVERRULED), 1), else_=0)),
            count_of(Kind.LIKE),
            count_of(Kind.DISLIKE),
            count_of(Kind.SKIP),
        )
        .outerjoin(decisions, and_(decisions.c.user_id == user_id, decisions.c.seq == carried.c.story))
        .outerjoin(rule_outcomes, and_(rule_outcomes.c.user_id == user_id, rule_outcomes.c.seq == carried.c.story))
        .outerjoin(
            effective_verdicts,
            and_(effective_verdicts.c.user_id == user_id, effective_verdicts.c.story == carried.c.story),
        )
        .group_by(carried.c.feed_id)
    )
    return {feed: FeedVerdicts(*counts) for feed, *counts in tx.connection.execute(query)}
