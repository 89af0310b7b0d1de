"""When what is said on the pages is learned."""

from __future__ import annotations

import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from iscore.services.news_filter import NewsFilter
from iscore.web import background_worker
from iscore.web.background_worker import Study
from storage.records import Kind
from tests.iscore.web.conftest import BEHIND, NOW


def behind(home: Path) -> bool:
    with closing(sqlite3.connect(home / "iscore.db")) as database:
        return database.execute(BEHIND).fetchone() == (1,)


def test_it_is_learned_though_there_is_never_a_pause(made_home: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(made_home, home)
    told: list[str] = []
    with NewsFilter.open(home, clock=lambda: NOW) as news:
        studying = Study(news, told.append)
        studying.start()
        assert studying.reasons([news.inbox().items[0].id], seconds=60)  # all is loaded and known
        news.give(Kind.LIKE, [news.inbox().items[0].id])
        assert behind(home)
        began = time.monotonic()
        while behind(home) and time.monotonic() - began < 6 * background_worker.LONGEST:
            studying.learn()
            time.sleep(background_worker.PAUSE / 20)
        assert not behind(home)
        assert studying.stop(60)
    assert told == []
