"""The work of workers: rows that are due are claimed, with a lease by the database's clock and a fence number.

    put ─► due ─► claim ─┬─► finish          the row rests until it is put again
                         ├─► give_back       due again, as if it had never been claimed
                         └─► fail ─► due again, later; after ``MAX_ATTEMPTS`` set aside ─► try_again

A worker renews its leases while it works. One that was stopped or has died renews none: when the lease has ended,
another worker claims the row, with another fence. ``require`` compares the fence before results are written.

Here is the truth about who works on what, and nothing else: what is due follows from other tables, and is put again if
a row is lost. Only ``set_aside`` lasts, until ``try_again``, or until a worker that was only stopped finishes it.

All functions take the present as an argument: ``now(tx)`` is the database's.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, bindparam, case, delete, exists, func, or_, select, true, update

from storage.engine.base_database import Database, Transaction
from storage.engine.bulk_insert import CHUNK, insert_new
from storage.engine.errors import LeaseLost, UnknownSchema
from storage.records.work import Claim, DueWork, Queue, SetAside, Task
from storage.schema import REVISIONS, work
from storage.schema.columns import microseconds, moment_or_none

MAX_ATTEMPTS = 3
"""Attempts that fail before a row is set aside."""
PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5))
"""Before the next attempt; the last one repeats."""
LONGEST_PLAN = timedelta(hours=1)
"""Nobody waits longer before planning again; a later time was set while a clock was wrong."""
LONGEST_REASON = 500
"""Characters."""
DIED = "its worker ended, or was stopped for long, each time"

_c = work.c
_RANK = {queue.value: rank for rank, queue in enumerate(Queue)}
_PLAN = "plan"
"""The task of the row that says when what is due was put last. Nobody claims it."""
_BY_RANK = case(_RANK, value=_c.queue, else_=len(Queue))
_CHANGE = (
    update(work)
    # Not claimed since it was read.
    .where(_c.task == bindparam("of"), _c.key == bindparam("at"), _c.fence == bindparam("read"))
    .values(due=bindparam("new_due"), queue=bindparam("new_queue"))
)
_NOBODY: dict[str, Any] = {"lease_until": None, "holder": ""}


def now(tx: Transaction) -> datetime:
    """Return the time by the database's clock: the same for all workers, whatever their own clocks say."""
    query = "SELECT CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER)"
    if tx.connection.dialect.name == "postgresql":
        query = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)"
    found = moment_or_none(tx.connection.exec_driver_sql(query).scalar_one())
    assert found is not None  # noqa: S101 -- clocks always answer
    return found


def is_due(tx: Transaction, at: datetime, tasks: Collection[Task]) -> bool:
    """Return whether it is time to put what is due, or one of these tasks has a row to be claimed. Locks nothing."""
    waits = exists().where(_c.task == _PLAN, ~_plan_is_due(at))
    free = exists().where(_free(at), _c.task.in_([task.value for task in tasks]))
    return tx.connection.execute(select(or_(free, ~waits))).scalar_one()


def may_plan(tx: Transaction, at: datetime, *, always: bool = False) -> bool:
    """Return whether it is time (or ``always``) to put what is due, and this worker's turn.

    One plans at a time, until it commits.
    """
    values: dict[str, Any] = {"task": _PLAN, "key": "", "queue": _PLAN, "holder": "", "fence": 0, "attempts": 0}
    tx.connection.execute(insert_new(work).values(**values, reason=""))
    turn = true() if always else _plan_is_due(at)
    query = select(_c.key).where(_c.task == _PLAN, turn).with_for_update(skip_locked=True)
    return tx.connection.execute(query).first() is not None


def plan_again(tx: Transaction, at: datetime) -> None:
    """Let nobody plan before, at the end of what ``may_plan`` began."""
    tx.connection.execute(update(work).where(_c.task == _PLAN).values(due=at))


def put(tx: Transaction, rows: Sequence[DueWork], at: datetime) -> None:
    """Make something due. What is due earlier already stays so, in its queue if that is more urgent.

    What is claimed or set aside stays as it is: put it again when that has ended.
    """
    known: dict[tuple[str, str], Row[Any]] = {}
    for task in {each.task for each in rows}:
        keys = [each.key for each in rows if each.task is task]
        for start in range(0, len(keys), CHUNK):
            query = select(work).where(_c.task == task.value, _c.key.in_(keys[start : start + CHUNK]))
            known |= {(row.task, row.key): row for row in tx.connection.execute(query)}
    new, changed = [], []
    for each in rows:
        row = known.get((each.task.value, each.key))
        if row is None:
            values = {"task": each.task.value, "key": each.key, "user_id": each.user_id, "queue": each.queue.value}
            # No claim of a row that was there before, and was deleted, has such a number.
            new.append({**values, "due": each.due, "fence": microseconds(at)})
        elif row.set_aside is None and (row.lease_until is None or row.lease_until <= at):
            queue, due = each.queue.value, each.due
            if row.due is not None and row.due <= due:
                due = row.due
                queue = min(queue, row.queue, key=_RANK.__getitem__)
            if (due, queue) != (row.due, row.queue):
                changed.append({"of": row.task, "at": row.key, "read": row.fence, "new_due": due, "new_queue": queue})
    if new:
        tx.connection.execute(insert_new(work).values(holder="", attempts=0, reason=""), new)
    if changed:
        tx.connection.execute(_CHANGE, changed)


