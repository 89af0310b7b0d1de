"""Claims, leases and fences: no two workers do the same, and none writes what another has taken over."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest

from storage.engine.errors import LeaseLost
from storage.opening.database import Database
from storage.people import documents
from storage.records.users import LOCAL_USER
from storage.records.work import Claim, DueWork, Queue, Task
from storage.stories import due_users
from storage.work import work
from tests.storage.conftest import NOON

LEASE = timedelta(minutes=1)
MINUTE = timedelta(minutes=1)


def host(name: str, due: int = 0) -> DueWork:
    """A host that is due for a number of minutes."""
    return DueWork(Task.POLL, name, Queue.POLL, NOON - due * MINUTE)


def put(database: Database, *rows: DueWork, at: int = 0) -> None:
    with database.write_work() as tx:
        work.put(tx, rows, NOON + at * MINUTE)


def claimed(database: Database, at: int = 0, holder: str = "one", most: int = 1) -> list[Claim]:
    with database.write_work() as tx:
        return work.claim(tx, NOON + at * MINUTE, LEASE, holder=holder, most={Task.POLL: most})


def keys(claims: Sequence[Claim]) -> list[str]:
    return [each.key for each in claims]


def test_the_most_urgent_is_claimed_first_and_the_oldest_of_a_queue(database: Database) -> None:
    put(
        database,
        DueWork(Task.PRUNE, "", Queue.PRUNE, NOON - 9 * MINUTE),
        DueWork(Task.DIGEST, "1", Queue.DIGEST, NOON - 8 * MINUTE, LOCAL_USER),
        host("later.example", -1),
        host("b.example"),
        host("a.example", 2),
        DueWork(Task.DECIDE, "1", Queue.VERDICTS, NOON, LOCAL_USER),
    )
    order = [(each.queue, each.key) for _ in range(6) for each in claimed(database)]
    assert order == [
        (Queue.VERDICTS, "1"),
        (Queue.POLL, "a.example"),
        (Queue.POLL, "b.example"),
        (Queue.DIGEST, "1"),
        (Queue.PRUNE, ""),
    ]


def test_several_of_one_task_are_claimed_together(database: Database) -> None:
    put(database, *(host(f"{name}.example", due) for due, name in enumerate("abcd")))
    assert keys(claimed(database, most=3)) == ["d.example", "c.example", "b.example"]
    assert keys(claimed(database, most=3)) == ["a.example"]
    with database.write_work() as tx:
        assert work.claim(tx, NOON + LEASE, LEASE, holder="x", most={}, tasks=(Task.DECIDE, Task.PRUNE)) == []


def test_what_is_due_earlier_stays_so_and_the_more_urgent_queue_counts(database: Database) -> None:
    put(database, DueWork(Task.DECIDE, "1", Queue.VERDICTS, NOON, LOCAL_USER))
    put(database, DueWork(Task.DECIDE, "1", Queue.DECIDE, NOON + MINUTE, LOCAL_USER))
    (claim,) = claimed(database)
    assert (claim.queue, claim.due, claim.user_id) == (Queue.VERDICTS, NOON, LOCAL_USER)


def test_what_other_work_included_is_due_no_longer(database: Database) -> None:
    def rest(at: int) -> None:
        with database.write_work() as tx:
            work.rest(tx, Task.DECIDE, "1", NOON + at * MINUTE)

    put(database, DueWork(Task.DECIDE, "1", Queue.DECIDE, NOON + MINUTE, LOCAL_USER))
    rest(0)
    assert claimed(database, at=2) == []
    put(database, DueWork(Task.DECIDE, "1", Queue.DECIDE, NOON + 3 * MINUTE, LOCAL_USER))
    (claim,) = claimed(database, at=3)
    rest(3)
    with database.write_work() as tx:
        work.require(tx, [claim])
        work.give_back(tx, [claim])
    assert keys(claimed(database, at=3)) == ["1"]


def test_nothing_is_claimed_twice_until_its_lease_ends(database: Database) -> None:
    put(database, host("a.example"))
    (first,) = claimed(database)
    put(database, host("a.example", 5))
    assert claimed(database) == []
    with database.write_work() as tx:
        assert work.renew(tx, [first], NOON + 3 * MINUTE)
    assert claimed(database, at=2) == []
    (second,) = claimed(database, at=3)
    assert second.fence > first.fence
    assert (first.attempts, second.attempts) == (1, 2)


def test_who_was_taken_over_can_write_nothing_and_end_nothing(database: Database) -> None:
    put(database, host("a.example"))
    (late,) = claimed(database)
    with database.read() as tx:
        work.require(tx, [late])
    (now,) = claimed(database, at=2)
    with database.write_work() as tx:
        with pytest.raises(LeaseLost):
            work.require(tx, [late])
        assert not work.renew(tx, [late], NOON + 60 * MINUTE)
        assert not work.renew(tx, [late, now], NOON + 3 * MINUTE)
        work.finish(tx, [late], NOON)
        work.give_back(tx, [late])
        assert not work.fail(tx, late, NOON, "too late")
        work.require(tx, [now])
    assert claimed(database, at=2) == []
    assert keys(claimed(database, at=3)) == ["a.example"]


def test_a_row_that_was_deleted_and_put_again_is_another(database: Database) -> None:
    put(database, host("a.example"))
    (late,) = claimed(database)
    with database.write_work() as tx:
        work.finish(tx, [late], NOON)
        work.forget(tx, Task.POLL, NOON)
        assert work.last_finished(tx, Task.POLL) == {"a.example": NOON}
        work.forget(tx, Task.POLL, NOON + MINUTE)
        assert work.last_finished(tx, Task.POLL) == {}
    put(database, host("a.example"), at=1)
    assert keys(claimed(database, at=1)) == ["a.example"]
    with database.read() as tx, pytest.raises(LeaseLost):
        work.require(tx, [late])


def test_what_is_done_rests_until_it_is_due_again(database: Database) -> None:
    put(database, host("a.example"), host("b.example"))
    first, second = claimed(database, most=2)
    with database.write_work() as tx:
        work.finish(tx, [first], NOON)
        work.finish(tx, [second], NOON, due=NOON + 2 * MINUTE)
    assert claimed(database, at=1) == []
    assert keys(claimed(database, at=2)) == ["b.example"]
    put(database, host("a.example"), at=2)
    assert [(each.key, each.attempts) for each in claimed(database, at=2)] == [("a.example", 1)]


def test_what_is_given_back_counts_as_never_claimed(database: Database) -> None:
    put(database, host("a.example"))
    for _ in range(5):
        claims = claimed(database)
        assert [each.attempts for each in claims] == [1]
        with database.write_work() as tx:
            work.give_back(tx, claims)


def test_what_fails_three_times_is_set_aside_with_its_reason_and_the_others_go_on(database: Database) -> None:
    put(database, host("bad.example"))
    at, outcomes = 0, []
    for pause in (1, 5, 5):
        (claim,) = claimed(database, at)
        with database.write_work() as tx:
            outcomes.append(work.fail(tx, claim, NOON + at * MINUTE, "a bug"))
        at += pause
    assert outcomes == [False, False, True]
    put(database, host("bad.example"), host("good.example"), at=at)
    assert keys(claimed(database, at)) == ["good.example"]
    assert claimed(database, at) == []
    with database.write_work() as tx:
        (row,) = work.set_aside(tx)
        assert (row.task, row.key, row.attempts, row.reason) == (Task.POLL, "bad.example", 3, "a bug")
        assert work.oldest_due(tx, NOON + 60 * MINUTE)[Queue.POLL] == 3600.0
        assert work.try_again(tx, row.task, row.key, NOON)
        assert not work.try_again(tx, row.task, row.key, NOON)
        assert work.set_aside(tx) == []
    assert [(each.key, each.attempts) for each in claimed(database, at)] == [("bad.example", 1)]


def test_what_kills_its_worker_takes_no_other_row_with_it(database: Database) -> None:
    put(database, *(host(f"{name}.example") for name in "abc"))
    assert len(claimed(database, most=9)) == 3  # and the worker dies
    assert [keys(claimed(database, at=1, most=9)) for _ in range(3)] == [["a.example"], ["b.example"], ["c.example"]]
    assert len(claimed(database, at=2)) == 1
    with database.write_work() as tx:
        assert work.set_aside(tx) == []
    assert keys(claimed(database, at=3)) == ["b.example"]
    with database.read() as tx:
        assert [(row.key, row.attempts, row.reason) for row in work.set_aside(tx)] == [("a.example", 3, work.DIED)]


def test_the_age_of_the_oldest_due_of_each_queue(database: Database) -> None:
    put(database, host("a.example", 3), host("b.example", 1), host("c.example", -5))
    claimed(database)
    with database.read() as tx:
        ages = work.oldest_due(tx, NOON)
    assert ages == dict.fromkeys(Queue, 0.0) | {Queue.POLL: 180.0}


def test_the_database_has_a_clock(database: Database) -> None:
    with database.read() as tx:
        first, second = work.now(tx), work.now(tx)
    assert timedelta(0) <= second - first < timedelta(minutes=1)


def test_many_workers_claim_all_and_nothing_twice(database: Database, open_again: Callable[..., Database]) -> None:
    put(database, *(host(f"{number}.example") for number in range(200)))
    start, found, failed = threading.Barrier(4), list[str](), list[Exception]()

    def take(holder: str) -> None:
        try:
            with open_again() as mine:
                start.wait()
                while claims := claimed(mine, holder=holder, most=7):
                    found.extend(keys(claims))
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=take, args=(str(number),)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert sorted(found) == sorted(f"{number}.example" for number in range(200))


def test_claims_wait_for_no_other_writer(postgresql_database: Database) -> None:
    put(postgresql_database, host("a.example"))
    with postgresql_database.write():
        assert keys(claimed(postgresql_database)) == ["a.example"]


def test_one_plans_at_a_time_and_not_too_often(database: Database) -> None:
    for at, always, mine in ((0, False, True), (1, False, False), (1, True, True), (5, False, False), (6, False, True)):
        with database.write_work() as tx:
            now = NOON + at * MINUTE
            assert work.may_plan(tx, now, always=always) == mine
            if mine:
                work.plan_again(tx, now + 5 * MINUTE)
    with database.write_work() as tx:
        assert work.may_plan(tx, NOON - timedelta(days=1))  # a clock was wrong
        assert work.oldest_due(tx, NOON + timedelta(days=1)) == dict.fromkeys(Queue, 0.0)
    assert claimed(database, at=60) == []


def test_a_look_finds_what_is_due_and_locks_nothing(database: Database) -> None:
    def is_due(at: int, tasks: Sequence[Task] = tuple(Task)) -> bool:
        with database.read() as tx:
            return work.is_due(tx, NOON + at * MINUTE, tasks)

    assert is_due(0)  # nobody has planned yet
    with database.write_work() as tx:
        assert work.may_plan(tx, NOON)
        work.plan_again(tx, NOON + 30 * MINUTE)
    assert not is_due(0)
    assert not is_due(29)
    assert is_due(30)
    assert is_due(-60)  # a clock was wrong
    put(database, host("a.example", -5))
    assert not is_due(4)
    assert is_due(5)
    assert not is_due(5, [Task.DECIDE])
    assert keys(claimed(database, at=5)) == ["a.example"]
    assert not is_due(5)
    assert is_due(6)  # the lease has ended


def test_while_one_plans_others_do_not_wait(postgresql_database: Database) -> None:
    with postgresql_database.write_work() as tx:
        assert work.may_plan(tx, NOON)
    with postgresql_database.write_work() as first, postgresql_database.write_work() as second:
        assert work.may_plan(first, NOON)
        assert not work.may_plan(second, NOON, always=True)


def test_work_is_repaired_when_its_user_has_changed_something(database: Database) -> None:
    put(database, host("a.example"), DueWork(Task.DECIDE, "1", Queue.DECIDE, NOON, LOCAL_USER))
    for _ in range(work.MAX_ATTEMPTS):
        for each in (*claimed(database, at=60), *claimed(database, at=60)):
            with database.write_work() as tx:
                work.fail(tx, each, NOON, "wrong")
    with database.write() as tx:
        assert len(work.set_aside(tx)) == 2
        assert due_users.repaired(tx, NOON + 59 * MINUTE) == []
        assert due_users.repaired(tx, NOON + 60 * MINUTE) == [(Task.DECIDE, "1")]  # files may have changed
        documents.put(tx, LOCAL_USER, "rules.yaml", "", NOON - MINUTE)
        assert due_users.repaired(tx, NOON + 60 * MINUTE) == []
        documents.put(tx, LOCAL_USER, "rules.yaml", "rules: []", NOON + MINUTE)
        assert due_users.repaired(tx, NOON + 2 * MINUTE) == [(Task.DECIDE, "1")]
        assert due_users.repaired(tx, NOON + 23 * 60 * MINUTE) == [(Task.DECIDE, "1")]
        both = [(Task.DECIDE, "1"), (Task.POLL, "a.example")]
        assert sorted(due_users.repaired(tx, NOON + 24 * 60 * MINUTE)) == both


def test_what_a_stopped_worker_finishes_after_all_is_not_set_aside(database: Database) -> None:
    put(database, host("a.example"))
    for attempt in range(1, work.MAX_ATTEMPTS + 1):
        held = claimed(database, at=60 * attempt)
        assert len(held) == 1
    assert claimed(database, at=60 * 10) == []
    with database.write_work() as tx:
        assert [each.key for each in work.set_aside(tx)] == ["a.example"]
        work.finish(tx, held, NOON + 10 * MINUTE)
        assert work.set_aside(tx) == []
