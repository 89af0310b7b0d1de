"""The pages of feeds: what each form does to feeds.yaml, and what the pages say."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from iscore.core.passwords import hash_password
from iscore.feeds.subscriptions.editing import load
from iscore.services.people.accounts import Accounts
from iscore.web.security.bodies import LARGEST_UPLOAD
from iscore.web.security.credentials import CredentialStore
from storage.opening.database import open_database
from storage.records.feeds import FetchRecord, Priority, Subscription
from storage.records.users import LOCAL_USER
from storage.stream import feeds
from tests.iscore.conftest import Archive
from tests.iscore.web.client import Answer
from tests.iscore.web.in_process import AppClient, Site, site
from tests.servers.attacker import attacker

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)
PASSWORD = "a walk by the harbour"
ONE = 2
"""The number of the first feed; 1 is that of imported items."""
FEEDS = """\
# What I read.
feeds:
  - url: https://one.example/feed   # the first
    tags: [science]
  - url: https://two.example/feed
    title: "<script>alert(1)</script> & more"
"""


@pytest.fixture(scope="module")
def made_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    archive = Archive(tmp_path_factory.mktemp("feeds") / "home")
    archive.home.feeds.write_text(FEEDS, encoding="utf-8")
    archive.home.config.write_text("allow_private_networks = true\nhost_spacing = 0.0\n", encoding="utf-8")
    archive.news.subscriptions.follow()
    accounts = Accounts(archive.database, lambda: NOW)
    accounts.set_password(LOCAL_USER, hash_password(PASSWORD))
    archive.database.close()
    CredentialStore(archive.home.path).mark_set_up()
    return archive.home.path


@pytest.fixture
def folder(made_folder: Path, tmp_path: Path) -> Path:
    """A data folder of one user with a password, who follows two feeds."""
    return Path(shutil.copytree(made_folder, tmp_path / "home"))


@pytest.fixture
def running(folder: Path) -> Iterator[Site]:
    with site(folder, NOW) as served:
        yield served


@pytest.fixture
def client(running: Site) -> AppClient:
    return running.signed_in("local", PASSWORD)


def sent(client: AppClient, path: str, **form: str) -> Answer:
    """Send a form, and follow where it leads."""
    answer = client.post(path, {"token": client.get("/account").hidden("token")} | form)
    return client.get(answer.place.partition("#")[0]) if answer.status == 303 else answer


def test_the_page_lists_feeds_by_folder_and_shows_titles_as_text(client: AppClient) -> None:
    body = client.get("/feeds").body.partition("<main ")[2]
    assert body.index("science</h2>") < body.index("one.example") < body.index("Without a folder")
    assert "&lt;script&gt;" in body
    assert "<script>alert" not in body


def test_a_feed_is_changed_paused_and_resumed_and_comments_stay(client: AppClient, folder: Path) -> None:
    assert 'value="science"' in client.get(f"/feeds/{ONE}").body
    wanted = {"title": " One  more ", "folders": "science, daily ,, science", "fulltext": "on", "priority": "best"}
    sent(client, f"/feeds/{ONE}", action="save", **wanted)
    sent(client, f"/feeds/{ONE}", action="pause")
    (one, _) = load(folder / "feeds.yaml")
    assert (one.title, one.tags, one.fulltext, one.enabled) == ("One more", ("science", "daily"), True, False)
    assert one.priority is Priority.BEST
    assert "Paused." in client.get(f"/feeds/{ONE}").body
    sent(client, f"/feeds/{ONE}", action="resume")
    assert load(folder / "feeds.yaml")[0] == replace(one, enabled=True)
    assert (folder / "feeds.yaml").read_text().startswith(FEEDS[:70])


def test_a_feed_that_is_removed_comes_back_by_undo_once(client: AppClient, folder: Path) -> None:
    before = load(folder / "feeds.yaml")
    removed = sent(client, f"/feeds/{ONE + 1}", action="remove")
    assert load(folder / "feeds.yaml") == before[:1]
    assert "You no longer follow" in removed.body
    key = removed.hidden("undo")
    assert sent(client, "/feeds", action="undo", undo=key).status == 200
    assert load(folder / "feeds.yaml") == before
    assert sent(client, "/feeds", action="undo", undo=key).status == 404


def test_what_was_removed_comes_back_after_a_restart_but_not_after_a_week(folder: Path) -> None:
    with site(folder, NOW) as before:
        client = before.signed_in("local", PASSWORD)
        token = {"token": client.get("/account").hidden("token"), "action": "remove"}
        feed = client.post(f"/feeds/{ONE}", token).place
        sent(client, "/rules", action="add", does="strongly down", field="phrase", text="old town", until="2027-01-31")
        rules = (folder / "rules.yaml").read_text()
        was = client.get("/rules/1").hidden("was")
        rule = client.post("/rules/1", token | {"was": was}).place
        other = client.post(f"/feeds/{ONE + 1}", token).place
    with site(folder, NOW + timedelta(days=7)) as after:
        client = after.signed_in("local", PASSWORD)
        assert "You no longer follow" in client.get(feed).body
        assert "Removed the rule “" in client.get(rule).body
        for page in (feed, rule):
            path, _, key = page.partition("?undo=")
            assert sent(client, path, action="undo", undo=key).status == 200
        after.clock.now += timedelta(seconds=1)
        assert sent(client, "/feeds", action="undo", undo=other.partition("=")[2]).status == 404
    assert [each.url for each in load(folder / "feeds.yaml")] == ["https://one.example/feed"]
    assert load(folder / "feeds.yaml")[0].tags == ("science",)
    assert (folder / "rules.yaml").read_text().split() == rules.split()


def test_a_feed_that_nobody_follows_is_not_found(client: AppClient) -> None:
    for path in (f"/feeds/{ONE + 2}", "/feeds/0", "/feeds/x", "/feeds/99999999999999999999"):
        assert client.get(path).status == 404, path
        assert sent(client, path, action="remove").status == 404, path


def test_a_broken_feed_says_why_and_a_dead_one_may_be_paused(running: Site, folder: Path) -> None:
    client = running.signed_in("local", PASSWORD)
    client.get("/feeds")
    with open_database(folder / "iscore.db") as database, database.write() as tx:
        one, two = (each.feed for each in feeds.overview(tx, LOCAL_USER))
        tried = replace(one, last_attempt=NOW, error="the server answers 500")
        dead = replace(tried, failures=9, last_success=NOW - timedelta(days=40), site_url="https://one.example/")
        moved = replace(two, last_attempt=NOW, moved_to="https://new.example/feed")
        feeds.record(tx, [FetchRecord(dead, (), NOW), FetchRecord(moved, (), NOW)])
    body = client.get("/feeds").body
    assert "the server answers 500. It last worked 40 days ago. 9 failures in a row." in body
    assert "Look for its new address" in body
    assert "It has moved to https://new.example/feed." in body
    sent(client, f"/feeds/{ONE + 1}", action="move")
    assert [each.url for each in load(folder / "feeds.yaml")] == [
        "https://one.example/feed",
        "https://new.example/feed",
    ]


def test_a_list_of_150_feeds_is_imported_and_exported(client: AppClient, folder: Path) -> None:
    outlines = "".join(f'<outline text="Feed {n}" xmlUrl="https://f{n}.example/rss"/>' for n in range(148))
    outlines += '<outline text="One" xmlUrl="https://one.example/feed"/><outline text="Bad" xmlUrl="ftp://x.example/"/>'
    document = f'<opml version="2.0"><body><outline text="All of them">{outlines}</outline></body></opml>'
    token = {"token": client.get("/feeds").hidden("token")}
    body = client.upload("/feeds/import", token, document).body
    assert "Added 148 feeds. 1 feed was there already. 1 feed was refused." in body
    assert "Bad" in body
    assert len(load(folder / "feeds.yaml")) == 150
    assert "All of them</h2>" in client.get("/feeds").body
    export = client.get("/feeds/export")
    assert export.headers["content-disposition"].startswith("attachment")
    assert export.body.count("xmlUrl=") == 150


def test_a_list_that_cannot_be_read_changes_nothing(client: AppClient, folder: Path) -> None:
    token = {"token": client.get("/feeds").hidden("token")}
    for document in ("", "<opml>", "<!DOCTYPE x []><opml/>", "<html></html>", "\0" * 99):
        answer = client.upload("/feeds/import", token, document)
        assert answer.status == 400, document
        assert 'role="alert"' in answer.body, document
        assert (folder / "feeds.yaml").read_text() == FEEDS, document


def test_a_file_that_is_too_large_gets_a_page(client: AppClient, folder: Path) -> None:
    answer = client.upload("/feeds/import", {"token": client.get("/feeds").hidden("token")}, "x" * LARGEST_UPLOAD)
    assert answer.status == 413
    assert "larger than 4 MB" in answer.body
    assert (folder / "feeds.yaml").read_text() == FEEDS


def test_a_forged_form_with_a_file_changes_nothing(client: AppClient, folder: Path) -> None:
    document = '<opml><body><outline xmlUrl="https://evil.example/"/></body></opml>'
    assert client.upload("/feeds/import", {"token": "x" * 40}, document).status == 403
    token = {"token": client.get("/feeds").hidden("token")}
    assert client.upload("/feeds/import", token, document, Sec_Fetch_Site="cross-site").status == 403
    assert (folder / "feeds.yaml").read_text() == FEEDS


def test_a_page_with_several_feeds_offers_a_choice(client: AppClient, folder: Path) -> None:
    links = "".join(f'<link rel="alternate" type="application/rss+xml" href="/{n}.xml" title="{n}">' for n in "ab")
    feed = "<rss version='2.0'><channel><title>News</title><item><title>One</title></item></channel></rss>"
    with attacker({"/": f"<!doctype html><html><head>{links}</head></html>", "/a.xml": feed, "/b.xml": feed}) as port:
        choice = sent(client, "/feeds", action="add", address=f"http://127.0.0.1:{port}/")
        assert "Choose those that you want" in choice.body
        assert (folder / "feeds.yaml").read_text() == FEEDS
        wanted = choice.body.split('name="feed-2" value="')[1].split('"')[0]
        assert "Added 1 feed." in sent(client, "/feeds", action="follow", **{"feed-2": wanted}).body
    assert load(folder / "feeds.yaml")[-1].url == wanted


def test_a_feed_has_its_title_before_it_is_polled(client: AppClient) -> None:
    feed = "<rss version='2.0'><channel><title>Harbour</title><item><title>One</title></item></channel></rss>"
    with attacker({"/": feed}) as port:
        added = sent(client, "/feeds", action="add", address=f"http://127.0.0.1:{port}/")
    assert "Harbour" in added.body
    assert "Harbour" in client.get("/all").body


def test_an_address_that_does_not_answer_is_added_when_that_is_wanted(client: AppClient, folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        dead = f"http://127.0.0.1:{free.getsockname()[1]}/feed"
    answer = sent(client, "/feeds", action="add", address=dead)
    assert "Nothing was added." in answer.body
    assert "connection refused" in answer.body
    assert (folder / "feeds.yaml").read_text() == FEEDS
    assert f'name="feed-1" value="{dead}"' in answer.body
    assert "Added 1 feed." in sent(client, "/feeds", action="follow", **{"feed-1": dead}).body
    assert load(folder / "feeds.yaml")[-1].url == dead


def test_an_address_that_is_none_is_refused_with_the_reason(client: AppClient, folder: Path) -> None:
    for address in ("", "javascript:alert(1)", "https://", "a " * 30):
        answer = sent(client, "/feeds", action="add", address=address)
        assert answer.status == 400, address
        assert 'role="alert"' in answer.body, address
        assert (folder / "feeds.yaml").read_text() == FEEDS, address


def test_a_broken_file_is_named_and_nothing_is_lost(client: AppClient, folder: Path) -> None:
    (folder / "feeds.yaml").write_text("feeds: [", encoding="utf-8")
    assert "not valid YAML" in client.get("/feeds").body
    assert sent(client, f"/feeds/{ONE}", action="pause").status == 400
    assert (folder / "feeds.yaml").read_text() == "feeds: ["


def test_folders_open_whatever_their_names_are(client: AppClient, running: Site) -> None:
    """Names are lines today; a database of an older version can have others."""
    with running.context.users.entry(LOCAL_USER).news.database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [Subscription("https://one.example/feed", tags=("arts/and\nmore?\n",))])
    page = client.get("/folder/arts%2Fand%0Amore%3F%0A")
    assert page.status == 200
    assert '<h1 dir="auto">arts/and more?</h1>' in page.body
    assert 'href="/folder/arts%2Fand%0Amore%3F%0A"' in page.body
    assert client.get("/folder/arts%2Fand%0A").status == 404
