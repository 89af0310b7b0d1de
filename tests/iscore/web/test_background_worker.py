"""When verdicts from the web app are learned."""

from __future__ import annotations

import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from iscore.services.news_filter import NewsFilter
from iscore.web import background_worker
from iscore.web.background_worker import BackgroundWorker
from storage.records import Kind
from tests.iscore.web.conftest import BEHIND, NOW


def behind(home: Path) -> bool:
    with closing(sqlite3.connect(home / "iscore.db")) as database:
        return database.execute(BEHIND).fetchone() == (1,)


def test_it_learns_though_requests_never_pause(made_home: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(made_home, home)
    logged: list[str] = []
    with NewsFilter.open(home, clock=lambda: NOW) as news:
        worker = BackgroundWorker(news, logged.append)
        worker.start()
        first = [news.inbox().items[0].id]
        worker.explain(first).result(600)  # loads everything
        assert worker.reasons(first)
        news.give(Kind.LIKE, [news.inbox().items[0].id])
        assert behind(home)
        ends = time.monotonic() + 600
        while behind(home) and time.monotonic() < ends:
            worker.learn()
            time.sleep(background_worker.PAUSE / 20)
        assert not behind(home)
        assert worker.stop(600)
    assert logged == []
