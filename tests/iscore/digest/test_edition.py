from __future__ import annotations

from dataclasses import replace
from datetime import UTC, timedelta, timezone

import pytest

from iscore.digest.edition import edition, web_address
from iscore.views import DigestItem, DigestView, InboxItem, Learning, StatusView


def test_an_entry_says_who_when_how_long_and_how_likely(view: DigestView) -> None:
    (section,) = edition(view).sections
    (entry,) = section.entries

    assert (section.name, entry.number, entry.id) == ("recommended", 1, "k3f9a2x1")
    assert entry.sources == "Energy Wire, Harbour Post and Il Lago"
    assert (entry.when, entry.reading) == ("Mon 6 Oct, 11:00", "4 min read")
    assert (entry.strength, entry.strength_words) == (5, "a strong match")
    assert entry.reasons == ("It resembles what you liked.", "You like this source.")


def test_times_follow_the_zone(view: DigestView) -> None:
    entry = edition(view, zone=timezone(timedelta(hours=2))).sections[0].entries[0]
    assert entry.when == "Mon 6 Oct, 13:00"


def test_arrival_stands_in_for_a_missing_date(view: DigestView, item: InboxItem) -> None:
    undated = replace(view.recommended[0], item=replace(item, published=None))
    entry = edition(replace(view, recommended=(undated,))).sections[0].entries[0]
    assert entry.time == item.arrived


def test_explored_stories_have_a_section_of_their_own(view: DigestView, item: InboxItem) -> None:
    explored = DigestItem(number=2, item=replace(item, explore=True), reasons=(), reading_minutes=0)
    made = edition(replace(view, explore=(explored,)))

    assert [section.name for section in made.sections] == ["recommended", "explore"]
    assert made.headline == "1 story for you, 1 to explore, out of 312 articles"
    assert made.sections[1].entries[0].reading == "1 min read"


def test_a_digest_read_again_does_not_claim_what_it_was_chosen_from(view: DigestView) -> None:
    assert edition(replace(view, considered=1)).headline == "1 story for you"


def test_at_most_three_reasons_are_kept(view: DigestView) -> None:
    talkative = replace(view.recommended[0], reasons=("a", "b", "c", "d"))
    assert edition(replace(view, recommended=(talkative,))).sections[0].entries[0].reasons == ("a", "b", "c")


def test_foreign_text_is_one_line_and_never_empty(view: DigestView, item: InboxItem) -> None:
    odd = replace(view.recommended[0], item=replace(item, title="a\r\nb\u2028c"))
    nameless = replace(view.recommended[0], item=replace(item, title=" \n "))
    entries = edition(replace(view, recommended=(odd, nameless))).sections[0].entries
    assert [entry.title for entry in entries] == ["a b c", "(untitled)"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"feeds": 0, "articles": 0}, "iscore feeds add URL"),
        ({"articles": 0}, "`iscore poll` fetches it"),
        ({}, "none passed your threshold of +0.40"),
    ],
)
def test_an_empty_digest_says_why_and_what_to_do(
    view: DigestView, status: StatusView, change: dict[str, int], words: str
) -> None:
    made = edition(replace(view, recommended=(), status=replace(status, **change)))
    assert words in made.empty
    assert made.sections == ()
    assert made.headline.startswith("Nothing for you")


def test_an_empty_digest_of_nothing_new_does_not_blame_the_threshold(view: DigestView) -> None:
    assert "Nothing new has arrived" in edition(replace(view, recommended=(), considered=0)).empty


def test_a_digest_with_stories_gives_no_reason_for_being_empty(view: DigestView) -> None:
    assert edition(view).empty == ""


def test_learning_is_told_with_what_is_wanted(view: DigestView, status: StatusView) -> None:
    cold = replace(status, learning=Learning(3, 4, warm=False))
    told = edition(replace(view, status=cold)).learning
    assert "7 verdicts so far" in told
    assert "2 more likes and 1 more dislike" in told
    assert edition(view).learning == ""


def test_figures_tell_how_the_filter_is_doing(view: DigestView, status: StatusView) -> None:
    figures = {figure.name: figure.value for figure in edition(view).figures}
    assert figures == {
        "Verdicts": "163",
        "Precision": "74 %",
        "Recall": "62 %",
        "F0.5": "0.71",
        "Threshold": "+0.40",
        "Features": "9 of 24",
    }
    unknown = edition(replace(view, status=replace(status, f05=None, precision=None, recall=None))).figures
    assert [figure.value for figure in unknown[1:4]] == ["–", "–", "–"]


def test_feeds_in_trouble_are_named(view: DigestView) -> None:
    assert edition(view).troubles == ("Il Lago: the server answered 503",)


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


@pytest.mark.parametrize("url", ["http://a.example/?q=1&r=%20", "HTTPS://a.example/é"])
def test_web_addresses_are_kept(url: str) -> None:
    assert web_address(url) == url


def test_the_default_zone_is_utc(view: DigestView) -> None:
    assert edition(view) == edition(view, zone=UTC)
