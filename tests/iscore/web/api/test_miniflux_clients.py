"""Clients of Miniflux's API on a real server: the library of Miniflux's authors, and newsboat where it is installed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from iscore.services.people.accounts import Accounts
from storage.opening.database import open_database
from storage.records.users import LOCAL_USER
from tests.iscore.web.api.conftest import BEST, EXPLORED, FEED, HIDDEN, NOW, OLD
from tests.iscore.web.api.test_newsboat import Newsboat
from tests.iscore.web.conftest import READING, Served, served
from tests.servers.attacker import attacker

RSS = "<rss version='2.0'><channel><title>News</title><item><title>One</title></item></channel></rss>"


@pytest.fixture
def home(made_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_folder, tmp_path / "home"))


@pytest.fixture
def password(home: Path) -> str:
    with open_database(home / "iscore.db") as database:
        return Accounts(database, lambda: NOW).make_app_password(LOCAL_USER, "client")


@pytest.fixture
def server(home: Path, password: str) -> Iterator[Served]:
    with served(home, program=READING) as running:
        yield running


@pytest.mark.long
def test_the_library_reads_marks_stars_and_follows(server: Served, password: str) -> None:
    miniflux = pytest.importorskip("miniflux", reason="needs the package miniflux")
    with miniflux.Client(server.address.rstrip("/"), username="Anna", password=password) as client:
        assert client.me()["username"] == "Anna"
    with miniflux.Client(server.address.rstrip("/"), api_key=password) as client:
        assert client.me()["username"] == "Anna"
        assert client.get_version()["version"]
        (category,) = [each for each in client.get_categories() if each["title"] == "Arts & more"]
        (feed,) = client.get_feeds()
        assert feed["category"] == category

        # Entries, and what is marked of them.
        unread = client.get_entries(status="unread", order="id", direction="desc", limit=10)
        assert (unread["total"], [each["id"] for each in unread["entries"]]) == (2, [EXPLORED, BEST])
        assert client.get_feed_entries(feed["id"], order="id")["total"] == 4
        assert client.get_category_entries(category["id"], starred=True)["total"] == 0
        assert client.get_entry(BEST) == client.get_feed_entry(feed["id"], BEST)
        assert client.update_entries([BEST], "read")
        assert client.toggle_bookmark(BEST)
        assert client.get_entries(starred=True)["entries"][0]["id"] == BEST
        assert server.rows("SELECT kind, story FROM feedback WHERE user_id = 1") == [("like", BEST)]
        assert client.save_entry(OLD)
        client.mark_feed_entries_as_read(feed["id"])
        assert client.get_feed_counters() == {"reads": {"2": 4}, "unreads": {}}
        assert client.update_entries([HIDDEN], "unread")
        client.mark_category_entries_as_read(category["id"])
        assert client.get_entries(status="unread")["total"] == 1  # it is kept unread

        # Feeds and categories.
        with attacker({"/news.xml": RSS}) as port:
            address = f"http://127.0.0.1:{port}/news.xml"
            assert client.discover(address)[0]["url"] == address
            sea = client.create_category("Sea")
            number = client.create_feed(address, sea["id"])
            with pytest.raises(miniflux.BadRequest):
                client.create_feed(address, sea["id"])
        assert [each["id"] for each in client.get_category_feeds(sea["id"])] == [number]
        assert client.update_category(sea["id"], "Ocean")["id"] == sea["id"]
        assert client.update_feed(number, title="The news")["title"] == "The news"
        assert client.refresh_all_feeds()
        assert client.refresh_feed(number)
        assert FEED in client.export_feeds()
        assert client.import_feeds(client.export_feeds())["message"]
        client.delete_feed(number)
        with pytest.raises(miniflux.ResourceNotFound):
            client.get_feed(number)
        client.delete_category(sea["id"])
        assert [each["title"] for each in client.get_categories()] == ["All", "Arts & more"]
        assert client.get_integrations_status() is True


def test_the_library_hears_that_a_password_is_wrong(server: Served) -> None:
    miniflux = pytest.importorskip("miniflux", reason="needs the package miniflux")
    with miniflux.Client(server.address, api_key="guess") as client, pytest.raises(miniflux.AccessUnauthorized):
        client.me()


@pytest.mark.long
@pytest.mark.skipif(shutil.which("newsboat") is None, reason="needs newsboat")
def test_newsboat_reads_and_marks(server: Served, password: str, tmp_path: Path) -> None:
    settings = (
        f'urls-source "miniflux"\nminiflux-url "{server.address.rstrip("/")}"\nminiflux-login "Anna"\n'
        f'miniflux-password "{password}"'
    )
    newsboat = Newsboat(tmp_path, settings)
    unread = {str(number): number in (BEST, EXPLORED) for number in (OLD, BEST, EXPLORED, HIDDEN)}
    assert newsboat.reload() == unread

    def read() -> list[int]:
        return [story for (story,) in server.rows("SELECT story FROM marks WHERE read_at IS NOT NULL ORDER BY story")]

    keys = (
        (r"2/4.*The <Quay>", "\r"),
        ("Harbour", "n"),
        (".", "\r"),
        ("text", "j"),
        ("", "Q"),
    )  # what was opened is marked with the next key
    newsboat.press(*keys, until=lambda: bool(read()))
    (opened,) = read()
    assert opened in (BEST, EXPLORED)
    assert newsboat.reload() == unread | {str(opened): False}
    newsboat.press((r"1/4.*The <Quay>", "A"), ("Marking feed read", "Q"), until=lambda: {BEST, EXPLORED} <= {*read()})
    assert not any(newsboat.reload().values())
