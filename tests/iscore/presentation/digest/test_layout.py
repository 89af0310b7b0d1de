from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from iscore.presentation.digest.layout import build_digest
from iscore.presentation.digest.render import render_html, render_mail, render_text
from iscore.services.views.digests import DigestView
from iscore.services.views.status import HiddenCheck, StatusView
from iscore.services.views.stories import Learning, StoryView
from tests.iscore.presentation.made_views import named


def test_an_entry_says_who_when_how_long_and_how_likely(view: DigestView) -> None:
    (section,) = build_digest(view).sections
    (entry,) = section.entries

    assert (section.name, entry.number, entry.id) == ("recommended", 1, "k3f9a2x1")
    assert entry.sources == "Energy Wire, Harbour Post and Il Lago"
    assert (entry.when, entry.reading) == ("Mon 6 Oct, 11:00", "4 min read")
    assert (entry.strength, entry.strength_words) == (5, "a strong match")
    assert entry.reasons == ("It resembles what you liked.", "You like this source.")


def test_sections_follow_one_another_with_their_numbers(full: DigestView) -> None:
    made = build_digest(full)
    assert [(section.name, [entry.number for entry in section.entries]) for section in made.sections] == [
        ("recommended", [1]),
        ("stories", [2]),
        ("rare", [3]),
        ("explore", [4]),
    ]
    assert made.headline == "3 stories for you, 1 to explore, out of 312"


def test_a_story_names_every_source_with_its_own_address(full: DigestView) -> None:
    (entry,) = build_digest(full).sections[1].entries
    assert (entry.source, entry.sources) == ("Energy Wire", "Energy Wire, Harbour Post and Il Lago")
    assert [(other.source, other.url) for other in entry.others] == [
        ("Harbour Post", "https://harbour.example/7"),
        ("Il Lago", "https://lago.example/7"),
    ]


def test_a_rule_is_told_apart_from_reasons(full: DigestView) -> None:
    (entry,) = build_digest(full).sections[2].entries
    assert (entry.rule, entry.reasons) == (
        "boosted by your rule: word “grid” (clearly)",
        ("words you like: seldom",),
    )


def test_below_the_line_are_titles_without_numbers(full: DigestView) -> None:
    made = build_digest(full)
    assert [(missed.id, missed.title, missed.url) for missed in made.below] == [
        ("missed1x", "Just missed", "https://wire.example/grid"),
        ("missed2x", "Missed too", ""),
    ]
    assert made.below_words == (
        "40 stories were hidden; these came closest. If you like one, say so with `iscore like missed1x`."
    )


def test_answers_by_number_name_the_day_for_later(full: DigestView) -> None:
    assert build_digest(full).voting == (
        "Rate by number: `iscore like --digest 1` or `iscore dislike --digest 4`. "
        "After a newer digest, add `--date 2025-10-06`."
    )


def test_entries_link_to_where_one_answers_if_that_is_known(full: DigestView) -> None:
    assert {entry.answer for section in build_digest(full).sections for entry in section.entries} == {""}
    made = build_digest(replace(full, serve_address="http://127.0.0.1:8473"))
    assert made.sections[0].entries[0].answer == "http://127.0.0.1:8473/article/k3f9a2x1"
    assert made.below[0].answer == "http://127.0.0.1:8473/article/missed1x"


HOSTILE = "a\x00\x07\x1b[31mb\u202ec\u2066d\ufeff\ud800e\uffff]]>\U000e0041"


def test_foreign_text_steers_nothing(view: DigestView, item: StoryView) -> None:
    hostile = replace(
        item,
        title=HOSTILE,
        source=HOSTILE,
        sources=named(HOSTILE, "b\u202e"),
        author=HOSTILE,
        text=HOSTILE,
        rule_outcome=HOSTILE,
    )
    delivered = replace(hostile, number=1, reasons=(HOSTILE,))
    made = build_digest(replace(view, recommended=(delivered,), below=(hostile,)))
    shown = made.sections[0].entries[0]
    clean = "a[31mbcd\ufffde\ufffd]]>"
    assert {shown.title, shown.source, shown.author, shown.summary, shown.text, shown.rule, *shown.reasons} == {clean}
    below = made.below[0]
    assert (below.title, below.source, shown.others[0].source) == (clean, clean, "b")


def test_titles_and_summaries_have_an_end(view: DigestView, item: StoryView) -> None:
    shown = replace(item, number=1, title="word " * 2000, text="x" * 600)
    (entry,) = build_digest(replace(view, recommended=(shown,))).sections[0].entries
    assert len(entry.title) <= 300
    assert entry.title.endswith(" word…")
    assert (len(entry.summary), len(entry.text)) == (220, 590)


