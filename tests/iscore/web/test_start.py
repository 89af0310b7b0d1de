"""The first steps of a new user, up to the first list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from iscore.core.data_folder import default_feeds
from iscore.core.passwords import hash_password
from iscore.feeds.subscriptions.editing import load
from iscore.services.news_filter import NewsFilter
from iscore.services.views.feeds import FetchProgress
from iscore.web.model_process import LocalModels, Verb
from iscore.web.pages.start import LONGEST_PAUSE
from iscore.web.pages.waiting import waiting
from iscore.web.security.credentials import CredentialStore
from storage.records.articles import NewArticle
from storage.records.feeds import FetchCounts, FetchRecord
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
    again = client.get("/start").body
    assert f"You follow {len(wanted)} feeds" in again
    assert 'name="pack-technology" checked' in again
    assert sent(client, "/start", **{"pack-science": "on", "had-technology": "on"}).place == "/start/interests"
    assert {feed.tags[0] for feed in load(folder / "feeds.yaml")} == {"science"}
    sent(client, "/start", **{"pack-technology": "on", "had-science": "on"})
    assert f"You follow {len(wanted)} feeds" in client.get("/start/interests").body
    assert sent(client, "/start/interests", interests="battery storage\r\n\r\npoetry").place == "/start/first"
    first = client.get("/start/first").body
    assert f"Fetching {len(wanted)} feeds: 0 done, {len(wanted)} to go" in first
    assert f"Fetching {len(wanted)} feeds" in client.get("/all").body
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
        for path in ("/", "/all", "/start/first"):
            assert "1 answered, 0 failed, 3 stories so far. Scoring takes" in client.get(path).body
        news.rules.add("never", "word", "story")
        assert (news.poll().feeds, news.inbox().items) == (0, ())
    assert "Nothing is recommended at the moment." in client.get("/").body
    assert "Your list is ready" in client.get("/start/first").body


def test_the_first_poll_waits_for_interests_of_an_only_user(folder: Path) -> None:
    said: list[float] = []
    with site(folder, NOW, wake=lambda: said.append(0.0), pause_polls=said.append) as running:
        client = running.client()
        sent(client, "/start", **{"pack-science": "on"})
        assert said == [LONGEST_PAUSE]
        sent(client, "/start/interests", interests="poetry")
        assert said == [LONGEST_PAUSE, 0.0]
        running.context.accounts.set_up("Anna", hash_password("an orchard in May"))
        running.context.accounts.accept(
            running.context.accounts.invite(LOCAL_USER), "Ben", hash_password("a river in June")
        )
        client = running.signed_in("Anna", "an orchard in May")
        sent(client, "/start", **{"pack-technology": "on"})
        assert said == [LONGEST_PAUSE, 0.0]


@pytest.mark.parametrize(
    ("asked", "failed", "error", "first", "articles", "said"),
    [
        (0, 0, "", True, 0, "Fetching 19 feeds: 0 done, 19 to go Fetching is about to begin."),
        (
            9,
            4,
            "no such host",
            True,
            1034,
            "Fetching 19 feeds: 9 done, 10 to go 5 answered, 4 failed, 1,034 stories so far. "
            "Scores follow when all have been asked.",
        ),
        (
            19,
            19,
            "cannot reach anything (no such host); is this computer offline?",
            True,
            0,
            "No feed can be reached. 19 of 19 asked, none answered (“no such host”). Is this computer offline? "
            "Next try at 19:32.",
        ),
        (
            19,
            19,
            "the server answered 404 Not Found",
            False,
            0,
            "No feed could be read. 19 of 19 asked: “the server answered 404 Not Found”. Next try at 19:32.",
        ),
        (19, 4, "no such host", True, 0, ""),
        (9, 0, "", False, 0, ""),
    ],
)
def test_what_is_waited_for(asked: int, failed: int, error: str, first: bool, articles: int, said: str) -> None:
    counts = FetchCounts(19, asked, failed, NOW + timedelta(minutes=32), error)
    found = waiting(FetchProgress(counts, first, articles), NOW, ZoneInfo("Europe/Berlin"), polls=True)
    assert (f"{found.heading} {found.words}" if found else "") == said


def test_a_proxy_that_is_not_used_is_named() -> None:
    counts = FetchCounts(3, 3, 3, NOW, "no such host")
    found = waiting(FetchProgress(counts, first=True, articles=0), NOW, None, polls=True, proxy=True)
    assert found is not None
    assert found.words.endswith("A proxy is set on this computer; iScore connects without it.")


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
