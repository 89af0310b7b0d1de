"""Reads the facts, decides what is due, and puts it into the work."""

from __future__ import annotations

from datetime import datetime, timedelta

from iscore.jobs.workers.due import LONGEST_PAUSE, Facts, due
from storage.engine.base_database import Transaction
from storage.opening.database import Database
from storage.people import users
from storage.records.work import Task
from storage.stories import due_users
from storage.stream import hosts
from storage.work import work
from storage.work.work import check_schema

PLAN_EVERY = timedelta(seconds=5)
"""By whichever worker comes first."""
SHARE = 100
"""Planning takes no more than one part in so many of the time: with very many readers it is done less often."""
ACTIVE = timedelta(minutes=15)
"""So long after the last recorded use of a browser or an app its user counts as reading. Use is recorded every five
minutes, by the clock of the machine that serves pages."""


def plan(database: Database, *, always: bool = False) -> None:
    """Put what is due, unless some worker has done so a few seconds ago, or ``always``.

    Raises ``UnknownSchema`` and other ``StorageError``.
    """
    with database.write_work() as tx:
        check_schema(database, tx)
        now = work.now(tx)
        if work.may_plan(tx, now, always=always):
            for task, key in due_users.repaired(tx, now):
                work.try_again(tx, task, key, now)
            work.put(tx, due(_facts(tx, now)), now)
            after = work.now(tx)
            work.plan_again(tx, after + max(PLAN_EVERY, min(SHARE * (after - now), work.LONGEST_PLAN)))


def _facts(tx: Transaction, now: datetime) -> Facts:
    active = due_users.active(tx, now - ACTIVE)
    waiting = due_users.waiting(tx, unplanned_until=now + LONGEST_PAUSE)
    planned = {user: due for user, due in active.items() if due is not None}
    return Facts(
        now=now,
        hosts=hosts.due(tx, now),
        polled=work.last_finished(tx, Task.POLL),
        unmeasured=due_users.are_unmeasured(tx),
        unlearned=due_users.with_unlearned(tx),
        waiting=planned | waiting,
        active=active.keys(),
        followers=users.with_feeds_key(tx, waiting),
        readers=users.count(tx),
        digests=due_users.with_news_for(tx, Task.DIGEST),
        connections=due_users.with_due_connection(tx, now),
        synchronised=work.last_finished(tx, Task.CONNECT),
        pruned=work.last_finished(tx, Task.PRUNE).get(""),
    )
