"""The page: what it says, that foreign names are text, and that it is valid whatever there is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date
from xml.etree import ElementTree as ET

import pytest

from iscore.presentation.report.history import figures, history_page
from iscore.presentation.report.parts import hours, listed, percent, period, signed, two
from iscore.services.views.history import Calibration, Delays, FeatureHistory, HistoryView, Missed, Missing, ScoreBin
from iscore.services.views.status import HiddenCheck
from tests.iscore.presentation.charts.reading import assert_readable
from tests.iscore.presentation.html_page import Page
from tests.iscore.presentation.report.views import past

HOSTILE = [
    "<script>alert(1)</script>",
    "</title></style></svg><img src=x onerror=alert(1)>",
    "{{ 7 * 7 }}{% raw %}&amp;",
    "\x1b]0;title\x07 \ud800",
]


def read(view: HistoryView) -> Page:
    found = Page(history_page(view, zone=UTC))
    assert found.open == []
    return found


def test_the_page_says_what_is_to_be_seen() -> None:
    words = " ".join(read(past()).text.replace("\u00a0", " ").split())
    for said in (
        "2 March 2026 to 22 March 2026: 2,100 articles, 200 recommended, 20 shown to explore.",
        "You liked 67 % of the articles recommended on arrival, over 90 verdicts.",
        "Over the last 30 verdicts, F0.5 is 1.00 and precision 0.50",
        "Of 3 liked stories, 2 were recommended on arrival and 1 came from exploration; of 20 hidden stories "
        "that you checked you like 1: 1–24 % of all hidden ones, with 95 % certainty.",
        "A day brings 110 articles; 10 are recommended, 1 shown to explore, and you read 4.",
        "An article now needs a score of +0.40 log-odds, a probability of interest of 60 %. At the end of each day it "
        "was between +0.10 and +2.00.",
        "“means Energy Wire0” predicts your verdicts best (+0.50 now, +0.40 on 20 February 2026). "
        "The best 23 of 45 features are in use.",
        "Liked most reliably: Energy Wire 0, 9 of 10. Rarely liked: Energy Wire 0 (you like 0).",
        "Typical of what you like: Energy Wire0, Energy Wire1 and Energy Wire2. "
        "Typical of what you dislike: Energy Wire.",
        "Over 180 verdicts, predicted and actual shares of likes differ by 0.05 on average.",
        "Half of the liked have +1.00 or more, half of the disliked less than 0.00.",
        "Half of your verdicts come within 2.5 hours of an article’s arrival.",
    ):
        assert said in words
    assert "code_" not in history_page(past(), zone=UTC), "features are named by what they mean"


def test_no_share_counts_only_liked_stories_that_were_seen() -> None:
    (missed,) = (each for each in figures(past(), UTC) if each.name == "held")
    assert "%" not in "".join(str(panel.drawing) for panel in missed.panels)
    assert missed.table.rows == [["on arrival", "2"], ["explored", "1"], ["later, or by you", "0"]]


def test_a_figure_that_stayed_the_same_is_said_once() -> None:
    view = past()
    first, last = view.course[1], replace(view.course[-1], f05=view.course[1].f05)
    still = replace(view, course=(first, last), periods=tuple(replace(each, threshold=0.05) for each in view.periods))
    words = " ".join(read(still).text.split())
    assert f"as over the first {first.verdicts}." in words
    assert "At the end of each day it was +0.05." in words
    risen = " ".join(read(replace(view, course=(first, replace(last, f05=1.0)))).text.split())
    assert f"Its F0.5 rose from {first.f05:.2f} over the first" in risen


def test_every_drawing_can_be_read_and_has_its_numbers_beside_it() -> None:
    for figure in figures(past(), UTC):
        assert figure.panels
        assert figure.table is not None
        assert figure.table.rows
        assert all(len(row) == len(figure.table.columns) for row in figure.table.rows)
        for panel in figure.panels:
            assert_readable(str(panel.drawing))


@pytest.mark.parametrize("text", HOSTILE)
def test_foreign_names_are_shown_and_not_obeyed(text: str) -> None:
    found = read(past(text))
    assert not {"script", "img", "a", "link"} & {tag for tag, _ in found.tags}
    assert not any(name.startswith("on") for _, attributes in found.tags for name in attributes)
    if text.isprintable():
        assert found.text.count(text) > 10
    assert not any(ord(letter) < 32 and letter not in "\n\t" for letter in found.text)
    for figure in figures(past(text), UTC):
        for panel in figure.panels:
            ET.fromstring(str(panel.drawing).translate(dict.fromkeys((*range(32), 55296), " ")))


CHANGES: list[Callable[[HistoryView], HistoryView]] = [
    lambda view: replace(view, periods=view.periods[:1], course=view.course[:1]),
    lambda view: replace(view, periods=(), since=None, course=(), window=0),
    lambda view: replace(view, features=FeatureHistory(45, (), (), None)),
    lambda view: replace(view, features=None, words_liked=None, words_disliked=None),
    lambda view: replace(view, words_liked=()),
    lambda view: replace(view, sources=view.sources[:1]),
    lambda view: replace(view, sources=view.sources * 9),
    lambda view: replace(view, calibration=Calibration((), 0, None), scores=(), delays=Delays((), None)),
    lambda view: replace(view, scores=view.scores[:1], threshold=-9.0),
    lambda view: replace(view, missing=(Missing("course", "wait"),), course=()),
]


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_is_missing_there_is_a_page(change: Callable[[HistoryView], HistoryView]) -> None:
    found = read(change(past()))
    assert "nan" not in found.text.lower()
    assert "None" not in found.text
    for figure in figures(change(past()), UTC):
        for panel in figure.panels:
            assert_readable(str(panel.drawing))


def test_what_came_later_and_the_open_ends_of_scores_are_named() -> None:
    ends = (ScoreBin(-10.0, -9.0, 0, 3, 4), ScoreBin(9.0, 10.0, 3, 0, 1))
    found = read(replace(past(), missed=Missed(0, 1, HiddenCheck()), scores=ends))
    assert (
        "2 were recommended on arrival and 1 was recommended later or found by you; no hidden story checked yet."
        in found.text
    )
    assert "less than −9.00" in found.text
    assert "+9.00 or more" in found.text


def test_a_figure_that_waits_says_for_what() -> None:
    view = replace(past(), course=(), missing=(Missing("course", "This needs 20 verdicts."),))
    found = read(view)
    assert "This needs 20 verdicts." in found.text
    assert len(found.named("figure")) == len(read(past()).named("figure")) - 1


def test_numbers_are_written_as_people_read_them() -> None:
    assert [percent(share) for share in (None, 0.0, 0.001, 0.5, 0.999, 1.0)] == [
        "–",
        "0\u00a0%",
        "<\u00a01\u00a0%",
        "50\u00a0%",
        ">\u00a099\u00a0%",
        "100\u00a0%",
    ]
    assert [signed(value) for value in (None, -0.001, 0.5, -1.0)] == ["–", "0.00", "+0.50", "−1.00"]
    assert [two(None), two(0.456)] == ["–", "0.46"]
    assert [hours(number) for number in (0.2, 7.5, 48.0, 100.0)] == ["an hour", "7.5 hours", "2 days", "4.17 days"]
    assert [listed(list(words)) for words in ("a", "ab", "abc")] == ["a", "a and b", "a, b and c"]
    day = date(2026, 3, 2)
    assert period(day, day) == "2 Mar 2026"
    assert period(day, date(2026, 3, 8)) == "2–8 Mar 2026"
    assert period(date(2026, 3, 30), date(2026, 4, 5)) == "30 Mar – 5 Apr 2026"
    assert period(date(2025, 12, 29), date(2026, 1, 4)) == "29 Dec 2025 – 4 Jan 2026"
    assert period(date(2026, 2, 1), date(2026, 2, 28)) == "February 2026"