def test_times_follow_the_zone(view: DigestView) -> None:
    entry = build_digest(view, zone=timezone(timedelta(hours=2))).sections[0].entries[0]
    assert entry.when == "Mon 6 Oct, 13:00"


def test_arrival_stands_in_for_a_missing_date(view: DigestView, item: StoryView) -> None:
    undated = replace(item, number=1, published=None)
    entry = build_digest(replace(view, recommended=(undated,))).sections[0].entries[0]
    assert entry.time == item.arrived


def test_explored_stories_have_a_section_of_their_own(view: DigestView, item: StoryView) -> None:
    explored = replace(item, number=2, explore=True, reading_minutes=0)
    made = build_digest(replace(view, explore=(explored,)))

    assert [section.name for section in made.sections] == ["recommended", "explore"]
    assert made.headline == "1 story for you, 1 to explore, out of 312"
    assert made.sections[1].entries[0].reading == "1 min read"


def test_a_digest_read_again_does_not_claim_what_it_was_chosen_from(view: DigestView) -> None:
    assert build_digest(replace(view, considered=1)).headline == "1 story for you"


def test_at_most_three_reasons_are_kept(view: DigestView) -> None:
    talkative = replace(view.recommended[0], reasons=("a", "b", "c", "d"))
    assert build_digest(replace(view, recommended=(talkative,))).sections[0].entries[0].reasons == ("a", "b", "c")


def test_foreign_text_is_one_line_and_never_empty(view: DigestView, item: StoryView) -> None:
    odd = replace(item, title="a\r\nb\u2028c")
    nameless = replace(item, title=" \n ")
    entries = build_digest(replace(view, recommended=(odd, nameless))).sections[0].entries
    assert [entry.title for entry in entries] == ["a b c", "(untitled)"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"feeds": 0, "articles": 0}, "iscore feeds add URL"),
        ({"articles": 0}, "Fetch it with `iscore poll`"),
        ({}, "312 unread stories, none above your threshold."),
        ({}, "1 of your 12 feeds could not be fetched; see `iscore feeds check`"),
        ({"feeds": 1}, "None of your feeds could be fetched"),
    ],
)
def test_an_empty_digest_says_why_and_what_to_do(
    view: DigestView, status: StatusView, change: dict[str, int], words: str
) -> None:
    made = build_digest(replace(view, recommended=(), status=replace(status, **change)))
    assert words in made.empty
    assert made.sections == ()
    assert made.headline.startswith("Nothing for you")


def test_an_empty_digest_of_nothing_new_does_not_blame_the_threshold(view: DigestView) -> None:
    shown = build_digest(replace(view, recommended=(), considered=0, arrived=9)).empty
    assert "No new stories" in shown
    assert "No news arrived in these days" in build_digest(replace(view, recommended=(), considered=0)).empty


def test_an_empty_digest_of_a_day_that_is_over_promises_nothing(view: DigestView) -> None:
    later = datetime(2025, 10, 6, 23, tzinfo=UTC)
    empty = replace(view, recommended=(), considered=0, made=later)
    assert "No news arrived in these days" in build_digest(empty).empty
    shown = build_digest(empty, zone=timezone(timedelta(hours=2))).empty
    assert shown == "No digest was made on that day, and no unread stories are left from it."


def test_a_digest_with_stories_gives_no_reason_for_being_empty(view: DigestView) -> None:
    assert build_digest(view).empty == ""


def test_learning_is_told_with_what_is_wanted(view: DigestView, status: StatusView) -> None:
    cold = replace(status, learning=Learning(3, 4, trained=False))
    shown = build_digest(replace(view, status=cold)).learning
    assert "7 verdicts so far" in shown
    assert "2 more likes and 1 more dislike" in shown
    assert build_digest(view).learning == ""


def test_figures_tell_how_the_filter_is_doing(view: DigestView, status: StatusView) -> None:
    figures = {figure.name: figure.value for figure in build_digest(view).figures}
    assert figures == {
        "Verdicts": "163",
        "Liked": "74 %",
        "Missed": "1–24 %",
        "Threshold": "60 % likely",
    }
    assert build_digest(replace(view, status=replace(status, precision=None))).figures[1].value == "–"
    unknown = build_digest(replace(view, status=replace(status, precision=None, checked=HiddenCheck())))
    assert unknown.figures == ()
    assert "FILTER STATUS" not in render_text(unknown)
    assert "Filter status" not in render_html(unknown) + render_mail(unknown)


def test_feeds_in_trouble_are_named(view: DigestView) -> None:
    assert build_digest(view).troubles == ("Il Lago: the server answered 503",)


def test_the_default_zone_is_utc(view: DigestView) -> None:
    assert build_digest(view) == build_digest(view, zone=UTC)