def claim(
    tx: Transaction,
    at: datetime,
    lease: timedelta,
    *,
    holder: str,
    most: Mapping[Task, int],
    tasks: Collection[Task] = tuple(Task),
) -> list[Claim]:
    """Claim the most urgent row that is due, and with it others of its task, ``most`` in all (by default 1); none if
    nothing is due.

    Rows that other workers are claiming just now are passed by. What was claimed before and not finished is claimed
    alone: if it kills its worker, it takes no other row with it. If it has done so ``MAX_ATTEMPTS`` times, it is set
    aside.
    """
    _set_aside_deadly(tx, at)
    query = (
        select(work).where(_free(at), _c.task.in_([task.value for task in tasks])).order_by(_BY_RANK, _c.due, _c.key)
    )
    query = query.with_for_update(skip_locked=True)
    rows = list(tx.connection.execute(query.limit(1)))
    if rows and rows[0].attempts == 0:
        (first,) = rows
        others = query.where(_c.task == first.task, _c.key != first.key, _c.attempts == 0)
        rows += tx.connection.execute(others.limit(most.get(Task(first.task), 1) - 1))
    claims = []
    for row in rows:
        values = {"fence": row.fence + 1, "attempts": row.attempts + 1, "lease_until": at + lease, "holder": holder}
        tx.connection.execute(update(work).where(_c.task == row.task, _c.key == row.key).values(values))
        what = Task(row.task), row.key, Queue(row.queue), row.due, row.user_id
        claims.append(Claim(*what, row.fence + 1, row.attempts + 1))
    return claims


def renew(tx: Transaction, claims: Sequence[Claim], until: datetime) -> bool:
    """Prolong the leases of those claims that are still held; return whether all are."""
    renewed = (tx.connection.execute(update(work).where(_held(each)).values(lease_until=until)) for each in claims)
    return sum(each.rowcount for each in renewed) == len(claims)


def require(tx: Transaction, claims: Sequence[Claim]) -> None:
    """Raise ``LeaseLost`` unless all claims are still held: nobody has claimed the same rows since.

    A claim whose lease has ended is held as long as nobody else claims the row.
    """
    held = select(func.count()).select_from(work).where(or_(*map(_held, claims)))
    if tx.connection.execute(held).scalar_one() != len(claims):
        raise LeaseLost


def finish(tx: Transaction, claims: Sequence[Claim], at: datetime, due: datetime | None = None) -> None:
    """End the leases of what is done; it is due again when it is put, or at ``due``.

    What was set aside since its worker had been stopped for long is not any more.
    """
    values = {"due": due, "attempts": 0, "reason": "", "finished": at, "set_aside": None, **_NOBODY}
    for each in claims:
        tx.connection.execute(update(work).where(_held(each)).values(values))


def give_back(tx: Transaction, claims: Sequence[Claim]) -> None:
    """End the leases of what was not done, through no fault of its own; it is still due."""
    values = {"attempts": _c.attempts - 1, **_NOBODY}
    for each in claims:
        tx.connection.execute(update(work).where(_held(each)).values(values))


def fail(tx: Transaction, each: Claim, at: datetime, reason: str) -> bool:
    """End the lease of what has failed: it is due again after a pause, or set aside if it has failed too often.

    ``reason`` is a readable line. Returns whether it is set aside.
    """
    over = each.attempts >= MAX_ATTEMPTS
    pause = PAUSES[min(each.attempts, len(PAUSES)) - 1]
    values = {"reason": reason[:LONGEST_REASON], "due": at + pause, "set_aside": at if over else None, **_NOBODY}
    return tx.connection.execute(update(work).where(_held(each)).values(values)).rowcount == 1 and over


