"""The layout of a review, in wide and narrow terminals."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

import pytest

from iscore.cli.review.controller import Summary
from iscore.cli.review.keys import KEYS, key_rows, press
from iscore.cli.review.layout import article, body, progress, sources, summary_lines
from iscore.cli.review.plain import keys_of
from iscore.cli.review.session import GivenVerdict, Page, start
from iscore.cli.teaching.review import browse, has_browser, has_screen
from iscore.cli.terminal.output import rows
from iscore.services.views.stories import Learning, Outlook, StoryView
from storage.records.articles import StorySource
from storage.records.users import Kind


@pytest.fixture
def story(item: StoryView) -> StoryView:
    """A story that two feeds report."""
    reported_by = (("Energy Wire", "https://wire.example/grid"), ("Harbour Post", ""))
    return replace(item, sources=tuple(StorySource(source, item.title, url) for source, url in reported_by))


def test_an_article(story: StoryView, now: datetime) -> None:
    assert rows(79, *article(story, now)) == [
        "Grid operators warn of a winter shortfall",
        "Energy Wire and Harbour Post · Ines Halloran · 3 h · k3f9a2x1",
        "●●●●○ a good match",
        "",
        "Gas stores are emptier than they have been for years.",
        "",
        "https://wire.example/grid",
    ]


def test_what_is_known_of_it_is_summary_lines(story: StoryView, now: datetime) -> None:
    item = replace(story, interesting=False, rule_outcome="never: word “grid”", score=-3.0)
    expected = "●○○○○ unlikely · hidden · never: word “grid” · your verdict: skip"
    assert rows(100, *article(replace(item, verdict=Kind.SKIP), now))[2] == expected
    explored = rows(79, *article(replace(item, explore=True, rule_outcome=""), now))
    assert explored[2] == "●○○○○ unlikely · to explore"


@pytest.mark.parametrize("width", [1, 9, 39, 79, 200])
def test_hostile_text_fits_the_screen(story: StoryView, now: datetime, width: int) -> None:
    hostile = "\x1b[2J\x1b]52;c;eA==\x07[/x]" + "word " * 30 + "x" * 300 + "電" * 50 + "\u202e"
    sources = (StorySource(hostile, hostile, "https://e.example/\x1b[31m"),)
    hostile_story = replace(story, title=hostile, text=hostile, source=hostile, author=hostile, sources=sources)
    for page in Page:
        session = replace(start(["a"], {}), page=page)
        for line in rows(width, *body(session, hostile_story, now)):
            assert not re.search("[\x00-\x1f\x7f-\x9f\u202e]", line)
            assert sum(2 if each == "電" else 1 for each in line) <= width
    for most in (1, 2):
        assert all(len(line) <= max(width, 9) for line in key_rows(width, most))


def test_narrow_terminal_shows_the_main_keys() -> None:
    names = [key for key, _ in KEYS]
    assert [word.split()[0] for row in key_rows(79, 2) for word in row.split("  ")] == [*"ldsnbuotwamr?q"]
    assert key_rows(79, 2)[1].startswith("a all sources  m mute  r refresh")
    assert sorted(names) == sorted("ldsnbuotwamr?q")
    assert key_rows(39, 1) == ["l like  d dislike  ? help  q quit"]
    assert key_rows(9, 1) == ["? help"]


def test_every_listed_key_does_something() -> None:
    for key, _ in KEYS:
        session = replace(start("abc", {}), position=1, verdicts={}, actions=())
        assert press(session, key) != (session, ())


def test_sources_and_the_end(story: StoryView, now: datetime) -> None:
    listed = rows(60, *sources(story))
    assert listed[2:5] == ["1  Energy Wire", f"   {story.title}", "   https://wire.example/grid"]
    assert listed[5] == "2  Harbour Post"
    session = replace(start("ab", {"a": Kind.LIKE}), position=2, actions=(GivenVerdict("a", Kind.LIKE, None),))
    assert progress(session) == "The end · 1 like"
    assert "n  review 1 article that you postponed" in rows(60, *body(session, None, now))


def test_summary() -> None:
    before, after = Outlook(27, Learning(0, 0, trained=False)), Outlook(21, Learning(3, 2, trained=False))
    summary = Summary(3, 2, 0, postponed=1, muted=("Lantern\x1b[2J",), before=before, after=after)
    assert summary_lines(summary, "iscore review") == [
        "3 likes, 2 dislikes; 1 article postponed.",
        "Muted: Lantern. `iscore rules list` shows your rules.",
        "21 articles in your inbox, 6 fewer.",
        "The filter needs 2 more likes and 3 more dislikes before it can decide on its own.",
        "`iscore inbox` shows the updated inbox.",
    ]
    nothing = replace(summary, likes=0, dislikes=0, postponed=0, muted=(), after=before)
    assert summary_lines(nothing, "iscore review --teach") == [
        "No verdicts.",
        "27 articles in your inbox.",
        "`iscore review --teach` continues the review.",
    ]


@pytest.mark.parametrize(
    ("answer", "keys"),
    [
        ("like", ["l"]),
        (" L \n", ["l"]),
        ("later", ["n"]),
        ("why", ["w"]),
        ("sources", ["a"]),
        ("3", ["3"]),
        ("liked it", []),
        ("", []),
        ("mute", ["m"]),
        ("m source", ["m", "s"]),
        ("mute author", ["m", "a"]),
        ("mute word  Budget   2026", ["m", "w", *"Budget 2026", "enter"]),
        ("mute word", []),
        ("mute everything", []),
    ],
)
def test_answers_as_keys(answer: str, keys: list[str]) -> None:
    assert list(keys_of(answer)) == keys


def test_browser_needs_a_display(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    assert not has_browser()
    assert browse("https://wire.example/grid", pytest.fail).startswith("No browser found")
    monkeypatch.setenv("DISPLAY", ":0")
    assert has_browser()


def test_pipe_is_not_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert not has_screen()
