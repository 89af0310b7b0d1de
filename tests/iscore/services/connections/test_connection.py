"""An account of another server: its items are judged like polled ones, labelled there, and stars there are likes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from html import escape
from pathlib import Path

import pytest
from sqlalchemy import select

from benchmarks.sample_news import News
from iscore.feeds.reader_server.errors import (
    NotAReaderServerError,
    ReaderServerBusyError,
    ReaderServerError,
    SignInRefusedError,
)
from iscore.services.connections import labels
from iscore.services.connections.errors import ConnectError
from iscore.services.connections.passwords import Secret
from iscore.services.export import export_lines
from iscore.services.news_filter import NewsFilter
from storage import client_items, feeds, marks, reading_events, remote_items
from storage.client_items import Unread
from storage.records import Connection, ConnectionOption, ReaderKind, RemoteItem
from storage.schema import feedback
from tests.servers.reader_server import PASSWORD, READ, STARRED, Bad, ReaderServer, reader_server

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)
BY_US = {"iScore: best", "iScore: maybe", "iScore: hidden"}


class Clock:
    """Moved by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def later(self, **much: float) -> None:
        self.now += timedelta(**much)


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, str]]:
    """Titles and contents."""
    news = News(seed=3, start=NOW - timedelta(days=3), days=3)
    return [(each.title, f"<p>{escape(each.text)}</p>") for each in news.articles]


@pytest.fixture
def server(texts: list[tuple[str, str]]) -> Iterator[ReaderServer]:
    """With thirty items of the last days, and an old one that is starred."""
    with reader_server() as served:
        for number, (title, html) in enumerate(texts[:30], start=1):
            served.add(number, title, html, NOW - timedelta(hours=60 - number), feed=f"feed/{number % 3}")
        served.add(99, "An old star", "<p>About old stars.</p>", NOW - timedelta(days=300))
        served.entries[99].tags.add(STARRED)
        yield served


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def news(tmp_path: Path, clock: Clock) -> Iterator[NewsFilter]:
    (tmp_path / "feeds.yaml").write_text("feeds: []\n")
    with NewsFilter.create(tmp_path / "home", tmp_path / "feeds.yaml", clock=clock) as made:
        (tmp_path / "home" / "config.toml").write_text("host_spacing = 0.0\nparse_processes = 1\n")
        yield made


def connect(news: NewsFilter, server: ReaderServer, *options: ConnectionOption, kind: str = "greader") -> None:
    news.connections.connect(ReaderKind(kind), server.address, "anna", Secret(PASSWORD), options)


def verdicts(news: NewsFilter) -> list[str]:
    """The kinds of all rows of the log, in order."""
    with news.database.read() as tx:
        return list(tx.connection.execute(select(feedback.c.kind).order_by(feedback.c.row)).scalars())


def bands(news: NewsFilter) -> dict[int, set[str]]:
    """What each item should be labelled, by the decisions."""
    with news.database.read() as tx:
        there = {each.seq: each.item for each in remote_items.since(tx, 1, news.context.inbox_start())}
        stories = {each.seq: each for each in client_items.get(tx, 1, Unread(NOW), range(1, 200))}
    found = {}
    for seq, item in there.items():
        if seq in stories:
            each = stories[seq]
            found[item] = {"iScore: best" if each.best else "iScore: maybe" if each.maybe else "iScore: hidden"}
    return found


def labelled(server: ReaderServer) -> dict[int, set[str]]:
    """What each item is labelled there, of ours."""
    named = {number: {tag.rpartition("/label/")[2] for tag in each.tags} for number, each in server.entries.items()}
    return {number: names & BY_US for number, names in named.items() if names & BY_US}