def oldest_due(tx: Transaction, at: datetime) -> dict[Queue, float]:
    """Return for each queue for how many seconds its oldest row has been due; 0 if none is.

    What a worker has claimed is still due; what is set aside is not.
    """
    query = select(_c.queue, func.min(_c.due, type_=_c.due.type)).where(_c.due <= at, _c.set_aside.is_(None))
    found = dict(tx.connection.execute(query.group_by(_c.queue)).all())
    return {queue: (at - found.get(queue.value, at)).total_seconds() for queue in Queue}


def set_aside(tx: Transaction) -> list[SetAside]:
    """List the rows that are set aside, the last one first."""
    query = select(_c.task, _c.key, _c.user_id, _c.set_aside, _c.attempts, _c.reason).where(_c.set_aside.is_not(None))
    rows = tx.connection.execute(query.order_by(_c.set_aside.desc(), _c.task, _c.key))
    return [SetAside(Task(task), *rest) for task, *rest in rows]


def try_again(tx: Transaction, task: Task, key: str, at: datetime) -> bool:
    """Make a row due that is set aside; return whether it was."""
    row = _c.task == task.value, _c.key == key, _c.set_aside.is_not(None)
    values = {"set_aside": None, "attempts": 0, "due": at}
    return tx.connection.execute(update(work).where(*row).values(values)).rowcount == 1


def rest(tx: Transaction, task: Task, key: str, at: datetime) -> None:
    """Make something due no longer, since other work included it. What is claimed or set aside stays as it is."""
    row = _c.task == task.value, _c.key == key, _c.lease_until.is_(None), _c.set_aside.is_(None)
    tx.connection.execute(update(work).where(*row).values(due=None, finished=at))


def last_finished(tx: Transaction, task: Task) -> dict[str, datetime]:
    """Return by key when the rows of a task were last finished; those that never were are left out."""
    query = select(_c.key, _c.finished).where(_c.task == task.value, _c.finished.is_not(None))
    return dict(tx.connection.execute(query).all())


def forget(tx: Transaction, task: Task, before: datetime) -> None:
    """Delete rows of a task with which nothing was done since ``before``: those of hosts that nobody follows."""
    idle = _c.task == task.value, _c.due.is_(None), _c.set_aside.is_(None), _c.finished < before
    tx.connection.execute(delete(work).where(*idle))


def _held(each: Claim) -> ColumnElement[bool]:
    return and_(_c.task == each.task.value, _c.key == each.key, _c.fence == each.fence)


def _plan_is_due(at: datetime) -> ColumnElement[bool]:
    """Build the condition for the row of ``_PLAN``."""
    return or_(_c.due.is_(None), _c.due <= at, _c.due > at + LONGEST_PLAN)


def _free(at: datetime) -> ColumnElement[bool]:
    return and_(_c.due <= at, _c.set_aside.is_(None), or_(_c.lease_until.is_(None), _c.lease_until <= at))


def _set_aside_deadly(tx: Transaction, at: datetime) -> None:
    deadly = _free(at), _c.lease_until.is_not(None), _c.attempts >= MAX_ATTEMPTS
    query = select(_c.task, _c.key).where(*deadly).with_for_update(skip_locked=True)
    for task, key in tx.connection.execute(query).all():
        values = {"set_aside": at, "reason": DIED, **_NOBODY}
        tx.connection.execute(update(work).where(_c.task == task, _c.key == key).values(values))


class FencedDatabase(Database):
    """Another open database, to be written while some claims are held. It is not closed with this one.

    ``write`` raises ``LeaseLost`` when the claims are held no longer, and ``UnknownSchema`` when a newer iScore has
    changed the tables meanwhile; then nothing is written.
    """

    def __init__(self, database: Database, claims: Sequence[Claim]) -> None:
        self.name = database.name
        self.writable = database.writable
        self._database = database
        self._claims = claims

    def read(self) -> AbstractContextManager[Transaction]:
        return self._database.read()

    @contextmanager
    def write(self, of: int | None = None, *, durable: bool = False, marks_only: bool = False) -> Iterator[Transaction]:
        with self._database.write(of, durable=durable, marks_only=marks_only) as tx:
            # A worker that takes over from now on waits for the same lock before it writes.
            require(tx, self._claims)
            check_schema(self._database, tx)
            yield tx

    def write_work(self) -> AbstractContextManager[Transaction]:
        return self._database.write_work()

    def version(self) -> Hashable:
        return self._database.version()

    def shrink(self) -> None:
        self._database.shrink()

    def rewrite(self) -> None:
        self._database.rewrite()

    def size(self) -> int:
        return self._database.size()

    def close(self) -> None:
        """Leave the other database open."""


def check_schema(database: Database, tx: Transaction) -> None:
    """Raise ``UnknownSchema`` unless the tables are those that this version knows."""
    found = str(tx.connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one())
    if found != REVISIONS[-1]:
        raise UnknownSchema(database.name, found)
