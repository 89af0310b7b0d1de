"""Three people over one database of a server, and the ways of a test to look into it and to let time pass."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

import pytest

from iscore.core.data_folder import DataFolder
from iscore.jobs.scheduler.log_format import Value
from iscore.jobs.workers.loop import Worker
from iscore.services.news_filter import NewsFilter
from storage.opening.database import Database, open_database
from storage.records.work import Queue, SetAside, Task
from storage.stories import due_users
from storage.work import work
from tests.servers.postgresql import PostgresqlServer

PEOPLE = (1, 2, 3)


def _now() -> datetime:
    return datetime.now(UTC)


class Office:
    """The first person has no name of interest here; the others are Anna and Bert."""

    def __init__(self, home: Path, server: PostgresqlServer, name: str, news: NewsFilter) -> None:
        self.home, self.news = home, news
        self._server, self._name = server, name
        self.events: list[tuple[str, dict[str, Value]]] = []

    @classmethod
    def create(cls, home: Path, server: PostgresqlServer, feeds: Sequence[str]) -> Self:
        """Create the database and the people, each of whom follows some of the feeds."""
        name = server.create()
        empty = home.with_name("empty.yaml")
        empty.write_text("feeds: []\n")
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("ISCORE_DATABASE", server.address(name))
            made = cls(home, server, name, NewsFilter.create(home, empty, clock=_now))
        for person in ("Anna", "Bert"):
            made.news.people.add(person)
        for person in PEOPLE:
            made.follow(person, *feeds[person - 1 : person + 3])
        return made

    @contextmanager
    def copied(self, home: Path) -> Iterator[Self]:
        """Open a copy, in the environment that every process needs. Nobody may use the database that is copied."""
        shutil.copytree(self.home, home)
        name = self._server.create(self._name)
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("ISCORE_DATABASE", self._server.address(name))
            environment.setenv("ISCORE_ALLOW_PRIVATE_NETWORKS", "1")
            environment.setenv("ISCORE_HOST_SPACING", "0")
            with NewsFilter.open(home, clock=_now) as news:
                yield type(self)(home, self._server, name, news)

    def drop(self) -> None:
        """Drop the database."""
        self._server.drop(self._name)

    def follow(self, person: int, *urls: str) -> None:
        self.news.for_user(person).subscriptions.add(urls, discover=False)

    def open(self) -> Database:
        """Open the database again, as another process does."""
        return open_database(DataFolder(self.home).database_address)

    def works(self, database: Database | None = None, tasks: Sequence[Task] = tuple(Task)) -> bool:
        """Do what is due, as one worker, until nothing is; return whether all went well."""
        return Worker(self.home, database or self.news.database, self._log, tasks=tasks).once()

    def _log(self, _at: datetime, event: str, *, trouble: bool = False, **values: Value) -> None:  # noqa: ARG002
        self.events.append((event, values))

    def seen(self, event: str) -> list[dict[str, Value]]:
        """What was logged under a name."""
        return [values for name, values in self.events if name == event]

    def execute(self, statement: str) -> list[tuple[Any, ...]]:
        return self._server.execute(statement, self._name)

    def passes(self, time: timedelta, holder: str = "") -> None:
        """Let time pass for all claims, or for those of one worker."""
        step = int(time.total_seconds() * 1_000_000)
        shifts = ", ".join(f"{name} = {name} - {step}" for name in ("due", "lease_until", "finished"))
        self.execute(f"UPDATE work SET {shifts} WHERE task <> 'plan' AND holder LIKE '%{holder}'")

    def holders(self, task: Task) -> dict[str, str]:
        """Return by key which workers have something of a task in their hands."""
        return dict(self.execute(f"SELECT key, holder FROM work WHERE task = '{task.value}' AND holder <> ''"))

    def set_aside(self) -> list[SetAside]:
        with self.news.database.read() as tx:
            return work.set_aside(tx)

    def is_idle(self) -> bool:
        """Whether nothing is due or waits for anybody, and nobody has anything in their hands."""
        with self.news.database.read() as tx:
            waits = due_users.waiting(tx) or due_users.are_unmeasured(tx) or due_users.with_unlearned(tx)
            held = tx.connection.exec_driver_sql("SELECT 1 FROM work WHERE holder <> ''").first()
            return not waits and held is None and work.oldest_due(tx, work.now(tx)) == dict.fromkeys(Queue, 0.0)

    def check(self) -> None:
        """Whatever has happened: nothing is stored twice or forgotten, and each model is that of its log."""
        assert self.execute("SELECT feed_id, key FROM articles GROUP BY feed_id, key HAVING count(*) > 1") == []
        assert self.is_idle()
        assert self.set_aside() == []
        for person in PEOPLE:
            assert self.news.for_user(person).models.rebuild(check=True).equal
            judged = self.execute(f"SELECT count(*) FROM current_scores WHERE user_id = {person}")[0][0]
            assert judged > 5
        assert self.execute("SELECT user_id FROM mailings GROUP BY user_id HAVING count(*) > 1") == []
