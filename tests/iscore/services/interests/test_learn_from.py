"""Things liked elsewhere, through the facade and the command line: real feeds, a real database, real files."""

from __future__ import annotations

import asyncio
import io
import json
import re
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from benchmarks.sample_news import NewsServer
from iscore.cli import main
from iscore.core.errors import UnknownImportError
from iscore.feeds.poll_settings import PollSettings
from iscore.filtering.delivery.tuning import MOST
from iscore.services.interests.import_sources import ImportsError, with_texts
from iscore.services.learning.imported_item import Form, ImportedItem
from iscore.services.news_filter import NewsFilter
from iscore.services.views.interests import ImportedItemsView
from storage.records.users import Kind
from tests.iscore.services.interests.conftest import NOON
from tests.servers.feed_server import FeedServer, html, page, status


def test_start_with_imported_items(polled: Path, server: NewsServer) -> None:
    now = NOON
    with NewsFilter.open(polled, clock=lambda: now) as news:
        explored = {item.id for item in news.inbox(limit=None).items}
        everything = news.inbox(everything=True, limit=None).items
        liked = everything[0]
        tomorrow = next(
            article
            for article in server.news.articles
            if article.source == "gridpost" and article.published > NOON + timedelta(hours=2)
        )
        view = news.imports.learn([liked.url, tomorrow.url], keywords="grid, storage, electricity")
        assert (view.found, view.learned, view.known, view.old, view.left_out, view.number) == (5, 5, 1, 0, 0, 1)
        seeded = news.inbox(limit=None)
        # The liked one has gone, and a few are recommended.
        assert (seeded.learning.imported, seeded.learning.likes, seeded.learning.trained) == (5, 0, False)
        assert liked.id not in {item.id for item in seeded.items}
        recommended = [item for item in seeded.items if item.interesting]
        assert recommended
        assert sum(item.id not in explored for item in recommended) <= MOST
        assert len({item.score for item in recommended}) > 1
        assert news.status().f05 is None
        assert news.show(liked.id).verdict == Kind.IMPORTED
        assert news.models.rebuild(check=True).equal is True

        now = server.at = NOON + timedelta(days=1)
        news.poll()
        waiting = news.inbox(everything=True, limit=None).items
        assert any(item.arrived == now for item in waiting)
        assert tomorrow.url not in {item.url for item in waiting}

        assert news.imports.list()[0].in_use == 5
        brought = {seed.title or seed.url: seed for seed in news.imports.items(1)}
        assert [seed.form for seed in brought.values()] == ["text", "address", *["keywords"] * 3]
        assert brought[liked.title].id == liked.id
        assert brought["storage"].in_use
        assert news.why(brought["storage"].id).article.title == "storage"
        assert news.show(brought["storage"].id).source == ""
        news.give(Kind.UNDO, [brought["storage"].id])
        assert [seed.in_use for seed in news.imports.items(1)] == [True, True, True, False, True]
        assert news.imports.undo(1) == 4
        waiting = news.inbox(everything=True, limit=None).items
        assert {liked.url, tomorrow.url} <= {item.url for item in waiting}
        assert news.status().learning.imported == 0
        assert news.models.rebuild(check=True).equal is True
        with pytest.raises(UnknownImportError, match="no import has the number 2"):
            news.imports.undo(2)