def test_items_are_judged_and_labelled_as_decided_and_stars_are_learned_once(
    news: NewsFilter, server: ReaderServer, clock: Clock, texts: list[tuple[str, str]]
) -> None:
    server.entries[5].tags |= {STARRED, READ}
    connect(news, server)
    first = news.connections.sync()
    assert (first.new, first.imported, first.verdicts, first.read) == (30, 1, 1, 1)
    assert verdicts(news) == ["seed", "like"]
    assert "An old star" in repr(news.imports.items(1))
    for number in (7, 9, 11):
        server.entries[number].tags.add(STARRED)
    server.entries[8].tags.add("user/7/label/iScore: dislike")
    server.entries[10].tags.add("user/7/label/Dislike")
    for number, (title, html) in enumerate(texts[30:60], start=31):
        server.add(number, title, html, NOW)
    clock.later(minutes=15)
    second = news.connections.sync()
    assert (second.new, second.verdicts) == (30, 5)
    assert sorted(verdicts(news)[2:]) == ["dislike"] * 2 + ["like"] * 3
    with news.database.read() as tx:
        assert marks.saved_count(tx, 1) == 5
    clock.later(minutes=15)
    third = news.connections.sync()
    assert (third.new, third.verdicts, len(verdicts(news))) == (0, 0, 7)
    assert labelled(server) == bands(news)
    assert len(labelled(server)) > 40
    view = news.connections.view()
    assert (view.feeds, view.items, view.waiting, view.refused, view.error) == (4, 61, 0, 0, "")
    assert not news.connections.is_due()
    clock.later(minutes=15)
    assert news.connections.is_due()


def test_what_we_set_is_never_learned(news: NewsFilter, server: ReaderServer, clock: Clock) -> None:
    with news.database.write() as tx:
        reading_events.switch(tx, 1, on=True)
    news.rules.add("never", "source", "Title of feed/1")  # hides some for sure
    connect(news, server, ConnectionOption.HIDDEN_READ)
    news.connections.sync()
    hidden = server.labelled("iScore: hidden")
    assert hidden
    assert {number for number, each in server.entries.items() if READ in each.tags} == hidden
    server.entries[min(set(range(1, 31)) - hidden)].tags.add(READ)  # the user reads one
    for _ in range(3):
        clock.later(minutes=15)
        news.connections.sync()
    assert verdicts(news) == ["seed"]
    with news.database.read() as tx:
        assert len(reading_events.newest(tx, 1, 100)) == 1
        assert sum(each.read for each in remote_items.since(tx, 1, news.context.inbox_start())) == 1


def test_a_story_that_rises_is_unread_again_unless_the_user_read_it(
    news: NewsFilter, server: ReaderServer, clock: Clock
) -> None:
    news.rules.add("never", "source", "Title of feed/1")
    connect(news, server, ConnectionOption.HIDDEN_READ)
    news.connections.sync()
    hidden = {number for number in server.labelled("iScore: hidden") if number % 3 == 1}
    assert len(hidden) == 10
    assert all(READ in server.entries[number].tags for number in hidden)
    news.rules.remove(1)
    news.rules.add("always", "source", "Title of feed/1")
    clock.later(minutes=15)
    news.connections.sync()
    assert not [number for number in hidden if READ in server.entries[number].tags]
    assert hidden <= server.labelled("iScore: best")


def test_a_star_that_is_removed_is_undone_soon_after_only_unless_chosen(
    news: NewsFilter, server: ReaderServer, clock: Clock
) -> None:
    connect(news, server)
    news.connections.sync()
    server.entries[3].tags.add(STARRED)
    server.entries[4].tags.add(STARRED)
    clock.later(minutes=15)
    news.connections.sync()
    server.entries[3].tags.remove(STARRED)  # nobody knows how soon: it was there when we looked last
    clock.later(minutes=15)
    news.connections.sync()
    assert verdicts(news) == ["seed", "like", "like", "undo"]
    server.entries[4].tags.remove(STARRED)
    clock.later(minutes=15)
    news.connections.sync()
    assert verdicts(news) == ["seed", "like", "like", "undo"]
    connect(news, server, ConnectionOption.UNSTAR_UNDOES)  # options change; nothing is imported again
    server.entries[4].tags.add(STARRED)
    news.connections.sync()
    clock.later(days=2)
    news.connections.sync()
    server.entries[4].tags.remove(STARRED)
    del server.entries[99]  # gone, not unstarred
    news.connections.sync()
    assert verdicts(news) == ["seed", "like", "like", "undo", "undo"]


