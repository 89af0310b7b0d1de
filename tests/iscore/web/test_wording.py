"""What the pages say: lists, messages, explanations, and lists that stay as they were. Pure functions."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from iscore.presentation.wording.explanation import family_sums
from iscore.presentation.wording.scores import imported_words, learning_words, unmet_words
from iscore.presentation.wording.story import story_entry
from iscore.services.views.rules import RuleView
from iscore.services.views.stories import (
    ContentView,
    EnclosureView,
    FeatureView,
    InboxView,
    Learning,
    StoryView,
    WhyView,
)
from iscore.web.list_cache import MAX_LISTS, ListCache, behind
from iscore.web.pages import article, list_page
from storage.records.articles import StorySource
from storage.records.users import Kind, RecentVerdict
from tests.iscore.presentation import made_views
from tests.iscore.presentation.made_views import NOW

ITEM = replace(made_views.ITEM, title="Grid operators\nwarn", text="Gas stores are emptier.")
CARRIERS = (
    StorySource("Energy Wire", "Grid operators warn", "https://wire.example/grid"),
    StorySource("Harbour Post", "", "javascript:alert(1)"),
)
STORY = replace(ITEM, reading_minutes=2, sources=CARRIERS)
LEARNING = Learning(3, 4, trained=False)
INBOX = InboxView((ITEM,), 34, 12, feeds=3, has_articles=True, learning=Learning(3, 4, trained=False))
ARTICLE = StoryView(
    id="k3f9a2x1",
    title="Grid operators warn",
    url="javascript:alert(1)",
    source="Energy Wire",
    sources=CARRIERS,
    author="",
    categories=("energy", "grid"),
    language="en",
    published=None,
    arrived=NOW,
    text="One\nparagraph.\n\n\n Another.\n\n \n",
    score=2.1,
    threshold=0.4,
    interesting=True,
    explore=False,
    verdict=Kind.DISLIKE,
)


def test_a_story_is_told_once_with_all_who_carried_it() -> None:
    (section,) = list_page.hidden([STORY, replace(STORY, verdict=Kind.SKIP)], {STORY.id: ("one",)}, now=NOW, zone=UTC)
    entry, rated = section.entries
    assert entry == story_entry(replace(STORY, reasons=("one",)), NOW, UTC)
    assert (entry.verdict, rated.verdict) == ("", "Skipped")


def test_today_s_come_before_earlier_ones_and_what_is_to_be_explored() -> None:
    # It arrived today, as the first of its feed.
    earlier = replace(ITEM, id="earlier", published=NOW - timedelta(days=1), arrived=NOW)
    explored = replace(ITEM, id="explored", interesting=False, explore=True)
    best = replace(ITEM, id="best", explore=True)
    stories = list_page.order([earlier, explored, best, ITEM], LEARNING, NOW, UTC)
    assert [each.id for each in stories] == ["best", "k3f9a2x1", "earlier", "explored"]
    told = list_page.sections(stories, {"best": ("why",)}, learning=Learning(9, 9, True), now=NOW, zone=UTC)
    assert [(part.name, [entry.id for entry in part.entries]) for part in told] == [
        ("today", ["best", "k3f9a2x1"]),
        ("earlier", ["earlier"]),
        ("explore", ["explored"]),
    ]
    assert told[0].entries[0].reasons == ("why",)
    assert list_page.hidden([], {}, now=NOW, zone=UTC) == ()


@pytest.mark.parametrize(
    ("imported", "interests", "expected"),
    [
        (0, 0, []),
        (2, 2, ["2 interests"]),
        (3, 1, ["1 interest", "2 imported items"]),
        (1, 0, ["1 imported item"]),
    ],
)
def test_interests_are_no_imported_items(imported: int, interests: int, expected: list[str]) -> None:
    learning = Learning(1, 0, trained=False, imported=imported, interests=interests)
    assert imported_words(learning) == expected
    assert learning_words(learning) == ", ".join(["learning: 1 verdict so far", *expected])


@pytest.mark.parametrize(
    ("unmet", "days", "expected"),
    [
        ((), 7, ""),
        (("chess",), 1, "No article of the last day is about 'chess' yet."),
        (("chess", "old maps"), 7, "No article of the last 7 days is about 'chess' and 'old maps' yet."),
    ],
)
def test_an_interest_that_finds_nothing_says_so(unmet: tuple[str, ...], days: int, expected: str) -> None:
    assert unmet_words(unmet, days) == expected


def test_while_little_else_is_known_each_interest_has_a_section() -> None:
    tidal, chess = (replace(ITEM, id=name, interest=name) for name in ("tidal", "chess"))
    other = replace(ITEM, id="other")
    explored = replace(ITEM, id="explored", interest="tidal", interesting=False, explore=True)
    stories = [other, tidal, chess, explored]
    for learning, names in (
        (Learning(0, 2, trained=False, imported=2, interests=2), ["interest-1", "interest-2", "today"]),
        (Learning(9, 9, trained=True, imported=2, interests=2), ["today", "explore"]),
        (Learning(0, 2, trained=False, imported=2), ["today", "explore"]),
    ):
        ordered = list_page.order(stories, learning, NOW, UTC)
        told = list_page.sections(ordered, {}, learning=learning, now=NOW, zone=UTC)
        assert [part.name for part in told] == names
        assert [entry.id for part in told for entry in part.entries] == [each.id for each in ordered]
    told = list_page.sections(stories, {}, learning=Learning(0, 0, trained=False, interests=2), now=NOW, zone=UTC)
    assert [(part.heading, [entry.id for entry in part.entries]) for part in told][:2] == [
        ("tidal", ["tidal", "explored"]),
        ("chess", ["chess"]),
    ]


def test_the_day_begins_where_the_reader_is() -> None:
    late = replace(ITEM, published=None, arrived=datetime(2025, 10, 5, 23, tzinfo=UTC))
    for zone, order in ((UTC, ["k3f9a2x1", "late"]), (ZoneInfo("Europe/Rome"), ["late", "k3f9a2x1"])):
        found = list_page.order([replace(late, id="late"), ITEM], LEARNING, NOW, zone)
        assert [each.id for each in found] == order


SPOKEN = RecentVerdict("v1", "k3f9a2x1", "Grid", Kind.LIKE, Kind.LIKE, is_current=True, at=NOW)


@pytest.mark.parametrize(
    ("spoken", "text", "undo"),
    [
        (SPOKEN, "Liked", "k3f9a2x1"),
        (replace(SPOKEN, kind=Kind.UNDO, current=None, is_current=False), "Undone", ""),
        (replace(SPOKEN, current=Kind.DISLIKE, is_current=False), "Liked, and changed since: now disliked", ""),
        (
            replace(SPOKEN, current=None, is_current=False),
            "Liked, and changed since: now no verdict",
            "",
        ),
        (
            replace(SPOKEN, kind=Kind.UNDO, current=Kind.SKIP, is_current=False),
            "Undone, and changed since: now skipped",
            "",
        ),
    ],
)
def test_a_message_says_what_became_of_a_verdict(spoken: RecentVerdict, text: str, undo: str) -> None:
    assert list_page.message(spoken) == list_page.Message(text, "Grid", undo)


def test_nothing_is_said_of_what_was_never_said() -> None:
    assert list_page.message(None) is None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"feeds": 0, "has_articles": False}, "You follow no feeds yet"),
        ({"has_articles": False}, "It appears here after the next poll"),
        ({}, "Rating hidden stories"),
        ({"hidden": 0}, "after the next poll"),
    ],
)
def test_an_empty_list_says_why(change: dict[str, int], told: str) -> None:
    assert told in list_page.why_empty(replace(INBOX, **change), unscored=0)


def test_the_headline_counts() -> None:
    assert list_page.headline(INBOX) == "34 stories for you · 12 hidden · learning: 7 verdicts so far"
    assert list_page.headline(replace(INBOX, waiting=0, hidden=0)) == (
        "No stories for you · learning: 7 verdicts so far"
    )
    assert "2 more likes and 1 more dislike" in list_page.learning_note(INBOX)
    assert list_page.learning_note(replace(INBOX, learning=Learning(9, 9, trained=True))) == ""


def test_an_article_has_paragraphs_and_only_safe_addresses() -> None:
    files = (
        EnclosureView("https://c.example/a%20b.mp3?x", "audio/mpeg", 12_345_678),
        EnclosureView("https://c.example/", "", None),
    )
    content = ContentView("<p>One</p>", "/picture/x", files)
    told = article.body(ARTICLE, content)
    assert (told.html, told.picture) == ("<p>One</p>", "/picture/x")
    assert [(each.name, each.about) for each in told.enclosures] == [
        ("a b.mp3", "audio/mpeg, 12.3 MB"),
        ("c.example", ""),
    ]
    assert told.paragraphs == ("One\nparagraph.", "Another.")
    entry = story_entry(ARTICLE, NOW, UTC)
    assert (entry.verdict, entry.url, entry.others[0].url) == ("Disliked", "", "")


def test_an_explanation_has_a_bar_for_each_feature() -> None:
    feature = FeatureView(
        "rocchio", "like what you liked", "topic", 0.42, 3.4, 0.5, 1, used=True, phrase="like what you liked"
    )
    why = WhyView(
        article=ARTICLE,
        score=2.1,
        threshold=0.4,
        interesting=True,
        prior=-0.85,
        subset_size=2,
        features=(feature, replace(feature, name="idle", contribution=0.0, used=False)),
        words=(("grid", 1.0), ("football", -0.2)),
        reasons=("It resembles what you liked.",),
        learning=Learning(61, 102, trained=True),
        decided=NOW - timedelta(hours=2),
        first_score=1.2,
        first_threshold=0.5,
        words_for=("grid",),
        words_against=("football",),
    )
    told = article.explanation(why, NOW)
    assert told.decision == "Recommended: 89 % likely, a good match"
    assert [(move.meaning, move.contribution, move.bar, move.positive) for move in told.moves] == [
        ("starting point (how often you like anything)", "−0.85", 25.0, False),
        ("rocchio: like what you liked", "+3.40", 100.0, True),
    ]
    assert told.rest == "1 feature not used, for predicting your verdicts less well"
    assert told.words == (("Words that speak for it", "grid"), ("Words that speak against it", "football"))
    assert told.first.startswith("First scored 2 h ago: +1.20")
    assert told.parts == ""
    parts = replace(
        why,
        start=-1.0,
        word_parts=(("one", 2.0), ("grid", 1.5), ("pub", -0.4)),
        words_against=("Pub",),
        words_part=2.0,
        classifier_part=1.1,
        classifier_share=0.34,
        classifier_factor=0.4,
    )
    told = article.explanation(parts, NOW)
    assert told.parts == (
        "The score, in log-odds: start −1.00, words +2.00 (grid +1.50, pub −0.40), the classifier +1.10 "
        "(its share of the vote is 34 %)."
    )
    assert told.words == (("Words that speak for it", "grid"), ("Words that speak against it", "Pub"))
    assert family_sums(parts) == (("its words", 2.0), ("topic", pytest.approx(0.4 * 3.4)))
    cold = article.explanation(replace(why, features=(), learning=Learning(2, 0, trained=False)), NOW)
    assert (cold.moves, cold.rest[:20]) == ((), "So far, only words a")


def test_a_rule_is_about_source_author_and_categories() -> None:
    rules = [
        RuleView(1, "boost", "category", "grid", -1.4, False, None, "", "boost (clearly down): category “grid”", True),
        RuleView(2, "never", "word", "energy", 0, False, None, "", "never: word “energy”", True),
    ]
    told = article.targets(replace(ARTICLE, categories=("energy", "grid", "energy")), rules)
    assert [(each.field, each.text, each.action) for each in told] == [
        ("source", "Energy Wire", ""),
        ("category", "energy", ""),
        ("category", "grid", "less"),
    ]


def test_lists_are_kept_apart_and_not_for_ever() -> None:
    lists = ListCache()
    lists.put("one", "waiting", ["a", "b"])
    lists.put("other", "waiting", ["c"])
    lists.put("one", "hidden", ["d"])
    assert lists.get("one", "waiting") == ("a", "b")
    assert lists.get("other", "hidden") is None
    for number in range(MAX_LISTS):
        lists.put(f"s{number}", "waiting", [])
    assert lists.get("one", "waiting") is None
    assert lists.get("s0", "waiting") == ()


def test_what_comes_next_waits() -> None:
    ids = ("a", "b", "c")
    assert behind(ids, "a") == ("b", "c")
    assert behind(ids, "c") == behind(ids, "x") == ()


def test_a_list_has_moved_when_others_are_in_the_place_of_what_is_unrated() -> None:
    best, second, third = (replace(ITEM, id=name) for name in ("best", "second", "third"))
    rated = replace(best, verdict=Kind.LIKE)
    assert not list_page.has_moved([rated, second, third], ["second", "third", "new"], LEARNING, NOW, UTC)
    assert list_page.has_moved([rated, second, third], ["third", "second"], LEARNING, NOW, UTC)
    assert list_page.has_moved([rated, second, third], ["new", "second", "third"], LEARNING, NOW, UTC)
