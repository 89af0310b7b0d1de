"""Rows 17 to 38 of docs/reliability.md but 18 and 22: documents that are bombs, lies or damage, and what is stored.

They are asked for twice. Row 22 needs feeds that were good before, and 18 takes all the time that it gets: both are
beside the servers. What becomes of such texts on pages, in mail, on terminals and in files is tried where these are
tried; here they are stored clean.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.hostile.document_faults import DATES
from tests.hostile.hostile_subscriptions import row_of, subscribed
from tests.hostile.polled_folder import CommandResult, PolledFolder, ServerLog
from tests.hostile.texts_of_rows import ADDRESSES, LINES, SCRIPTS, TERMINAL, TITLES

pytestmark = pytest.mark.long

MOST = 60
"""Entries taken of one document."""


@dataclass(frozen=True)
class Tried:
    """A home after its rounds."""

    home: PolledFolder
    rounds: list[CommandResult]
    """Two."""
    stored: dict[str, list[dict[str, Any]]]
    """Of each path the articles after the first round; after the second the home has them."""
    feeds: dict[str, dict[str, Any]]
    """Each feed after the first round."""
    seen: ServerLog
    inbox: list[dict[str, Any]]
    """What waits, as `iscore inbox --json` has it."""

    def brought(self, path: str) -> list[dict[str, Any]]:
        """What the document brought at first."""
        return self.stored[path]


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Tried:
    with subscribed(
        tmp_path_factory.mktemp("documents"), (17, 19, 20, 21, *range(23, 39)), parse_timeout=200, max_entries=MOST
    ) as (
        server,
        home,
    ):
        rounds = [home.poll(watched="/good-0")]
        stored = {path: home.articles(path) for path in home.addresses}
        feeds = {path: home.feed(path) for path in home.addresses}
        rounds.append(home.poll())
        inbox = json.loads(home.run("inbox", "--all", "--limit", "500", "--json").out)
        return Tried(home, rounds, stored, feeds, ServerLog(server), inbox)


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


def failed(tried: Tried, path: str, reason: str) -> None:
    """The feed has failed for this reason and is asked again later."""
    assert not tried.stored[path]
    feed = tried.feeds[path]
    assert reason in feed["error"]
    assert feed["error"].isprintable()
    assert feed["failures"] == 1
    assert feed["next_due"] > feed["last_attempt"]


def test_the_round_goes_on_without_them(tried: Tried) -> None:
    first = tried.rounds[0]
    assert first.code == 0
    assert first.good_after is not None
    for path in tried.home.addresses:
        if path.startswith("/good"):
            assert tried.feeds[path]["failures"] == 0
    assert all(clean(articles) for articles in tried.stored.values())


def test_memory_stays_bounded(tried: Tried) -> None:
    # In the second round all but a few documents are the same, and not parsed.
    assert tried.rounds[0].peak - tried.rounds[1].peak < 300 << 20


def test_the_canary_is_silent(tried: Tried) -> None:
    assert tried.seen.canary == 0


def test_the_same_bytes_twice_change_nothing(tried: Tried) -> None:
    changing = {"/good-0", "/34-fresh-guids", "/36-reused-guid"}
    for path in set(tried.home.addresses) - changing:
        assert tried.home.articles(path) == tried.stored[path], path
    # One of the good feeds, and the one with ever new guids.
    assert tried.rounds[1].view["new_articles"] == 1 + 3


def test_row_17_entities_that_grow_and_that_lead_outside(tried: Tried) -> None:
    (laughs,), (outside,) = tried.brought("/17-laughs"), tried.brought("/17-outside")
    assert len(laughs["title"]) + len(laughs["text"]) < 1000
    assert "root:" not in outside["title"] + outside["text"]
    assert outside["text"] == "text &web; &file;"


def test_row_19_a_hundred_thousand_entries(tried: Tried) -> None:
    titles = {article["title"] for article in tried.brought("/19-many")}
    # Without dates the first are the newest.
    assert titles == {f"entry {number}" for number in range(MOST)}
    warning = "Documents: of 100,000 entries the newest 60 were taken (`max_entries` in config.toml)"
    assert warning in tried.rounds[0].view["warnings"]
    assert warning in tried.rounds[0].err
    assert len(tried.home.articles("/19-many")) == MOST
    assert warning not in tried.rounds[1].err


def test_row_20_an_enormous_entry(tried: Tried) -> None:
    failed(tried, "/20-huge", "larger than 10 MB")
    (large,) = tried.brought("/20-large")
    assert large["text"] == "aä€𝄞" * 50_000


def test_row_21_encodings(tried: Tried) -> None:
    expected = {"latin-1-as-utf-8": "Grüße aus Köln", "bogus-charset": "Grüße aus Köln"}
    expected |= {"utf-16-unmarked": "Grüße aus Köln", "koi8-r": "Привет из Москвы"}
    for name, title in expected.items():
        assert [article["title"] for article in tried.brought(f"/21-{name}")] == [title]


def test_row_23_control_characters_in_every_field(tried: Tried) -> None:
    brought = tried.brought("/23-controls")
    assert len(brought) == len(TERMINAL)
    assert clean(brought)
    assert {article["title"].split()[0] for article in brought} == set(TERMINAL)


def test_row_24_and_25_markup_in_every_field_is_text(tried: Tried) -> None:
    brought = tried.brought("/24-scripts")
    assert len(brought) == len(SCRIPTS)
    for article in brought:
        assert "alert(1)" not in article["text"]
        assert "<img" not in article["text"]
        assert article["url"].startswith("https://hostile.example/")


def test_row_26_addresses_that_a_browser_would_run(tried: Tried) -> None:
    brought = tried.brought("/26-addresses")
    assert len(brought) == len(ADDRESSES)
    assert all(article["url"] == "" or article["url"].startswith("http://127.8.") for article in brought)
    assert all("<" not in article["text"] and "script:" not in article["text"] for article in brought)


def test_row_27_pictures_that_count_readers(tried: Tried) -> None:
    (pixels,) = tried.brought("/27-pixels")
    assert (pixels["text"], pixels["pictures"]) == ("words", 2)


def test_row_29_line_ends_and_dots_are_one_line(tried: Tried) -> None:
    brought = tried.brought("/29-lines")
    assert len(brought) == len(LINES)
    for article in brought:
        assert article["title"].splitlines() == [article["title"]]
        assert "." not in article["text"].split("\n")


def test_row_32_dates_that_cannot_be(tried: Tried) -> None:
    brought = tried.brought("/32-dates")
    assert len(brought) == len(DATES)
    assert {article["published"] for article in brought} == {None}
    assert all(item["published"] is None or item["published"] <= item["arrived"] for item in tried.inbox)


def test_row_33_neither_guid_nor_date(tried: Tried) -> None:
    assert len(tried.brought("/33-nameless")) == 5


def test_row_34_guids_that_are_new_at_every_fetch(tried: Tried) -> None:
    found = tried.home.articles("/34-fresh-guids")
    assert len(found) == 6
    # Stored again, but no news: each belongs to the story that is there.
    assert [article["story"] for article in found[3:]] == [article["seq"] for article in found[:3]]
    shown = [item for item in tried.inbox if item["url"].startswith("https://fresh.example/")]
    assert len(shown) == 3


def test_row_35_one_guid_for_all(tried: Tried) -> None:
    assert len(tried.brought("/35-one-guid")) == 5


def test_row_36_a_guid_that_is_used_again(tried: Tried) -> None:
    (before,) = tried.brought("/36-reused-guid")
    (after,) = tried.home.articles("/36-reused-guid")
    assert (before["id"], before["seq"]) == (after["id"], after["seq"])
    assert before["title"] != after["title"]
    assert tried.rounds[1].view["updated_articles"] == 1


def test_row_37_one_story_in_two_feeds(tried: Tried) -> None:
    (one,), (other,) = tried.brought("/37-story"), tried.brought("/37-story-again")
    assert one["story"] == other["story"]
    assert one["url"] == other["url"] == "https://harbour.example/bridge"
    shown = [item for item in tried.inbox if item["url"] == one["url"]]
    assert len(shown) == 1


def test_row_38_titles_of_all_kinds(tried: Tried) -> None:
    titles = [article["title"] for article in tried.brought("/38-titles")]
    assert len(titles) == len(TITLES)
    assert "" in titles
    assert {TITLES["right-to-left"], TITLES["cjk"], TITLES["emoji"]} <= set(titles)


def test_every_row_of_documents_is_tried_here_or_with_the_servers(tried: Tried) -> None:
    assert {row_of(path) for path in tried.seen.addresses} >= {
        *range(1, 10),
        *range(12, 25),
        26,
        27,
        29,
        *range(32, 39),
    }
