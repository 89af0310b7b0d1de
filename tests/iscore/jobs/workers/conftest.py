"""People who share a database on a server, and feeds of today on the loopback."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchmarks.sample_news.news import News
from benchmarks.sample_news.server import NewsServer
from storage.records.work import Task
from tests.iscore.jobs.workers.office import Office
from tests.servers.postgresql import PostgresqlServer


@pytest.fixture(scope="session")
def server(postgresql_server: PostgresqlServer) -> PostgresqlServer:
    """A server of PostgreSQL."""
    return postgresql_server


@pytest.fixture(scope="session")
def news() -> Iterator[NewsServer]:
    """The news of the last days, by the real clock: that is the one that databases have."""
    now = datetime.now(UTC)
    with NewsServer(News(seed=9, start=now - timedelta(days=2), days=3), at=now) as opened:
        yield opened


@pytest.fixture(scope="session")
def new_office(server: PostgresqlServer, news: NewsServer, tmp_path_factory: pytest.TempPathFactory) -> Office:
    """What each ``office`` is a copy of; closed."""
    made = Office.create(tmp_path_factory.mktemp("new") / "home", server, list(news.urls.values()))
    made.news.close()
    return made


@pytest.fixture(scope="session")
def measured_office(new_office: Office, tmp_path_factory: pytest.TempPathFactory) -> Office:
    """What each ``measured`` is a copy of; closed."""
    with new_office.copied(tmp_path_factory.mktemp("measured") / "home") as made:
        assert made.works(tasks=[Task.POLL, Task.MEASURE])
        assert made.seen("trouble") == []
        assert sum(int(each["feeds"] or 0) for each in made.seen("poll")) == 6
    return made


@pytest.fixture
def office(new_office: Office, tmp_path: Path) -> Iterator[Office]:
    """Three people who follow the sample news, a few feeds each; nothing was polled yet."""
    with new_office.copied(tmp_path / "home") as made:
        yield made
    made.drop()


@pytest.fixture
def measured(measured_office: Office, tmp_path: Path) -> Iterator[Office]:
    """One whose feeds were polled just now and whose articles are measured; nothing was decided yet."""
    with measured_office.copied(tmp_path / "home") as made:
        yield made
    made.drop()