def test_many_read_at_once_are_no_reading_events(news: NewsFilter, server: ReaderServer, clock: Clock) -> None:
    with news.database.write() as tx:
        reading_events.switch(tx, 1, on=True)
    connect(news, server)
    news.connections.sync()
    for number in range(1, 26):
        server.entries[number].tags.add(READ)
    clock.later(minutes=15)
    assert news.connections.sync().read == 25
    with news.database.read() as tx:
        assert reading_events.newest(tx, 1, 100) == []


@pytest.mark.parametrize(
    "bad",
    [
        Bad("edit-tag", 500),
        Bad("edit-tag", 500, after=True),
        Bad("items/contents", 502),
        Bad("ids", 200, body="<html>"),
        Bad("subscription/list", 503, {"Retry-After": "3600"}),
    ],
    ids=lambda bad: f"{bad.path}-{bad.status}-{bad.after}",
)
def test_whatever_fails_the_next_one_goes_on(news: NewsFilter, server: ReaderServer, clock: Clock, bad: Bad) -> None:
    server.entries[5].tags.add(STARRED)
    connect(news, server)
    bad = Bad(bad.path, bad.status, bad.headers, bad.body, after=bad.after)
    server.bad.append(bad)
    with pytest.raises(ReaderServerError):
        news.connections.sync()
    view = news.connections.view()
    assert (view.failures, bool(view.error)) == (1, True)
    waits = timedelta(hours=1) if bad.headers else timedelta(minutes=15)
    assert view.next_due == NOW + waits
    with pytest.raises(ConnectError, match="--now"):
        news.connections.sync()
    clock.now = view.next_due
    news.connections.sync()
    assert verdicts(news) == ["seed", "like"]
    assert labelled(server) == bands(news)
    assert news.connections.view().failures == 0


def test_what_the_server_refuses_for_good_is_set_aside(news: NewsFilter, server: ReaderServer, clock: Clock) -> None:
    connect(news, server)
    server.bad.append(Bad("edit-tag", 400, times=1000))
    for _ in range(5):
        news.connections.sync()
        clock.later(minutes=15)
    view = news.connections.view()
    assert (view.waiting, view.failures) == (0, 0)
    assert view.refused == len(bands(news))


def test_requests_are_few(news: NewsFilter, server: ReaderServer, clock: Clock) -> None:
    connect(news, server)
    news.connections.sync()
    asked = len(server.asked)
    clock.later(minutes=15)
    news.connections.sync()
    assert len(server.asked) - asked == 7  # signing in, token, feeds, labels, and three lists: recent, unread, starred
    assert len(server.edits()) <= 3


@pytest.mark.parametrize(
    ("bad", "error", "words"),
    [
        (Bad("ClientLogin", 404), NotAReaderServerError, "no Google Reader API"),
        (Bad("ClientLogin", 200, body="<html>hello"), NotAReaderServerError, "gave no token"),
        (Bad("subscription", 200, body="[1]"), NotAReaderServerError, "not that of a Google Reader API"),
        (
            Bad("ClientLogin", 301, {"Location": "https://other.example/x?y"}),
            NotAReaderServerError,
            "redirects to https",
        ),
        (Bad("ClientLogin", 429, {"Retry-After": "20"}), ReaderServerBusyError, "429"),
        (Bad("ClientLogin", 401), SignInRefusedError, "does not accept this name and password"),
    ],
    ids=lambda value: str(getattr(value, "status", "")),
)
def test_a_server_that_is_none_is_not_connected(
    news: NewsFilter, server: ReaderServer, bad: Bad, error: type[Exception], words: str
) -> None:
    server.bad.append(bad)
    with pytest.raises(error, match=words) as raised:
        connect(news, server)
    assert PASSWORD not in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1
    with pytest.raises(ConnectError, match="no other server is connected"):
        news.connections.view()
    assert not (news.context.folder.path / "connections.json").exists()