def test_a_bad_source_leaves_everything_as_it_was(home: Path, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.json"
    good.write_text("chess\n")
    bad.write_text("{")
    with NewsFilter.open(home, clock=lambda: NOON) as news:
        with pytest.raises(ImportsError, match=r"bad\.json: it (is not JSON|ends early)"):
            news.imports.learn([str(good), str(bad)])
        assert news.imports.list() == []
        view = news.imports.learn([str(good)], keywords="go, shogi", limit=2)
        assert (view.found, view.learned, view.left_out) == (3, 2, 1)


def types(*arguments: str) -> int:
    return main(arguments)


def test_the_command_line(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert types("review", "--teach", "--home", str(home)) == 0
    assert capsys.readouterr().out.startswith("No undecided articles.")
    file = tmp_path / "keywords.txt"
    file.write_text("chess\nmedieval music\n")
    at = ("--home", str(home))
    assert types("interests", "learn-from", str(file), "--keywords", "chess, go", *at) == 0
    out, messages = capsys.readouterr()
    assert out == "3 new items of 3\n"
    assert "`iscore interests imported undo 1` undoes the import" in messages
    assert types("interests", "learn-from", str(file), *at) == 0
    assert capsys.readouterr().out == "0 new items of 2, 2 with a verdict or imported before\n"
    assert types("interests", "learn-from", str(file), "--json", *at) == 0
    assert json.loads(capsys.readouterr().out)["old"] == 2
    assert types("interests", "imported", "list", *at) == 0
    assert capsys.readouterr().out == "1 keywords.txt, keywords chess, go · just now · 3 of 3 in use\n"
    assert types("interests", "imported", "show", "1", *at) == 0
    shown = [line.partition("  ") for line in capsys.readouterr().out.splitlines()]
    assert [said for _, _, said in shown] == [f"{words} · keywords" for words in ("chess", "medieval music", "go")]
    assert types("undo", shown[0][0], *at) == 0
    assert capsys.readouterr().out.startswith("undid import: chess")
    assert types("interests", "imported", "show", "1", *at) == 0
    assert "chess · keywords, undone" in capsys.readouterr().out
    assert types("interests", "imported", "undo", "1", *at) == 0
    assert capsys.readouterr().out == "Undid 2 items.\n"
    assert types("interests", "imported", "list", "--json", *at) == 0
    assert [each["in_use"] for each in json.loads(capsys.readouterr().out)] == [0]
    assert types("interests", "imported", "undo", "1", "--json", *at) == 0
    assert json.loads(capsys.readouterr().out) == {"taken_back": 0}
    for arguments, code, message in (
        (("interests", "learn-from"), 2, "name an address, a file or --keywords"),
        (("interests", "learn-from", "nothing.html"), 1, "nothing.html: no such file"),
        (("interests", "learn-from", str(file), "--format", "toml"), 1, "use links, keywords"),
        (("interests", "imported", "undo", "7"), 1, "no import has the number 7"),
        (("interests", "imported", "show", "7"), 1, "no import has the number 7"),
    ):
        assert types(*arguments, *at) == code
        assert message in capsys.readouterr().err


def test_teach_over_a_pipe(polled: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    at = ("--home", str(polled))
    monkeypatch.setattr(sys, "stdin", io.StringIO("l\nperhaps\nD\ns\n" + "l\n" * 3 + "q\n"))
    assert types("review", "--teach", "--count", "20", *at) == 0
    out = capsys.readouterr().out
    assert out.count("like, dislike, skip, next, back, help, quit? [l/d/s/n/b/?/q]") == 8
    assert [f"{number} of 20  " in out for number in (1, 7, 8)] == [True, True, False]
    assert out.count("Unknown answer") == 1
    assert "\n4 likes, 1 dislike, 1 skip.\n" in out
    answered = re.findall(r" · ([a-z2-7]{8,})$", out, re.MULTILINE)[:6]
    # Answers count at once: a session that breaks off has lost none, and the next one asks about others.
    monkeypatch.setattr(sys, "stdin", io.StringIO("d\n"))
    assert types("review", "--teach", "--count", "2", *at) == 0
    capsys.readouterr()
    assert types("review", "--teach", "--count", "2", "--json", *at) == 0
    asked = [each["id"] for each in json.loads(capsys.readouterr().out)]
    with NewsFilter.open(polled, clock=lambda: NOON) as news:
        assert asked == [item.id for item in news.current_inbox.most_informative(2)]
        found = news.status()
        assert (found.likes, found.dislikes, found.skips) == (4, 2, 1)
        left = {item.id for item in news.current_inbox.most_informative(1000)}
        assert left == {item.id for item in news.inbox(everything=True, limit=None).items}
        assert len(set(answered)) == 6
        assert not left & set(answered)
        assert len(news.current_inbox.most_informative(3)) == 3


def test_pages_are_fetched_when_asked_for(home: Path) -> None:
    async def run() -> None:
        async with FeedServer() as server:
            server.routes |= {"/0": html(page(0)), "/1": status(404)}
            seeds = (
                ImportedItem(Form.TITLE, "One", server.url("/0")),
                ImportedItem(Form.ADDRESS, "", server.url("/1")),
                ImportedItem(Form.TEXT, "Two", server.url("/2"), "It has a text."),
                ImportedItem(Form.KEYWORDS, "chess"),
            )
            settings = PollSettings(allow_private_networks=True, host_spacing=0)
            with NewsFilter.open(home, clock=lambda: NOON) as news:
                database = news.database
                fetched = await with_texts(seeds, database, settings, lambda: NOON)
                assert (fetched.pages, fetched.failed) == (1, 1)
                assert "404" in fetched.problem
                assert [seed.form for seed in fetched.items] == [Form.TEXT, Form.ADDRESS, Form.TEXT, Form.KEYWORDS]
                assert len(fetched.items[0].text) > 200
                assert fetched.items[1:] == seeds[1:]
                assert server.asked("/2") == []
                # Nothing of a private network is asked for unless the settings allow it.
                guarded = await with_texts(seeds[:1], database, PollSettings(host_spacing=0), lambda: NOON)
                assert (guarded.pages, guarded.items) == (0, seeds[:1])
                assert "private network" in guarded.problem
            view = await asyncio.to_thread(fetched_by_the_facade, home, server.url("/0"), server.url("/1"))
            assert (view.found, view.learned, view.without_words, view.old) == (2, 1, 1, 0)
            assert (view.pages_fetched, view.pages_failed) == (1, 1)
            assert "404" in view.page_problem

    asyncio.run(run())
    with NewsFilter.open(home, clock=lambda: NOON) as news:
        (text,) = news.imports.items(1)
        assert text.form == "text"
        assert len(news.show(text.id).text) > 200


def fetched_by_the_facade(home: Path, *urls: str) -> ImportedItemsView:
    with NewsFilter.open(home, clock=lambda: NOON) as news:
        return news.imports.learn(urls, fetch=True)


def test_without_the_extra_fetching_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iscore.feeds.fulltext.EXTRA", ("no_such_package",))
    with NewsFilter.open(home, clock=lambda: NOON) as news:
        with pytest.raises(ImportsError, match="needs an extra: pip install"):
            news.imports.learn(["https://a.example/1"], fetch=True)
        assert news.imports.list() == []
