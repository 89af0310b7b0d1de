"""The page of the connection to another reader server: made, watched, changed and ended, by admins and by readers."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from iscore.core.file_access import exclusive_lock
from iscore.core.passwords import hash_password
from iscore.feeds.errors import ReaderServerError
from iscore.services.connections.passwords import Secret
from iscore.services.news_filter import NewsFilter
from iscore.services.people.accounts import Accounts
from iscore.services.views.other_programs import RemovedView
from iscore.web.long_work import LongWork
from iscore.web.pages.connect import disconnected
from iscore.web.security.credentials import CredentialStore
from storage.exchange import connections
from storage.people import users
from storage.records.connections import ConnectionOption, ReaderKind
from storage.records.users import LOCAL_USER
from tests.iscore.conftest import Archive
from tests.iscore.web.client import Answer
from tests.iscore.web.in_process import AppClient, Site, set_language, site
from tests.servers.reader_server import PASSWORD, Bad, ReaderServer, reader_server

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)
SIGN_IN = "a walk in the park"
BEN = LOCAL_USER + 1
PAGE = "/settings/connect"


@pytest.fixture
def server() -> Iterator[ReaderServer]:
    with reader_server() as served:
        served.add(1, "A walk by the harbour", "<p>Along the quay.</p>", NOW - timedelta(hours=2))
        yield served


@pytest.fixture(scope="module")
def made_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder of Anna, the admin, and Ben."""
    archive = Archive(tmp_path_factory.mktemp("connect") / "home")
    archive.home.config.write_text("host_spacing = 0.0\nparse_processes = 1\n")
    with archive.database.write() as tx:
        users.rename(tx, LOCAL_USER, "Anna")
    archive.news.people.add("Ben")
    accounts = Accounts(archive.database, lambda: NOW)
    for user in (LOCAL_USER, BEN):
        accounts.set_password(user, hash_password(SIGN_IN))
    archive.database.close()
    CredentialStore(archive.home.path).mark_set_up()
    return archive.home.path


