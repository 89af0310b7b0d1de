"""What goes wrong on the way to another server, or there: the error says what to do, and the next attempt goes on."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from iscore.feeds.errors import (
    NotAReaderServerError,
    ReaderServerBusyError,
    ReaderServerError,
    SignInRefusedError,
)
from iscore.services.connections.passwords import ConnectError, PasswordFile, Secret
from iscore.services.news_filter import NewsFilter
from storage.records.connections import ReaderKind
from tests.iscore.services.connections.conftest import NOW, Clock, bands, connect, labelled, verdicts
from tests.servers.reader_server import PASSWORD, STARRED, Bad, ReaderServer


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(Bad("edit-tag", 500), marks=pytest.mark.long),
        Bad("edit-tag", 500, after=True),
        pytest.param(Bad("items/contents", 502), marks=pytest.mark.long),
        pytest.param(Bad("ids", 200, body="<html>"), marks=pytest.mark.long),
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
    assert verdicts(news) == ["imported", "like"]
    assert labelled(server) == bands(news)
    assert news.connections.view().failures == 0


@pytest.mark.parametrize(
    "bad",
    [
        Bad("items/ids", 200, body='{"itemRefs": [{"id": "1"}], "continuation": "\\ud800"}'),
        Bad("items/ids", 429, {"Retry-After": "Thu, 99999999999999999999 Jan 2026 00:00:00 GMT"}),
    ],
    ids=["surrogate", "date"],
)
def test_odd_answers_are_read_or_are_failures_of_the_server(
    news: NewsFilter, server: ReaderServer, clock: Clock, bad: Bad
) -> None:
    if bad.body:
        server.entries[3].feed = "feed/\ud800"
        server.entries[4].tags.add("user/7/label/\ud800")
    connect(news, server)
    server.bad.append(bad)
    with suppress(ReaderServerError):
        news.connections.sync()
    assert server.bad[0].times == 0
    assert news.connections.view().failures == (bad.status != 200)
    clock.later(hours=1)
    news.connections.sync()
    assert news.connections.view().labelled == 30


def test_no_synchronisation_is_due_again_at_once_whatever_ended_it(
    news: NewsFilter, server: ReaderServer, clock: Clock
) -> None:
    def progress(_done: int, _total: int, _what: str) -> None:
        raise interruption

    connect(news, server)
    interruption: BaseException = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        news.connections.sync(progress)
    assert news.connections.view().next_due == NOW + timedelta(minutes=15)
    interruption = ZeroDivisionError("by\nzero")
    for minutes in (15, 30):
        with pytest.raises(ConnectError, match="unexpected ZeroDivisionError; please report this: by zero"):
            news.connections.sync(progress, insist=True)
        assert news.connections.view().next_due == NOW + timedelta(minutes=minutes)
    assert news.connections.view().failures == 2


def test_what_the_server_refuses_for_good_is_set_aside(news: NewsFilter, server: ReaderServer, clock: Clock) -> None:
    connect(news, server)
    server.bad.append(Bad("edit-tag", 400, times=1000))
    for _ in range(5):
        news.connections.sync()
        clock.later(minutes=15)
    view = news.connections.view()
    assert (view.waiting, view.failures) == (0, 0)
    assert view.refused == len(bands(news))


def test_an_item_that_the_server_refuses_keeps_no_other_s_label_back(
    news: NewsFilter, server: ReaderServer, clock: Clock
) -> None:
    server.refused = {7, 20}
    connect(news, server)
    for _ in range(3):
        news.connections.sync()
        clock.later(minutes=15)
    assert labelled(server) == {item: names for item, names in bands(news).items() if item not in server.refused}
    assert (news.connections.view().waiting, news.connections.view().refused) == (0, 2)
    edits = len(server.edits())
    server.refused.clear()
    connect(news, server)
    assert (news.connections.view().waiting, news.connections.view().refused) == (2, 0)
    news.connections.sync()
    assert labelled(server) == bands(news)
    assert edits < 60  # halves, and each of the two refused three times
    assert len(server.edits()) - edits <= 2


def test_a_server_that_refuses_everything_is_not_asked_for_each_item(
    news: NewsFilter, server: ReaderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(news, server)
    monkeypatch.setattr("iscore.services.connections.labels.EDITED", 4)
    server.bad.append(Bad("edit-tag", 400, times=1000))
    news.connections.sync()
    assert len(server.edits()) == 7  # one batch, its halves, and four items
    server.bad.clear()
    news.connections.sync()
    assert labelled(server) == bands(news)


def test_requests_are_few(synced: NewsFilter, running_server: ReaderServer, clock: Clock) -> None:
    news, server = synced, running_server
    clock.later(minutes=15)
    news.connections.sync()
    assert len(server.asked) == 7  # signing in, token, feeds, labels, and three lists: recent, unread, starred
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


def test_passwords_of_several_users_who_connect_at_once_are_all_stored(tmp_path: Path) -> None:
    users = range(1, 41)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda user: PasswordFile(tmp_path).put(user, Secret(f"of {user}")), users))
    assert [PasswordFile(tmp_path).get(user).read() for user in users] == [f"of {user}" for user in users]


def test_a_password_that_a_killed_command_left_is_removed(news: NewsFilter) -> None:
    PasswordFile(news.context.folder.path).put(1, Secret(PASSWORD))
    with pytest.raises(ConnectError, match="a password that was left here is deleted now"):
        news.connections.remove()
    assert PASSWORD not in (news.context.folder.path / "connections.json").read_text()
    with pytest.raises(ConnectError, match="no other server is connected; `iscore connect freshrss"):
        news.connections.remove()


def test_a_server_that_is_down_is_named(news: NewsFilter) -> None:
    with pytest.raises(ReaderServerError, match=r"http://127.0.0.1:9: connection refused"):
        news.connections.connect(ReaderKind.GREADER, "http://127.0.0.1:9", "anna", Secret(PASSWORD))
