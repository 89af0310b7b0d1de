"""People who share a database on a server, and feeds of today on the loopback."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchmarks.sample_news.news import News
from benchmarks.sample_news.server import NewsServer
from tests.iscore.jobs.workers.office import Office
from tests.servers.postgresql import PostgresqlServer


@pytest.fixture(scope="session")
def server(postgresql_server: PostgresqlServer) -> PostgresqlServer:
    """A server of PostgreSQL."""
    return postgresql_server


@pytest.fixture
def news() -> Iterator[NewsServer]:
    """The news of the last days, by the real clock: that is the one that databases have."""
    now = datetime.now(UTC)
    with NewsServer(News(seed=9, start=now - timedelta(days=2), days=3), at=now) as opened:
        yield opened


@pytest.fixture
def office(
    server: PostgresqlServer, news: NewsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Office]:
    """Three people who follow the sample news, a few each; nothing was polled yet."""
    name = server.create()
    address = server.address(name)
    for variable, value in Office.environment(address).items():
        monkeypatch.setenv(variable, value)
    made = Office(tmp_path / "home", server, name, list(news.urls.values()))
    yield made
    made.news.close()
    server.drop(name)