@pytest.fixture
def running(made_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server on a copy of it."""
    monkeypatch.setattr("iscore.web.long_work.TIMEOUT", 60.0)  # the machine may be busy
    with site(Path(shutil.copytree(made_folder, tmp_path / "home")), NOW) as served:
        yield served


@pytest.fixture
def anna(running: Site) -> AppClient:
    return running.signed_in("Anna", SIGN_IN)


@pytest.fixture
def ben(running: Site) -> AppClient:
    return running.signed_in("Ben", SIGN_IN)


def send(client: AppClient, action: str, path: str = PAGE, **form: str) -> Answer:
    """Send a form; return the page that follows."""
    answer = client.post(path, {"token": client.get(PAGE).hidden("token"), "action": action} | form)
    return client.get(answer.place.partition("#")[0]) if answer.status == 303 else answer


def connect(client: AppClient, server: ReaderServer, **form: str) -> Answer:
    """Send the form that connects."""
    given = {"kind": "greader", "address": server.address, "login": "anna", "password": PASSWORD}
    return send(client, "connect", **(given | form))


def test_the_page_says_what_a_synchronisation_left_out(
    running: Site, server: ReaderServer, anna: AppClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("iscore.services.connections.pull.MOST_NEW", 1)
    server.add(2, "A walk in the rain", "<p>Along the river.</p>", NOW - timedelta(hours=1))
    connect(anna, server)
    running.context.users.entry(LOCAL_USER).news.connections.sync()
    page = anna.get(PAGE).body
    assert "new articles that come with the next synchronisations: 1" in page
    assert "The last attempt failed" not in page


def test_a_server_is_connected_watched_and_disconnected(running: Site, server: ReaderServer, anna: AppClient) -> None:
    assert f'href="{PAGE}"' in anna.get("/settings").body
    page = connect(anna, server, **{"hidden-read": "1"})
    for words in (
        server.address,
        "Being synchronised",
        "not yet",
        "Mark hidden stories as read there",
        "Without HTTPS",
    ):
        assert words in page.body
    assert '<meta http-equiv="refresh"' in page.body
    assert 'http-equiv="refresh"' not in anna.get(f"{PAGE}?change=1").body  # nobody's typing gets lost
    news = running.context.users.entry(LOCAL_USER).news
    news.connections.sync()
    assert len(server.edits()) == 1
    page = anna.get(PAGE)
    for words in ("just now", "1 feed, 1 article", "Wed 4 Mar, 18:15"):
        assert words in page.body
    assert 'http-equiv="refresh"' not in page.body
    assert "is removed there from 1 story" in anna.get(f"{PAGE}/remove").body
    page = send(anna, "disconnect", f"{PAGE}/remove")
    assert f"Disconnected {server.address}. 1 label was removed there." in page.body
    assert 'name="address"' in page.body
    assert news.connections.find() is None
    assert not [tag for each in server.entries.values() for tag in each.tags if "iScore" in tag]
    assert anna.get(f"{PAGE}/remove").place == PAGE


def test_no_page_shows_the_password_and_it_can_be_changed_alone(
    running: Site, server: ReaderServer, anna: AppClient, tmp_path: Path
) -> None:
    pages = [connect(anna, server), anna.get(f"{PAGE}?change=1"), send(anna, "change", **{"star-only-saves": "1"})]
    connected = running.context.users.entry(LOCAL_USER).news.connections
    assert connected.view().options == ("star-only-saves",)
    assert (tmp_path / "home/connections.json").stat().st_mode & 0o777 == 0o600
    pages.append(send(anna, "change", password="wrong"))
    assert (pages[-1].status, "does not accept this name and password" in pages[-1].body) == (400, True)
    assert connected.view().options == ("star-only-saves",)  # nothing was changed
    connected.sync()  # with the password that works
    assert not [page for page in pages if PASSWORD in page.body or "wrong" in page.body]
    other = send(anna, "connect", kind="greader", address="https://other.example", login="anna", password="x")
    assert "is connected already" in other.body


def test_it_says_what_is_wrong_and_keeps_the_form(server: ReaderServer, anna: AppClient) -> None:
    for form, words in (
        ({"password": "wrong"}, "does not accept this name and password"),
        ({"password": ""}, "name and password are needed"),
        ({"address": "rss.example.org"}, "begin it with https://"),
        ({"address": "http://127.0.0.1:9"}, "http://127.0.0.1:9: connection refused"),
        ({"kind": "usenet"}, "this kind of server is not known"),
    ):
        page = connect(anna, server, **form)
        assert (page.status, words in page.body) == (400, True), page.body[-3000:]
        assert 'value="anna"' in page.body
        assert "wrong" not in page.body
    set_language(anna, "de")
    assert "nimmt diesen Namen und dieses Passwort nicht an" in connect(anna, server, password="wrong").body
    assert "127.0.0.1:9: Verbindung abgelehnt" in connect(anna, server, address="http://127.0.0.1:9").body
    assert anna.post(PAGE, {"token": "forged", "action": "sync"}).status == 403
    assert send(anna, "odd").status == send(anna, "odd", f"{PAGE}/remove").status == 400
    assert send(anna, "sync").status == 400


def test_only_admins_may_name_a_private_network(running: Site, server: ReaderServer, ben: AppClient) -> None:
    refused = connect(ben, server)
    assert (refused.status, "it is on a private network" in refused.body) == (400, True)
    assert "Only admins" in ben.get(PAGE).body
    assert server.asked == []
    connected = running.context.users.entry(BEN).news.connections
    connected.connect(ReaderKind.GREADER, server.address, "anna", Secret(PASSWORD))  # as the command does
    assert 'http-equiv="refresh"' in send(ben, "change", **{"hidden-read": "1"}).body
    assert connected.view().options == ("hidden-read",)  # what was allowed stays so
    # A name that was public when the reader gave it, and leads inside today.
    with connected._database.write() as tx:
        found = connections.get(tx, BEN)
        assert found is not None
        connections.put(tx, replace(found, options=(ConnectionOption.PUBLIC_ONLY.value,)))
    asked = len(server.asked)
    with pytest.raises(ReaderServerError, match="private network"):
        connected.sync()
    assert len(server.asked) == asked


def test_a_failure_is_shown_and_can_be_tried_again_at_once(
    running: Site, server: ReaderServer, anna: AppClient
) -> None:
    connect(anna, server)
    connected = running.context.users.entry(LOCAL_USER).news.connections
    server.bad.append(Bad("ClientLogin", 503, {"Retry-After": "3600"}))
    with pytest.raises(ReaderServerError):
        connected.sync()
    page = anna.get(PAGE)
    assert "The last attempt failed" in page.body
    assert "503 Service Unavailable. iScore tries again" in page.body
    assert not connected.is_due()
    assert "Being synchronised" in send(anna, "sync").body
    assert connected.is_due()
    connected.sync()
    assert "failed" not in anna.get(PAGE).body


def test_a_disconnection_that_takes_long_says_how_far_it_is(
    running: Site, server: ReaderServer, anna: AppClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("iscore.web.long_work.TIMEOUT", 0.0)
    connect(anna, server)
    entry, go_on = running.context.users.entry(LOCAL_USER), threading.Event()
    entry.news.connections.sync()

    def slow(*, leave_labels: bool, progress: object) -> RemovedView:
        assert callable(progress)
        progress(1200, 3000, "labelling")
        assert go_on.wait(60)
        raise ReaderServerError(f"{server.address}: connection refused")

    monkeypatch.setattr(entry.news.connections, "remove", slow)
    send(anna, "disconnect", f"{PAGE}/remove")
    assert entry.disconnecting is not None
    page = anna.get(PAGE)
    assert "1,200 of 3,000" in page.body
    assert '<meta http-equiv="refresh"' in page.body
    assert "Synchronise now" not in page.body
    go_on.set()
    assert entry.disconnecting.result.exception(60) is not None
    assert f"Not disconnected: {server.address}: connection refused." in anna.get(PAGE).body
    assert "Not disconnected" not in send(anna, "sync").body


def test_what_synchronises_meanwhile_is_waited_for(
    running: Site, server: ReaderServer, anna: AppClient, tmp_path: Path
) -> None:
    connect(anna, server)
    with exclusive_lock(tmp_path / "home/connect.lock", "it synchronises"):
        assert "try again in a minute" in send(anna, "change").body
        assert "Try again in a minute" in send(anna, "disconnect", f"{PAGE}/remove").body
    assert "Disconnected" in send(anna, "disconnect", f"{PAGE}/remove", **{"leave-labels": "1"}).body


def test_a_server_that_only_shows_pages_says_who_synchronises(running: Site, server: ReaderServer) -> None:
    folder = running.context.users.entry(LOCAL_USER).news.context.folder.path
    with site(folder, NOW, polls=False) as pages_only:
        page = connect(pages_only.signed_in("Anna", SIGN_IN), server)
    assert "Being synchronised" not in page.body
    assert "the program that fetches feeds synchronises when it runs" in page.body


def test_an_unexpected_error_reaches_who_asks() -> None:
    def fail(_: object) -> None:
        raise ZeroDivisionError

    begun = LongWork.begin(fail, "test")
    with pytest.raises(ZeroDivisionError):
        begun.result.result(60)
    assert not begun.goes_on


def test_labels_that_stay_are_counted() -> None:
    words = disconnected(RemovedView("https://rss.example.org", 0, 3))
    assert words == "Disconnected https://rss.example.org. 3 labels stay there."


def test_miniflux_gets_no_labels_so_none_are_removed(running: Site, server: ReaderServer, anna: AppClient) -> None:
    connect(anna, server, kind="miniflux")
    page = anna.get(f"{PAGE}/remove")
    assert "label is removed" not in page.body
    assert "leave-labels" not in page.body
    assert isinstance(running.context.users.entry(LOCAL_USER).news, NewsFilter)
