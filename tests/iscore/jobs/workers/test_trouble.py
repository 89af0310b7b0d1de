"""Trouble with one host, feed or reader, and a full queue: the others do not wait for longer than a lease."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from iscore.evaluation.feed_server import Document, FeedServer
from iscore.jobs.workers.due import HOST_PAUSE
from iscore.jobs.workers.loop import LEASE
from storage.records.users import Kind
from storage.records.work import Queue, Task
from storage.work import work
from tests.iscore.jobs.workers.office import PEOPLE, Office
from tests.servers.feed_server import rss

PATIENCE = 60.0
"""Seconds for anything to happen on a busy machine."""
TROUBLE = "127.0.2.1"


@contextmanager
def host(answer: Callable[[], bytes]) -> Iterator[str]:
    """A host of its own with one feed; gives its address."""

    def document(_path: str) -> Document:
        return Document(answer(), "application/rss+xml", datetime.now(UTC))

    with FeedServer(document, lambda: datetime.now(UTC), (TROUBLE, 0)) as server:
        yield f"{server.url}/feed"


def judged(office: Office) -> dict[int, int]:
    """Return how many decisions each person has."""
    return dict(office.execute("SELECT user_id, count(*) FROM current_scores GROUP BY user_id"))


@pytest.mark.long
def test_while_a_host_hangs_what_came_of_the_others_is_judged_by_another_worker(office: Office) -> None:
    def meanwhile() -> bytes:
        """The first worker waits for this answer: it has polled the other hosts, and another one goes on."""
        end = time.monotonic() + PATIENCE
        with office.open() as database:
            while len(seen) < len(PEOPLE):
                assert time.monotonic() < end
                office.works(database, [Task.MEASURE, Task.DECIDE])
                seen.update(judged(office))
        held.update(office.holders(Task.POLL))
        return rss(3)

    seen: dict[int, int] = {}
    held: dict[str, str] = {}
    with host(meanwhile) as url:
        office.follow(1, url)
        assert office.works(tasks=[Task.POLL])
    assert TROUBLE in held
    assert min(seen.values()) > 5
    office.works()
    office.check()


@pytest.mark.long
def test_a_feed_that_kills_its_workers_is_set_aside_and_takes_nothing_with_it(office: Office) -> None:
    office.follow(1, f"http://{TROUBLE}:1/feed")
    for _ in range(work.MAX_ATTEMPTS):
        office.works(tasks=[])  # which plans what is due
        with office.open() as other, other.write_work() as tx:
            at = work.now(tx)
            claims = work.claim(tx, at, LEASE, holder="dies", most={Task.POLL: 64}, tasks=[Task.POLL])
            work.give_back(tx, [each for each in claims if each.key != TROUBLE])
        assert TROUBLE in {each.key for each in claims}
        office.passes(LEASE, "dies")
        office.works(tasks=[])
        office.execute(f"UPDATE work SET due = due - 3600000000 WHERE key = '{TROUBLE}'")  # the oldest, so the next
    office.works()
    (row,) = office.set_aside()
    assert (row.task, row.key, row.reason) == (Task.POLL, TROUBLE, work.DIED)
    assert set(judged(office)) == set(PEOPLE)
    office.execute(f"DELETE FROM work WHERE key = '{TROUBLE}'")
    office.works()
    office.check()


@pytest.mark.long
def test_verdicts_come_before_a_full_queue_of_hosts(office: Office) -> None:
    office.works()
    anna = office.news.for_user(2)
    anna.give(Kind.LIKE, [each.id for each in anna.inbox(everything=True).items[:3]])
    rows = ", ".join(f"('poll', 'h{n}.example', 'poll', 0, '', 1, 0, '')" for n in range(70))
    office.execute(f"INSERT INTO work (task, key, queue, due, holder, fence, attempts, reason) VALUES {rows}")
    office.passes(HOST_PAUSE)
    office.events.clear()
    office.works()
    jobs = [each["work"] for each in office.seen("job")]
    assert jobs[0] == Task.DECIDE.value
    assert jobs.count(Task.POLL.value) == 2
    assert anna.models.unlearned() == 0
    office.check()


@pytest.mark.long
def test_a_reader_whose_rules_are_broken_holds_up_nobody(office: Office) -> None:
    office.news.for_user(2).context.rules.replace("rules: 7", before="")
    office.works()
    with office.news.database.read() as tx:
        ages = work.oldest_due(tx, work.now(tx))
    assert {1, 3} <= set(judged(office))
    assert ages == dict.fromkeys(Queue, 0.0)  # tried again in a minute, and not at once
