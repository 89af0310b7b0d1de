"""A data folder that follows two sources of invented news."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchmarks.sample_news import News, NewsServer
from iscore.services.news_filter import NewsFilter

START = datetime(2026, 3, 2, tzinfo=UTC)
NOON = START + timedelta(days=1, hours=12)


@pytest.fixture(scope="module")
def server() -> Iterator[NewsServer]:
    """Three days of news."""
    with NewsServer(News(seed=5, start=START, days=4), at=NOON) as opened:
        yield opened


@pytest.fixture
def home(server: NewsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that follows two sources, at noon of the second day, for commands in this process, too."""
    _at_noon(server, monkeypatch)
    return _made(tmp_path / "home", server)


@pytest.fixture
def polled(polled_home: Path, server: NewsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same after its first poll."""
    _at_noon(server, monkeypatch)
    return shutil.copytree(polled_home, tmp_path / "home")


@pytest.fixture(scope="module")
def polled_home(server: NewsServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home that ``polled`` copies, closed."""
    server.at = NOON
    made = _made(tmp_path_factory.mktemp("polled") / "home", server)
    with NewsFilter.open(made, clock=lambda: NOON) as news:
        news.poll()
    return made


def _made(made: Path, server: NewsServer) -> Path:
    made.mkdir()
    (made / "config.toml").write_text(
        "allow_private_networks = true\nhost_spacing = 0\nrefresh_cooldown = 0\nparse_processes = 1\n"
    )
    listed = "".join(f"  - url: {server.urls[name]}\n" for name in ("gridpost", "northwire"))
    (made / "feeds.yaml").write_text(f"feeds:\n{listed}")
    NewsFilter.create(made, clock=lambda: NOON).close()
    return made


def _at_noon(server: NewsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.at = NOON
    for name in ("ISCORE_CONFIG", "ISCORE_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ISCORE_NOW", NOON.isoformat())
