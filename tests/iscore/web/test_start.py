"""The first steps of a new user, up to the first list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from iscore.core.data_folder import default_feeds
from iscore.feeds.subscriptions.editing import load
from iscore.services.news_filter import NewsFilter
from iscore.web.model_process import LocalModels, Verb
from iscore.web.security.credentials import CredentialStore
from storage.records.articles import NewArticle
from storage.records.feeds import FetchRecord
from storage.records.users import LOCAL_USER
from storage.stream import feeds
from tests.iscore.web.client import Answer
from tests.iscore.web.in_process import AppClient, site

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    NewsFilter.create(tmp_path / "home").close()
    (tmp_path / "home" / "feeds.yaml").write_text("feeds: []\n", encoding="utf-8")
    CredentialStore(tmp_path / "home").mark_set_up()
    return tmp_path / "home"


@pytest.fixture
def client(folder: Path) -> Iterator[AppClient]:
    with site(folder, NOW) as running:
        yield running.client()


def sent(client: AppClient, path: str, **form: str) -> Answer:
    return client.post(path, {"token": client.get("/account").hidden("token")} | form)


def test_topics_lead_to_interests_and_then_to_the_progress(client: AppClient, folder: Path) -> None:
    assert 'href="/start"' in client.get("/").body
    assert "lwn.net" in client.get("/start").body
    assert sent(client, "/start").status == 400
    assert sent(client, "/start", **{"pack-technology": "on", "pack-no-such": "on"}).place == "/start/interests"
    wanted = [feed for feed in load(default_feeds()) if feed.tags[0] == "technology"]
    assert load(folder / "feeds.yaml") == wanted
    assert client.get("/start").place == "/start/interests"
    assert f"You follow {len(wanted)} feeds" in client.get("/start/interests").body
    assert sent(client, "/start/interests", interests="battery storage\r\n\r\npoetry").place == "/start/first"
    first = client.get("/start/first").body
    assert f"0 of {len(wanted)} feeds, 0 articles so far" in first
    assert 'http-equiv="refresh"' in first


def test_articles_without_a_score_are_counted_while_nothing_is_listed(client: AppClient, folder: Path) -> None:
    (folder / "feeds.yaml").write_text("feeds:\n  - url: https://a.example/feed\n", encoding="utf-8")
    with NewsFilter.open(folder, clock=lambda: NOW) as news:
        assert news.subscriptions.feeds()  # as stored from the file
        entries = [
            NewArticle(f"{n}", "", f"Story {n}", "", (), f"Words of {n}", "en", NOW, 0, 0, b"") for n in range(3)
        ]
        with news.database.write() as tx:
            known = feeds.overview(tx, LOCAL_USER)[0].feed
            feed = replace(known, last_attempt=NOW, last_success=NOW, next_due=NOW + timedelta(days=1))
            feeds.record(tx, [FetchRecord(feed, tuple(entries), NOW)])
        assert "Scoring 3 articles." in client.get("/").body
        assert "Your articles are being scored" in client.get("/start/first").body
        news.rules.add("never", "word", "story")
        assert (news.poll().feeds, news.inbox().items) == (0, ())
    assert "Nothing is recommended at the moment." in client.get("/").body
    assert "Your list is ready" in client.get("/start/first").body


def test_a_list_of_another_reader_is_imported(client: AppClient, folder: Path) -> None:
    token = {"token": client.get("/start").hidden("token")}
    assert client.upload("/start/import", token, "<html></html>").status == 400
    document = '<opml><body><outline xmlUrl="https://a.example/f"/><outline xmlUrl="ftp://b.example"/></body></opml>'
    assert "b.example" in client.upload("/start/import", token, document).body
    assert [feed.url for feed in load(folder / "feeds.yaml")] == ["https://a.example/f"]


def test_nothing_has_to_be_answered(client: AppClient) -> None:
    assert 'href="/">Skip' in client.get("/start").body
    assert 'href="/start/first">Skip' in client.get("/start/interests").body
    assert sent(client, "/start/interests", interests=" \n ").status == 400
    assert "You follow no feeds yet" in client.get("/start/first").body


def test_interests_are_added_all_or_none_by_the_process_that_learns(folder: Path) -> None:
    models = LocalModels(folder)
    assert "no words" in models.answer(1, Verb.ADD_INTERESTS, "battery storage", "—").error
    assert models.answer(1, Verb.ADD_INTERESTS, "battery storage", "poetry").error == ""
    models.release(1)
    with NewsFilter.open(folder) as news:
        assert [each.name for each in news.interests.list()] == ["battery storage", "poetry"]
