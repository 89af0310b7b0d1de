"""An article and its story in words, once for whatever shows one; which addresses become links, and how."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC

import pytest

from iscore.presentation.wording.story import SourceArticle, from_sources, story_entry, web_address
from iscore.services.views.stories import StoryView
from storage.records.articles import StorySource
from tests.iscore.presentation.made_views import ITEM, NOW, named

CARRIERS = (
    StorySource("Energy Wire", ITEM.title, ITEM.url),
    StorySource("Harbour\nPost", " ", "javascript:alert(1)"),
    StorySource("Energy Wire", "Told again", "https://wire.example/again"),
    StorySource("\u202e", "Nobody", ""),
)


def test_a_story_is_worded_with_all_who_carried_it() -> None:
    view = replace(ITEM, sources=CARRIERS, reasons=("a", "b", "c", "d"), reading_minutes=4)
    words = story_entry(view, NOW, UTC)
    assert (words.when, words.reading, words.strength, words.strength_words) == (
        "Mon 6 Oct, 11:00",
        "4 min read",
        4,
        "a good match",
    )
    assert words.articles == (
        SourceArticle("Energy Wire", ITEM.title, ITEM.url),
        SourceArticle("Harbour Post", "(untitled)", ""),
    )
    assert (words.sources, words.others) == ("Energy Wire and Harbour Post", words.articles[1:])
    assert words.reasons == ("a", "b", "c")


def test_without_carriers_the_sources_are_named_without_addresses() -> None:
    words = story_entry(ITEM, NOW, UTC)
    assert words.sources == "Energy Wire and Harbour Post"
    assert [(other.source, other.url) for other in words.others] == [("Harbour Post", "")]


def test_what_has_no_name_no_title_and_no_score_says_so() -> None:
    view = StoryView(
        id="k3f9a2x1",
        title=" ",
        url="javascript:alert(1)",
        source="",
        sources=named(""),
        author="",
        categories=(),
        language="en",
        published=None,
        arrived=NOW,
        text="One paragraph.",
        score=None,
        threshold=None,
        interesting=None,
        explore=None,
        verdict=None,
    )
    words = story_entry(view, NOW, UTC)
    assert (words.title, words.source, words.sources, words.url) == ("(untitled)", "(no name)", "(no name)", "")
    assert (words.strength, words.strength_words) == (0, "not scored yet")
    assert (words.time, words.when) == (NOW, "no date")


@pytest.mark.parametrize(
    ("language", "tag"), [("it", "it"), ("pt-BR", "pt-BR"), ('en" onclick="x', ""), ("", ""), ("it\n", "")]
)
def test_a_language_is_one_that_a_page_may_name(language: str, tag: str) -> None:
    assert story_entry(replace(ITEM, language=language), NOW, UTC).language == tag
    assert story_entry(replace(ITEM, language=language, title=""), NOW, UTC).language == ""


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ((), ""),
        (("A",), "A"),
        (("A", "B"), "A and B"),
        (("A", "B", "C"), "A, B and C"),
        (("A", "B", "C", "D", "E"), "A, B and 3 more"),
    ],
)
def test_many_sources_are_shortened(names: tuple[str, ...], words: str) -> None:
    assert from_sources(names) == words


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "//evil.example",
        "",
        "https://a.example/\x1b]8",
        "https://a.example/a b",
        "https://a.example/\u202egnp",
        " https://a.example",
    ],
)
def test_unsafe_addresses_are_dropped(url: str) -> None:
    assert web_address(url) == ""


@pytest.mark.parametrize("url", ["http://a.example/?q=1&r=%20", "https://a.example:8443/é#f", "http://[::1]/"])
def test_web_addresses_are_kept(url: str) -> None:
    assert web_address(url) == url


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("HTTPS://a.example/x", "https://a.example/x"),
        ("https://bank.example:x@a.example/", "https://a.example/"),
        ('https://a.example/<b>{x}|\\^`"[1]', "https://a.example/%3Cb%3E%7Bx%7D%7C%5C%5E%60%22%5B1%5D"),
        ("https://a.example/100%?q=[1]&x=%41#a#b", "https://a.example/100%25?q=%5B1%5D&x=%41#a%23b"),
    ],
)
def test_web_addresses_become_iris(url: str, safe: str) -> None:
    assert web_address(url) == safe
