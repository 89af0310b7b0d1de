"""A connection to a real FreshRSS, which ``ISCORE_FRESHRSS`` names a checkout of."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from benchmarks.sample_news import News, NewsServer
from iscore.feeds.reader_server.errors import ReaderServerError, SignInRefusedError
from iscore.services.connections.passwords import Secret
from iscore.services.news_filter import NewsFilter
from storage.records import ConnectionOption, ReaderKind
from storage.schema import feedback
from tests.servers import freshrss
from tests.servers.freshrss import PASSWORD, READ, STARRED, USER, FreshRSS

START = datetime(2026, 3, 2, tzinfo=UTC)
NOW = START + timedelta(days=1, hours=18)
OURS = ("iScore: best", "iScore: maybe", "iScore: hidden")

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(bool(freshrss.missing()), reason=freshrss.missing() or "it can run"),
    pytest.mark.skipif(shutil.which("faketime") is None, reason="faketime is not installed"),
]


def test_judged_labelled_learned_and_disconnected(tmp_path: Path) -> None:
    (tmp_path / "feeds.yaml").write_text("feeds: []\n")
    now = NOW
    news_of_days = News(seed=7, start=START, days=3)
    with (
        NewsServer(news_of_days, at=NOW) as feeds,
        FreshRSS(tmp_path / "freshrss", NOW) as server,
        NewsFilter.create(tmp_path / "home", tmp_path / "feeds.yaml", clock=lambda: now) as news,
    ):
        (tmp_path / "home" / "config.toml").write_text("host_spacing = 0.0\nparse_processes = 1\n")
        server.follow(list(feeds.urls.values())[:4], tmp_path)
        server.refresh()
        app = server.app()
        items = app.numbers()
        app.tag(items[:2], STARRED)
        with pytest.raises(SignInRefusedError, match="API password"):
            news.connections.connect(ReaderKind.FRESHRSS, server.address, USER, Secret("wrong"))
        options = (ConnectionOption.HIDDEN_READ,)
        news.connections.connect(ReaderKind.FRESHRSS, server.address, USER, Secret(PASSWORD), options)
        first = news.connections.sync()
        assert (first.new, first.verdicts) == (len(items), 2)
        labelled = [app.labelled(name) for name in OURS]
        assert sum(map(len, labelled)) == len(set.union(*labelled)) == len(items)
        assert labelled[2] <= set(items) - set(app.numbers(freshrss.READING_LIST, ("xt", READ)))

        # FreshRSS lists everything for a label that does not exist: nothing is learned from that.
        app.tag(items[5:6], "user/-/label/iScore: dislike")
        now += timedelta(minutes=15)
        assert news.connections.sync().verdicts == 1
        app.post("disable-tag", ("s", "user/-/label/iScore: dislike"))
        now += timedelta(minutes=15)
        assert news.connections.sync().verdicts == 1
        with news.database.read() as tx:
            kinds = list(tx.connection.execute(select(feedback.c.kind).order_by(feedback.c.row)).scalars())
        assert kinds == ["like", "like", "dislike", "undo"]

        server.kill()
        with pytest.raises(ReaderServerError, match="connection refused"):
            news.connections.sync()
        server.start()
        news.connections.sync(insist=True)
        assert news.connections.remove().left == 0
        assert [name for name in OURS if name in server.app().labels()] == []
        assert set(server.app().numbers(STARRED)) == set(items[:2])
