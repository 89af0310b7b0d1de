"""A connection to a real FreshRSS, which ``ISCORE_FRESHRSS`` names a checkout of."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from benchmarks.sample_news import News, NewsServer
from iscore.core.passwords import hash_password
from iscore.feeds.errors import ReaderServerError, SignInRefusedError
from iscore.jobs.scheduler.loop import Loop
from iscore.services.connections.passwords import Secret
from iscore.services.news_filter import NewsFilter
from iscore.services.people.accounts import Accounts
from iscore.web.security.credentials import CredentialStore
from storage.records.connections import ConnectionOption, ReaderKind
from storage.records.users import LOCAL_USER
from storage.schema import feedback
from tests.iscore.web.client import Answer
from tests.iscore.web.in_process import site
from tests.iscore.web.test_connect import PAGE, SIGN_IN, send
from tests.servers import freshrss
from tests.servers.freshrss import PASSWORD, READ, STARRED, USER, FreshRSS

START = datetime(2026, 3, 2, tzinfo=UTC)
NOW = START + timedelta(days=1, hours=18)
EARLIER = NOW - timedelta(days=1, hours=6)
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


def with_account(folder: Path) -> Path:
    """Make a data folder without feeds, whose user has a password."""
    (folder / "feeds.yaml").write_text("feeds: []\n")
    with NewsFilter.create(folder / "home", folder / "feeds.yaml", clock=lambda: NOW) as news:
        Accounts(news.database, lambda: NOW).set_password(LOCAL_USER, hash_password(SIGN_IN))
    (folder / "home" / "config.toml").write_text("host_spacing = 0.0\nparse_processes = 1\ninbox_days = 1\n")
    CredentialStore(folder / "home").mark_set_up()
    return folder / "home"


def test_connected_imported_labelled_learned_and_disconnected_on_the_page(tmp_path: Path) -> None:
    home, logged = with_account(tmp_path), list[str]()
    with (
        NewsServer(News(seed=7, start=START, days=3), at=EARLIER) as feeds,
        FreshRSS(tmp_path / "freshrss", EARLIER) as server,
        site(home, NOW) as running,
    ):
        server.follow(list(feeds.urls.values())[:4], tmp_path)
        server.refresh()
        old = server.app().numbers()
        server.kill()
        feeds.at = server.now = NOW
        server.refresh()
        server.start()
        app = server.app()
        recent = [each for each in app.numbers() if each not in old]
        app.tag([recent[0], old[0]], STARRED)
        browser = running.signed_in("local", SIGN_IN)

        def poll() -> Answer:
            """Let what polls do what is due, a quarter of an hour later; return the page."""
            running.clock.now += timedelta(minutes=15)
            loop = Loop(home, running.clock, lambda _at, _event, **given: logged.append(str(given)))
            loop.once()
            return browser.get(PAGE)

        given = {"kind": "freshrss", "address": server.address, "login": USER, "password": "wrong", "hidden-read": "1"}
        assert "FreshRSS wants the API password" in send(browser, "connect", **given).body
        assert "Being synchronised" in send(browser, "connect", **given | {"password": PASSWORD}).body

        page = poll()
        assert f"4 feeds, {len(recent) + 1} articles" in page.body, logged  # with the one that was imported
        labelled = [app.labelled(name) for name in OURS]
        assert sum(map(len, labelled)) == len(set.union(*labelled)) == len(recent)
        assert set.union(*labelled) == set(recent)
        assert "starred before" in browser.get("/settings/import").body
        connections = running.context.users.entry(LOCAL_USER).news.connections
        app.tag([recent[1]], STARRED)
        send(browser, "sync")
        poll()
        with running.context.users.entry(LOCAL_USER).news.database.read() as tx:
            kinds = list(tx.connection.execute(select(feedback.c.kind).order_by(feedback.c.row)).scalars())
        assert kinds == ["imported", "like", "like"]
        server.kill()
        assert "connection refused. iScore tries again by itself" in poll().body
        server.start()
        send(browser, "sync")
        assert "The last attempt failed" not in poll().body

        shown = connections.view().labelled
        assert f"removed there from {shown:,} stories" in browser.get(f"{PAGE}/remove").body
        page = send(browser, "disconnect", f"{PAGE}/remove")
        assert f"Disconnected {server.address}{freshrss.API}." in page.body
        assert [name for name in OURS if name in app.labels()] == []
        assert set(app.numbers(STARRED)) == {recent[0], recent[1], old[0]}
        assert connections.find() is None
