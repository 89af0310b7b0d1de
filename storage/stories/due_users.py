"""For which users something waits: articles without a decision, verdicts that are not learned, digests, connections."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import and_, exists, func, or_, select

from storage.engine.base_database import Transaction
from storage.log import feedback, snapshots
from storage.records.users import Kind
from storage.records.work import Task
from storage.schema import (
    app_passwords,
    articles,
    connections,
    current_scores,
    mail_confirmations,
    sessions,
    subscriptions,
    users,
    work,
)
from storage.schema import documents as texts
from storage.schema import feedback as log
from storage.schema import snapshots as saved
from storage.stream.visibility import is_scored

BY_FILES = timedelta(hours=1)
"""After so long, work is tried again that was set aside and whose user has their feeds, rules and settings in files."""
OF_NOBODY = timedelta(days=1)
"""After so long, work of no user is tried again that was set aside: perhaps its workers ended for other reasons."""


def waiting(tx: Transaction, *, unplanned_until: datetime | None = None) -> dict[int, datetime]:
    """Return for which users articles wait that have features and no decision, and when the first one arrived.

    ``unplanned_until``: only users of whom it is not planned to decide about their articles by then. With many users
    these are few, and the others need not be looked at again.
    """
    c = articles.c
    scored = articles.alias("scored_article")
    # Subqueries of one value, which are answered for one user or one story after the other. What NOT EXISTS says of
    # all at once, PostgreSQL would join with all scores that there are.
    score = (
        exists()
        .where(current_scores.c.user_id == users.c.id, current_scores.c.seq == scored.c.seq)
        .correlate(users, scored)
    )
    of_story = select(scored.c.seq).where(scored.c.story == c.story, score).limit(1)
    oldest = (
        select(func.min(c.arrived, type_=c.arrived.type))
        .join_from(subscriptions, articles, (c.feed_id == subscriptions.c.feed_id) & (c.seq > users.c.decided_to))
        .where(subscriptions.c.user_id == users.c.id, c.story > 0)
        .where(of_story.correlate(articles, users).scalar_subquery().is_(None))
        .correlate(users)
        .scalar_subquery()
    )
    query = select(users.c.id, oldest)
    if unplanned_until is not None:
        judging = work.c.task == Task.DECIDE.value, work.c.user_id == users.c.id, work.c.due <= unplanned_until
        query = query.where(~exists().where(*judging).correlate(users))
    return {user: at for user, at in tx.connection.execute(query) if at is not None}


def count_unscored(tx: Transaction, user_id: int) -> int:
    """Count the articles of a user's feeds that have no score for them yet, measured or not."""
    c = articles.c
    followed = select(subscriptions.c.feed_id).where(subscriptions.c.user_id == user_id)
    after = select(users.c.decided_to).where(users.c.id == user_id).scalar_subquery()
    query = select(func.count()).where(c.feed_id.in_(followed), c.seq > after, func.coalesce(c.story, 1) > 0)
    return int(tx.connection.execute(query.where(~is_scored(user_id))).scalar_one())


def are_unmeasured(tx: Transaction) -> bool:
    """Return whether articles wait for their features."""
    return tx.connection.execute(select(articles.c.seq).where(articles.c.story.is_(None)).limit(1)).first() is not None


def unlearned(tx: Transaction, user_id: int) -> int:
    """Count the user's verdicts that current scores do not include yet; a correction of an older one counts as one."""
    row = snapshots.newest_sequence(tx, user_id) or 0
    entries = feedback.effective(tx, user_id, after_row=row)
    teaching = sum(entry.kind in feedback.LEARNED_KINDS for entry in entries)
    return max(teaching, int(feedback.superseded_after(tx, user_id, row) is not None))


def with_unlearned(tx: Transaction) -> list[int]:
    """List the users who have given or undone verdicts that current scores do not include yet."""
    kinds = [kind.value for kind in (*feedback.LEARNED_KINDS, Kind.UNDO)]
    last = select(func.max(saved.c.sequence)).where(saved.c.user_id == users.c.id).correlate(users).scalar_subquery()
    new = log.c.user_id == users.c.id, log.c.row > func.coalesce(last, 0), log.c.kind.in_(kinds)
    one = select(log.c.row).where(*new).limit(1).correlate(users).scalar_subquery()  # for one user after the other
    query = select(users.c.id).where(one.is_not(None)).order_by(users.c.id)
    return [user for user in tx.connection.execute(query).scalars() if unlearned(tx, user)]


def active(tx: Transaction, since: datetime) -> dict[int, datetime | None]:
    """Return the users who have used a browser or an app ``since``, and after their articles were decided about last;
    each with when that is planned, if it is.
    """
    browsers = select(sessions.c.user_id, sessions.c.used).where(sessions.c.used >= since)
    apps = select(app_passwords.c.user_id, app_passwords.c.used).where(app_passwords.c.used >= since)
    found = browsers.union_all(apps).subquery()
    judging = and_(work.c.user_id == found.c.user_id, work.c.task == Task.DECIDE.value)
    query = select(found.c.user_id, work.c.due).select_from(found.outerjoin(work, judging))
    query = query.where(or_(work.c.finished.is_(None), found.c.used > work.c.finished))
    return dict(tx.connection.execute(query).all())


def with_news_for(tx: Transaction, task: Task) -> list[int]:
    """List the users for whom a task was never put, or who changed feeds, rules or settings since it was finished, or
    asked for a code that confirms their address, or entered it.

    Changes of files are not known here.
    """
    row = exists().where(work.c.task == task.value, work.c.user_id == users.c.id).correlate(users)
    found = set(tx.connection.execute(select(users.c.id).where(~row)).scalars())
    changed = select(work.c.user_id).join(texts, texts.c.user_id == work.c.user_id)
    changed = changed.where(work.c.task == task.value, texts.c.changed > work.c.finished)
    asked = select(work.c.user_id).join(mail_confirmations, mail_confirmations.c.user_id == work.c.user_id)
    latest = or_(mail_confirmations.c.asked > work.c.finished, mail_confirmations.c.confirmed > work.c.finished)
    asked = asked.where(work.c.task == task.value, latest)
    return sorted(found.union(tx.connection.execute(changed.union(asked)).scalars()))


def with_due_connection(tx: Transaction, now: datetime) -> list[int]:
    """List the users whose account on another server is due to be synchronised."""
    due = or_(connections.c.next_due.is_(None), connections.c.next_due <= now)
    return list(tx.connection.execute(select(connections.c.user_id).where(due)).scalars())


def repaired(tx: Transaction, now: datetime) -> list[tuple[Task, str]]:
    """List task and key of the work that was set aside before its user changed feeds, rules or settings.

    Changes of files are not known here: what depends on them counts as repaired after an hour. What is no user's, such
    as polls of a host, is tried again after a day.
    """
    theirs = texts.c.user_id == work.c.user_id
    changed = exists().where(theirs, texts.c.changed > work.c.set_aside).correlate(work)
    in_files = ~exists().where(theirs).correlate(work) & (work.c.set_aside <= now - BY_FILES)
    of_user = work.c.user_id.is_not(None) & or_(changed, in_files)
    of_nobody = work.c.user_id.is_(None) & (work.c.set_aside <= now - OF_NOBODY)
    query = select(work.c.task, work.c.key).where(work.c.set_aside.is_not(None), or_(of_user, of_nobody))
    return [(Task(task), key) for task, key in tx.connection.execute(query)]
