"""Headlines from which a user chooses: stories that they have not been shown, and the list that was shown last."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import exists, or_, select, update

from storage.engine.base_database import Transaction
from storage.log.rule_outcomes import LISTED, MUTED
from storage.records.articles import IngestedArticle
from storage.schema import articles, current_scores, effective_verdicts, features, users
from storage.stories.story_query import Section, StoryQuery
from storage.stream.features import load, select_ingested
from storage.stream.visibility import lead, visible


def candidates(
    tx: Transaction, user_id: int, limit: int, *, with_inbox: bool = False, with_archive: bool = False
) -> list[IngestedArticle]:
    """List the newest stories with a title that have no verdict, in order of arrival.

    Those in the inbox are left out, except ``with_inbox``, and what a rule hides. The archive is left out, except
    ``with_archive``: then it fills what the limit leaves.
    """
    judged = exists().where(effective_verdicts.c.user_id == user_id, effective_verdicts.c.story == features.c.seq)
    settled = (
        StoryQuery(user_id, unrated=False)
        .select(current_scores.c.seq)
        .where(current_scores.c.seq == features.c.seq, MUTED if with_inbox else or_(LISTED, MUTED))
        .correlate(features)
        .exists()
    )
    query = select_ingested(user_id).where(articles.c.story > 0, visible(user_id), features.c.seq == lead(user_id))
    query = query.where(articles.c.title != "", ~judged, ~settled)
    if not with_archive:
        query = query.where(~articles.c.archive)
    query = query.order_by(articles.c.archive, features.c.seq.desc()).limit(limit)
    return sorted(load(tx, query), key=lambda each: each.seq)


def hidden(tx: Transaction, user_id: int, since: datetime) -> list[int]:
    """List the stories that arrived ``since``, have no verdict, and are below the threshold, not hidden by a rule."""
    query = StoryQuery(user_id, since, Section.BELOW).select(current_scores.c.seq).where(~MUTED)
    return list(tx.connection.execute(query).scalars())


def shown(tx: Transaction, user_id: int) -> list[str]:
    """Return the ids of the headlines that were shown last; none after they were answered."""
    stored = tx.connection.execute(select(users.c.headlines).where(users.c.id == user_id)).scalar_one()
    return [str(each) for each in json.loads(stored)] if stored else []


def save_shown(tx: Transaction, user_id: int, ids: Sequence[str]) -> None:
    """Store the ids of the headlines that are shown, to which numbers refer."""
    tx.connection.execute(update(users).where(users.c.id == user_id).values(headlines=json.dumps(list(ids))))
