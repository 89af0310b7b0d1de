"""What was saved, labelled and trained elsewhere: imported, stored once, and undone as a whole."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from benchmarks.sample_news import NewsServer
from iscore.cli import main
from iscore.services.news_filter import NewsFilter
from iscore.services.reading.reader import ListName, StoryList
from storage.stream import articles
from tests.iscore.services.interests.conftest import NOON

STATES = ["user/-/state/com.google/reading-list", "user/-/state/com.google/starred"]


def starred(here: str) -> dict[str, object]:
    """An export of another reader with three stars, one of them at the address of an article that is ``here``."""
    tides = {"alternate": [{"href": "https://sea.example/tides"}], "summary": {"content": "Ebb, flow."}}
    return {
        "id": "user/ines/state/org.freshrss/starred",
        "items": [
            {"title": "Tides", "categories": [*STATES, "user/-/label/Sea"], **tides},
            {"title": "Here", "alternate": [{"href": here}], "timestampUsec": "1700000000000000", "categories": STATES},
            {
                "title": "Locks",
                "canonical": [{"href": "https://canal.example/locks"}],
                "published": 1600000000,
                "categories": STATES,
            },
        ],
    }


def saved(news: NewsFilter) -> list[str]:
    return [each.title for each in news.reader.page(StoryList(ListName.SAVED)).stories]


def test_stars_of_another_reader_are_saved(polled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with NewsFilter.open(polled, clock=lambda: NOON) as news:
        here = news.inbox(everything=True, limit=None).items[0]
        before = len(news.reader.page(StoryList(), limit=1000).stories)
    (tmp_path / "starred.json").write_text(json.dumps(starred(here.url)))
    command = ["--home", str(polled), "interests", "learn-from", str(tmp_path / "starred.json")]
    for expected in ("3 articles saved", ""):
        assert main(command) == 0
        out = capsys.readouterr().out
        assert expected in out
        assert bool(expected) == ("saved" in out)
    assert main(["--home", str(polled), "interests", "imported", "list"]) == 0
    assert capsys.readouterr().out.endswith("3 of 3 in use, 3 saved\n")
    with NewsFilter.open(polled, clock=lambda: NOON) as news:
        found = news.reader.page(StoryList(ListName.SAVED)).stories
        assert {each.title: each.source for each in found} == {
            "Tides": "sea.example",
            "Locks": "canal.example",
            here.title: here.source,
        }
        assert found[-1].title == "Locks"
        assert {each.title: each.mark.labels for each in found}["Tides"] == ("Sea",)
        assert [each.title for each in news.search.find("ebb").items] == ["Tides"]
        assert len(news.reader.page(StoryList(), limit=1000).stories) == before
        # Each is stored once: as the article that is saved.
        with news.database.read() as tx:
            assert [each.url for each in articles.get(tx, range(1, articles.last_seq(tx) + 1))].count(
                "https://sea.example/tides"
            ) == 1
        assert {each.form for each in news.imports.items(1)} == {"text", "title"}
        assert news.models.rebuild(check=True).equal is True
        assert news.imports.undo(1) == 3
        assert saved(news) == []
        assert news.reader.navigation().saved == 0
        assert news.status().learning.imported == 0
        assert news.imports.undo(1) == 0
        assert news.models.rebuild(check=True).equal is True


def test_what_was_saved_before_stays_so_after_an_undo(polled: Path, tmp_path: Path) -> None:
    with NewsFilter.open(polled, clock=lambda: NOON) as news:
        here = news.inbox(everything=True, limit=None).items[0]
        news.reader.save([here.id])
        (tmp_path / "starred.json").write_text(json.dumps(starred(here.url)))
        assert news.imports.learn([str(tmp_path / "starred.json")], save=True).saved == 2
        assert len(saved(news)) == 3
        news.imports.undo(1)
        assert saved(news) == [here.title]


def test_what_was_only_learned_can_be_saved_later(home: Path, tmp_path: Path) -> None:
    (tmp_path / "starred.json").write_text(json.dumps(starred("https://news.example/1")))
    with NewsFilter.open(home, clock=lambda: NOON) as news:
        assert news.imports.learn([str(tmp_path / "starred.json")]).saved == 0
        view = news.imports.learn([str(tmp_path / "starred.json")], save=True)
        assert (view.learned, view.saved, view.number) == (0, 3, 2)
        assert len(saved(news)) == 3
        assert news.imports.undo(2) == 3
        assert (saved(news), news.status().learning.imported) == ([], 3)


def test_saved_article_that_a_feed_brings_later_is_seen(polled: Path, server: NewsServer, tmp_path: Path) -> None:
    later = NOON + timedelta(days=1)
    tomorrow = next(
        article
        for article in server.news.articles
        if article.source == "gridpost" and NOON + timedelta(hours=2) < article.published < later
    )
    (tmp_path / "starred.json").write_text(json.dumps(starred(tomorrow.url)))
    with NewsFilter.open(polled, clock=lambda: server.at) as news:
        news.imports.learn([str(tmp_path / "starred.json")], save=True)
        server.at = later
        news.poll()
        waiting = news.inbox(everything=True, limit=None).items
        assert any(item.arrived == later for item in waiting)
        assert tomorrow.url not in {item.url for item in waiting}


def test_training_becomes_rules_that_an_undo_removes(home: Path, tmp_path: Path) -> None:
    training = {"payload": {"authors": {"Ines Halloran": 1}, "titles": {"horoscope": -1}, "tags": {"x" * 400: 1}}}
    (tmp_path / "training.json").write_text(json.dumps(training))
    (home / "rules.yaml").write_text("rules:\n  - action: never  # mine\n    phrase: horoscope\n    in: title\n")
    with NewsFilter.open(home, clock=lambda: NOON) as news:
        for rules, number in ((2, 1), (0, None)):
            view = news.imports.learn([str(tmp_path / "training.json")])
            assert (view.found, view.rules, view.skipped, view.number) == (0, rules, 1, number)
        added = news.rules.list()[1:]
        assert [(each.words, each.note) for each in added] == [
            ("boost clearly: author “Ines Halloran”", "NewsBlur · import 1"),
            ("boost clearly down: phrase “horoscope” in the title", "NewsBlur · import 1"),
        ]
        assert news.imports.list()[0].name == "training.json"
        assert news.imports.undo(1) == 2
        assert [each.words for each in news.rules.list()] == ["never: phrase “horoscope” in the title"]
    assert "# mine" in (home / "rules.yaml").read_text()
