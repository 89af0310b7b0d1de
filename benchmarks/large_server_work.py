"""What workers of a large server do, a piece at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import homes, large_database
from benchmarks.large_server_meter import Meter
from benchmarks.results import Cell
from iscore.core.data_folder import DataFolder
from iscore.feeds.parsing.jobs import FeedJob
from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.jobs.scheduler.log_format import Value
from iscore.jobs.workers import tasks
from iscore.jobs.workers.loop import LEASE, DatabaseClock, plan
from iscore.services.news_filter import NewsFilter
from storage.exchange.user_removal import remove_user
from storage.log import feedback, imports
from storage.log.imports import NewImportedItem
from storage.opening.database import ARRIVALS, Database
from storage.records.articles import Features
from storage.records.users import Kind, Verdict
from storage.records.work import Task
from storage.stream import articles, hosts
from storage.work import work
from storage.work.work import check_schema
from tests.servers import static_feeds

IMPORTED = 500
"""Articles that the reader imported who is removed."""


class Workers:
    """What a worker does, without its loop."""

    def __init__(self, home: Path, database: Database) -> None:
        self.home, self.database = home, database

    def plan(self) -> None:
        """Put what is due."""
        plan(self.database, always=True)

    def look(self) -> None:
        """Look for work when there is none: what was due a day ago is done."""
        with self.database.read() as tx:
            check_schema(self.database, tx)
            work.is_due(tx, work.now(tx) - timedelta(days=1), tuple(Task))

    def do(self, task: Task, key: str) -> None:
        """Claim a row of work that is due, do it, and finish it."""
        self.server_due(task, key)
        with self.database.write_work() as tx:
            now = work.now(tx)
            claims = work.claim(tx, now, LEASE, holder="benchmark", most={}, tasks=[task])
        place = tasks.Workplace(DataFolder(self.home), self.database, DatabaseClock(now), _log, lambda: True)
        due = tasks.TASKS[task](place, claims)
        with self.database.write_work() as tx:
            work.finish(tx, claims, work.now(tx), due)

    def server_due(self, task: Task, key: str) -> None:
        """Make a row due before all others, and no other of the task."""
        with self.database.write_work() as tx:
            clear = f"UPDATE work SET due = NULL WHERE task = '{task.value}' AND due IS NOT NULL"
            tx.connection.exec_driver_sql(clear)
            user = key or "NULL"
            tx.connection.exec_driver_sql(
                "INSERT INTO work (task, key, user_id, queue, due, holder, fence, attempts, reason) VALUES "
                f"('{task.value}', '{key}', {user}, '{task.value}', 0, '', 0, 0, '') ON CONFLICT (task, key) DO UPDATE "
                "SET due = 0, attempts = 0"
            )

    def make_digest(self, user: int) -> None:
        """Decide about a reader's new articles, and make their digest of today."""
        news = NewsFilter(DataFolder(self.home), self.database, lambda: datetime.now(UTC), user)
        news.polling.decide(ingest=False)
        news.digest()

    def vote(self, user: int) -> None:
        """Give three verdicts."""
        with self.database.write(user, durable=True) as tx:
            at = work.now(tx)
            query = f"SELECT seq FROM current_scores WHERE user_id = {user} ORDER BY arrived DESC LIMIT 3"
            seqs = list(tx.connection.exec_driver_sql(query).scalars())
            kinds = (Kind.LIKE, Kind.DISLIKE, Kind.DISLIKE)
            feedback.append(
                tx, [Verdict(f"{user} {seq} {at}", user, seq, kind, at) for seq, kind in zip(seqs, kinds, strict=True)]
            )

    def store(self, number: int) -> None:
        """Store ten new articles of a feed, as a poll does."""
        feed = 2 + number % large_database.FEEDS
        with self.database.write(ARRIVALS) as tx:
            at = work.now(tx)
            hosts.due_feeds(tx, [f"host{number}.example"], at)
            new = [homes.article_of_past(10_000_000 + number * 10 + each, "summary", at) for each in range(10)]
            articles.store(tx, feed, f"https://host{number}.example/feed", new, at)


async def start_parser() -> None:
    """Parse a feed, for which a poll starts a process. Only if more than ``WAITING`` feeds wait, it starts another."""
    job = FeedJob(static_feeds.document(0, 1, full=False), "https://host.example/feed", "", datetime.now(UTC))
    async with ParserPool() as pool:
        await pool.parse(job)


def _log(at: datetime, event: str, *, trouble: bool = False, **values: Value) -> None:
    if trouble:
        raise RuntimeError(f"{at} {event}: {values}")


def work_for(
    meter: Callable[[], Meter], workers: Workers, users: Sequence[int], mailed: Sequence[int]
) -> tuple[list[Any], dict[str, float]]:
    """Let workers work for some readers, and make digests for others.

    Returns what each piece cost, and its usual seconds by name.
    """
    rows, usual = [], {}
    for number in range(2):  # compiles, and fills what is cached
        workers.store(number)
        workers.do(Task.MEASURE, "")
        workers.do(Task.DECIDE, str(users[number]))

    workers.plan()  # for all of whom nothing is planned now

    def measured(
        name: str, do: Callable[[int], object], times: Sequence[int], before: Callable[[int], object] | None = None
    ) -> None:
        spent = meter()
        for each in times:
            if before:
                before(each)
            spent(partial(do, each))
        rows.append(spent.row(name))
        usual[name] = spent.usual()

    measured("work: planning", lambda _: workers.plan(), range(5))
    measured("work: looking for work", lambda _: workers.look(), range(20))
    measured("work: start a parser", lambda _: asyncio.run(start_parser()), range(5))
    measured("work: store 10 articles", workers.store, range(10, 30))
    measured("work: measure 200 articles", lambda _: workers.do(Task.MEASURE, ""), [0])
    some = users[2:]
    measured("work: judge", lambda user: workers.do(Task.DECIDE, str(user)), some)
    measured("work: judge, nothing new", lambda user: workers.do(Task.DECIDE, str(user)), some[:10])
    measured("work: learn three verdicts", lambda user: workers.do(Task.DECIDE, str(user)), some[:20], workers.vote)
    measured("work: look after a digest", lambda user: workers.do(Task.DIGEST, str(user)), some[:20])
    measured("work: decide and make a digest", workers.make_digest, mailed)
    return rows, usual


def remove(meter: Callable[[], Meter], database: Database, user: int) -> tuple[Cell, ...]:
    """Remove a reader, who has imported 500 articles; return what that cost."""
    frozen = Features(0, 0, 5, ("length", "age"), b"v" * 16, b"terms", b"pair")
    with database.write() as tx:
        at = work.now(tx)
        items = [
            NewImportedItem(homes.article_of_past(20_000_000 + number, "summary", at), frozen, "title", 0.5)
            for number in range(IMPORTED)
        ]
        imports.add_import(tx, user, "an import", items, [], at, interest="imported")
    spent = meter()
    with database.write() as tx:
        spent(partial(remove_user, tx, user))
    return spent.row(f"removing a reader with {IMPORTED} imported articles")
