"""Rows 17 to 38 of docs/reliability.md but 18: documents that are bombs, lies or damage, and what of them is stored.

At first every feed is good. Then its document is hostile, twice. What becomes of such texts on pages, in mail, on
terminals and in files is tried where these are tried; here they are stored clean.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.hostile.document_faults import DATES
from tests.hostile.following import followed, row_of
from tests.hostile.household import Household, Ran, Seen
from tests.hostile.nasty_texts import ADDRESSES, LINES, SCRIPTS, TERMINAL, TITLES

MOST = 60
"""Entries taken of one document."""
GOOD = 2
"""Articles that each feed had before it turned hostile."""


@dataclass(frozen=True)
class Turned:
    """A home after the feeds have turned hostile."""

    home: Household
    rounds: list[Ran]
    """One of good feeds, two of hostile ones."""
    stored: dict[str, list[dict[str, Any]]]
    """Of each path the articles after the second round; after the third the home has them."""
    feeds: dict[str, dict[str, Any]]
    """Each feed after the second round."""
    seen: Seen
    inbox: list[dict[str, Any]]
    """What waits, as `iscore inbox --json` has it."""

    def brought(self, path: str) -> list[dict[str, Any]]:
        """What the hostile document brought."""
        return self.stored[path][GOOD:]


@pytest.fixture(scope="module")
def turned(tmp_path_factory: pytest.TempPathFactory) -> Turned:
    # Row 18 takes all the time that it gets, so it goes with the servers that do.
    with followed(tmp_path_factory.mktemp("documents"), (17, *range(19, 39)), parse_timeout=20, max_entries=MOST) as (
        server,
        home,
    ):
        rounds = [home.poll(), home.poll(watched="/good-0")]
        stored = {path: home.articles(path) for path in home.addresses}
        feeds = {path: home.feed(path) for path in home.addresses}
        rounds.append(home.poll())
        inbox = json.loads(home.run("inbox", "--all", "--limit", "500", "--json").out)
        return Turned(home, rounds, stored, feeds, Seen(server), inbox)


def clean(articles: Iterable[dict[str, Any]]) -> bool:
    """No field has a character that would steer anything; lines are one line."""
    for article in articles:
        for name in ("title", "author", "categories", "url", "text", "site", "key"):
            unclean = {c for c in article[name] if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"}}
            # Categories are kept as a list in JSON.
            assert unclean <= ({"\n"} if name == "text" else set()), (name, article[name][:200])
            assert not set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") & set(article[name])
        assert len(article["title"]) <= 500
        assert len(article["text"]) <= 200_000
    return True


def failed(turned: Turned, path: str, reason: str) -> None:
    """The feed has failed for this reason, and has kept what it had."""
    assert len(turned.stored[path]) == GOOD
    feed = turned.feeds[path]
    assert reason in feed["error"]
    assert feed["error"].isprintable()
    assert (feed["failures"], feed["etag"]) == (1, '"good"')
    assert feed["next_due"] > feed["last_attempt"]


def test_the_round_goes_on_without_them(turned: Turned) -> None:
    second = turned.rounds[1]
    assert second.code == 0
    assert second.good_after is not None
    for path in turned.home.addresses:
        if path.startswith("/good"):
            assert turned.feeds[path]["failures"] == 0
    assert all(clean(articles) for articles in turned.stored.values())


def test_memory_stays_bounded(turned: Turned) -> None:
    assert turned.rounds[1].peak - turned.rounds[0].peak < 300 << 20


def test_the_canary_is_silent(turned: Turned) -> None:
    assert turned.seen.canary == 0


def test_the_same_bytes_twice_change_nothing(turned: Turned) -> None:
    changing = {"/good-0", "/34-fresh-guids", "/36-reused-guid"}
    for path in set(turned.home.addresses) - changing:
        assert turned.home.articles(path) == turned.stored[path], path
    # One of the good feeds, and the one with ever new guids.
    assert turned.rounds[2].view["new_articles"] == 1 + 3


def test_row_17_entities_that_grow_and_that_lead_outside(turned: Turned) -> None:
    (laughs,), (outside,) = turned.brought("/17-laughs"), turned.brought("/17-outside")
    assert len(laughs["title"]) + len(laughs["text"]) < 1000
    assert "root:" not in outside["title"] + outside["text"]
    assert outside["text"] == "text"


def test_row_19_a_hundred_thousand_entries(turned: Turned) -> None:
    titles = {article["title"] for article in turned.brought("/19-many")}
    # Without dates the first are the newest.
    assert titles == {f"entry {number}" for number in range(MOST)}
    told = "Documents: of 100,000 entries the newest 60 were taken (`max_entries` in config.toml)"
    assert told in turned.rounds[1].view["warnings"]
    assert told in turned.rounds[1].err
    assert len(turned.home.articles("/19-many")) == GOOD + MOST
    assert told not in turned.rounds[2].err


def test_row_20_an_enormous_entry(turned: Turned) -> None:
    failed(turned, "/20-huge", "larger than 10 MB")
    (large,) = turned.brought("/20-large")
    assert large["text"] == "aä€𝄞" * 50_000


def test_row_21_encodings(turned: Turned) -> None:
    expected = {"latin-1-as-utf-8": "Grüße aus Köln", "bogus-charset": "Grüße aus Köln"}
    expected |= {"utf-16-unmarked": "Grüße aus Köln", "koi8-r": "Привет из Москвы"}
    for name, title in expected.items():
        assert [article["title"] for article in turned.brought(f"/21-{name}")] == [title]


def test_row_22_what_is_no_feed_or_half_of_one(turned: Turned) -> None:
    assert [article["title"] for article in turned.brought("/22-unclosed")] == [
        "Story number 502",
        "Story number 501",
        "Story number 500",
    ]
    failed(turned, "/22-login-page", "no feed")
    failed(turned, "/22-json", "no JSON Feed")
    failed(turned, "/22-empty", "empty")
    failed(turned, "/22-nought", "empty")


def test_row_23_control_characters_in_every_field(turned: Turned) -> None:
    brought = turned.brought("/23-controls")
    assert len(brought) == len(TERMINAL)
    assert clean(brought)
    assert {article["title"].split()[0] for article in brought} == set(TERMINAL)


def test_row_24_and_25_markup_in_every_field_is_text(turned: Turned) -> None:
    brought = turned.brought("/24-scripts")
    assert len(brought) == len(SCRIPTS)
    for article in brought:
        assert "alert(1)" not in article["text"]
        assert "<img" not in article["text"]
        assert article["url"].startswith("https://nasty.example/")


def test_row_26_addresses_that_a_browser_would_run(turned: Turned) -> None:
    brought = turned.brought("/26-addresses")
    assert len(brought) == len(ADDRESSES)
    assert all(article["url"] == "" or article["url"].startswith("http://127.8.") for article in brought)
    assert all("<" not in article["text"] and "script:" not in article["text"] for article in brought)


def test_row_27_pictures_that_count_readers(turned: Turned) -> None:
    (pixels,) = turned.brought("/27-pixels")
    assert (pixels["text"], pixels["pictures"]) == ("words", 2)


def test_row_29_line_ends_and_dots_are_one_line(turned: Turned) -> None:
    brought = turned.brought("/29-lines")
    assert len(brought) == len(LINES)
    for article in brought:
        assert article["title"].splitlines() == [article["title"]]
        assert "." not in article["text"].split("\n")


def test_row_32_dates_that_cannot_be(turned: Turned) -> None:
    brought = turned.brought("/32-dates")
    assert len(brought) == len(DATES)
    assert {article["published"] for article in brought} == {None}
    assert all(item["published"] is None or item["published"] <= item["arrived"] for item in turned.inbox)


def test_row_33_neither_guid_nor_date(turned: Turned) -> None:
    assert len(turned.brought("/33-nameless")) == 5


def test_row_34_guids_that_are_new_at_every_fetch(turned: Turned) -> None:
    found = turned.home.articles("/34-fresh-guids")[GOOD:]
    assert len(found) == 6
    # Stored again, but no news: each belongs to the story that is there.
    assert [article["story"] for article in found[3:]] == [article["seq"] for article in found[:3]]
    shown = [item for item in turned.inbox if item["url"].startswith("https://fresh.example/")]
    assert len(shown) == 3


def test_row_35_one_guid_for_all(turned: Turned) -> None:
    assert len(turned.brought("/35-one-guid")) == 5


def test_row_36_a_guid_that_is_used_again(turned: Turned) -> None:
    (before,) = turned.brought("/36-reused-guid")
    (after,) = turned.home.articles("/36-reused-guid")[GOOD:]
    assert (before["id"], before["seq"]) == (after["id"], after["seq"])
    assert before["title"] != after["title"]
    assert turned.rounds[2].view["updated_articles"] == 1


def test_row_37_one_story_in_two_feeds(turned: Turned) -> None:
    (one,), (other,) = turned.brought("/37-story"), turned.brought("/37-story-again")
    assert one["story"] == other["story"]
    assert one["url"] == other["url"] == "https://harbour.example/bridge"
    shown = [item for item in turned.inbox if item["url"] == one["url"]]
    assert len(shown) == 1


def test_row_38_titles_of_all_kinds(turned: Turned) -> None:
    titles = [article["title"] for article in turned.brought("/38-titles")]
    assert len(titles) == len(TITLES)
    assert "" in titles
    assert {TITLES["right-to-left"], TITLES["cjk"], TITLES["emoji"]} <= set(titles)


def test_every_row_of_documents_is_tried_here_or_with_the_servers(turned: Turned) -> None:
    assert {row_of(path) for path in turned.seen.addresses} >= {
        *range(1, 10),
        *range(12, 25),
        26,
        27,
        29,
        *range(32, 39),
    }