def test_a_server_that_is_down_is_named(news: NewsFilter) -> None:
    with pytest.raises(ReaderServerError, match=r"http://127.0.0.1:9: connection refused"):
        news.connections.connect(ReaderKind.GREADER, "http://127.0.0.1:9", "anna", Secret(PASSWORD))


def test_disconnecting_removes_our_labels_and_the_password(
    news: NewsFilter, server: ReaderServer, clock: Clock
) -> None:
    server.entries[5].tags |= {STARRED, "user/7/label/mine"}
    connect(news, server)
    news.connections.sync()
    secret = news.context.folder.path / "connections.json"
    assert secret.stat().st_mode & 0o777 == 0o600
    server.bad.append(Bad("edit-tag", 500))
    with pytest.raises(ReaderServerError):
        news.connections.remove()
    removed = news.connections.remove()
    assert (removed.left, removed.sent > 0) == (0, True)
    assert labelled(server) == {}
    assert server.entries[5].tags == {STARRED, "user/7/label/mine"}
    assert PASSWORD not in secret.read_text()
    with news.database.read() as tx:
        assert feeds.followed(tx, 1) == []
        assert remote_items.count(tx, 1) == 0
    connect(news, server)
    news.connections.sync()
    assert verdicts(news) == ["seed", "like"]  # as before: nothing twice


def test_polling_and_feeds_yaml_leave_the_feeds_from_elsewhere_alone(news: NewsFilter, server: ReaderServer) -> None:
    connect(news, server)
    news.connections.sync()
    assert news.subscriptions.feeds() == []
    assert news.poll(force=True).feeds == 0
    assert news.connections.view().feeds == 4
    assert {each.name for each in news.client_apps.feeds()} == {f"Title of feed/{n}" for n in (0, 1, 2, 7)}
    assert {each.folders for each in news.client_apps.feeds()} == {("News",)}


def test_miniflux_has_no_labels(news: NewsFilter, server: ReaderServer) -> None:
    news.rules.add("never", "source", "Title of feed/1")
    connect(news, server, ConnectionOption.HIDDEN_READ, kind="miniflux")
    news.connections.sync()
    assert labelled(server) == {}
    assert any(READ in each.tags for each in server.entries.values())
    assert not [each for each in server.asked if "tag/list" in each]


def test_the_password_is_in_no_database_and_no_view_and_the_account_in_no_export(
    news: NewsFilter, server: ReaderServer
) -> None:
    server.entries[5].tags.add(STARRED)
    connect(news, server)
    news.connections.sync()
    exported = b"".join(line for _, line in export_lines(news.database, news.context, NOW))
    assert b"iscore:remote/1/" in exported
    assert [each for each in (PASSWORD, "127.0.0.1", "anna") if each.encode() in exported] == []
    assert PASSWORD not in repr((news.connections.view(), Secret(PASSWORD), news.status()))
    news.database.close()
    stored = b"".join(each.read_bytes() for each in news.context.folder.path.glob("iscore.db*"))
    assert PASSWORD.encode() not in stored
    assert b"secret-token" not in stored


def test_a_command_can_print_the_password(news: NewsFilter, server: ReaderServer) -> None:
    command = Secret(command=f"echo '{PASSWORD}'")
    news.connections.connect(ReaderKind.GREADER, server.address, "anna", command)
    assert news.connections.sync().new == 30
    with pytest.raises(ConnectError, match="exit code 1"):
        Secret(command="false").read()


def test_bands_exclude_each_other() -> None:
    values = dict.fromkeys((each.name for each in fields(client_items.Item)), False)
    story = client_items.Item(**values | {"maybe": True, "hidden": True})  # type: ignore[arg-type]
    connection = Connection(1, ReaderKind.FRESHRSS, "", "", ("hidden-read",), NOW)
    assert labels.wanted_tags(story, RemoteItem(5, 1), connection) == {labels.MAYBE}
