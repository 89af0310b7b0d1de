"""Miniflux's API: entries. What it promises is that of Miniflux's own tests of its API."""

from __future__ import annotations

from datetime import timedelta

import pytest

from storage.log import marks
from storage.records.users import LOCAL_USER, AppOption, Kind
from tests.iscore.web.api.conftest import (
    BEST,
    EXPLORED,
    HIDDEN,
    NOW,
    OLD,
    MinifluxApp,
    choose,
    miniflux_of,
    published_at,
    rows_of_the_log,
    verdict,
)
from tests.iscore.web.in_process import Site
from tests.iscore.web.publisher import publishing
from tests.servers.feed_server import page


@pytest.fixture
def anna(running: Site) -> MinifluxApp:
    return miniflux_of(running)


def test_recommended_entries_are_unread_and_the_others_read(running: Site, anna: MinifluxApp) -> None:
    assert {*anna.numbers("status=unread")} == {EXPLORED, BEST}
    assert {*anna.numbers("status=read")} == {HIDDEN, OLD}
    assert {*anna.numbers("status=read&status=unread")} == {*anna.numbers("")} == {OLD, BEST, EXPLORED, HIDDEN}
    choose(running, AppOption.HIDDEN_UNREAD, app="Miniflux")
    assert {*anna.numbers("status=unread")} == {EXPLORED, BEST, HIDDEN}


def test_an_entry_has_all_that_clients_read(anna: MinifluxApp) -> None:
    entry = anna.json(f"entries/{BEST}")
    assert (entry["id"], entry["feed_id"], entry["user_id"]) == (BEST, 2, LOCAL_USER)
    assert (entry["title"], entry["url"], entry["author"]) == ("Harbour & <quay>", "https://a.example/Harbour", "Ada")
    assert (entry["status"], entry["starred"], entry["reading_time"]) == ("unread", False, 1)
    assert entry["published_at"] == "2026-03-01T18:00:00Z"
    assert entry["created_at"] == entry["changed_at"] == "2026-03-02T18:00:00Z"
    assert "<b>text</b>" in entry["content"]
    assert "script" not in entry["content"]
    assert "<audio" not in entry["content"]  # these apps have players of their own for enclosures
    assert (entry["feed"]["title"], entry["feed"]["category"]["title"]) == ("The <Quay>", "Arts & more")
    (file,) = entry["enclosures"]
    assert (file["url"], file["mime_type"], file["size"]) == ("https://a.example/a.mp3", "audio/mpeg", 12)
    assert anna.json(f"enclosures/{file['id']}") == file
    assert entry["tags"] == ["iScore/best"]
    for path in (f"feeds/2/entries/{BEST}", f"categories/2/entries/{BEST}"):
        assert anna.json(path) == entry
    assert anna.ask("GET", f"categories/1/entries/{BEST}").status == 404


CHOSEN = {
    "order=id": [OLD, BEST, EXPLORED, HIDDEN],
    "order=id&direction=desc": [HIDDEN, EXPLORED, BEST, OLD],
    "order=id&limit=2&offset=1": [BEST, EXPLORED],
    "order=title": [HIDDEN, BEST, OLD, EXPLORED],
    "order=created_at&direction=desc": [HIDDEN, EXPLORED, BEST, OLD],
    "order=status&direction=desc": [EXPLORED, BEST, HIDDEN, OLD],
    "order=author": [OLD, BEST, EXPLORED, HIDDEN],
    "order=category_title": [OLD, BEST, EXPLORED, HIDDEN],
    "order=category_id&direction=desc": [HIDDEN, EXPLORED, BEST, OLD],
    "order=id&after_entry_id=2": [EXPLORED, HIDDEN],
    "order=id&before_entry_id=3": [OLD, BEST],
    "order=id&limit=0": [OLD, BEST, EXPLORED, HIDDEN],
    "order=id&feed_id=2": [OLD, BEST, EXPLORED, HIDDEN],
    "order=id&category_id=2&status=unread": [BEST, EXPLORED],
    "category_id=1": [],
    "search=harbour": [BEST],
    "search=harbour&status=read": [],
    "starred=1": [],
    "order=id&starred=0": [OLD, BEST, EXPLORED, HIDDEN],
    "order=id&tags=iScore/hidden": [HIDDEN],
    "order=id&globally_visible=true&status=unread": [BEST, EXPLORED],
    "limit=1&offset=4": [],
}


def test_entries_are_sorted_and_chosen(anna: MinifluxApp) -> None:
    assert {query: anna.numbers(query) for query in CHOSEN} == CHOSEN


def test_entries_of_some_time(anna: MinifluxApp) -> None:
    """Publishers' dates are three days ago. The oldest story's is later than its arrival, and so is none."""

    def ago(days: float) -> int:
        return int((NOW - timedelta(days=days)).timestamp())

    for name in ("before", "published_before"):
        assert anna.numbers(f"order=id&{name}={ago(4)}") == [OLD]
        assert anna.numbers(f"order=id&{name}={ago(2.5)}") == [OLD, BEST, EXPLORED, HIDDEN]
    for name in ("after", "published_after"):
        assert anna.numbers(f"order=id&{name}={ago(4)}") == [BEST, EXPLORED, HIDDEN]
        assert anna.numbers(f"order=id&{name}={ago(2.5)}") == []
    assert anna.numbers(f"order=id&changed_after={ago(1.7)}") == [EXPLORED, HIDDEN]
    assert anna.numbers(f"order=id&changed_before={ago(1.7)}") == [OLD, BEST]
    anna.ask("PUT", "entries", {"entry_ids": [OLD], "status": "read"})
    assert anna.numbers(f"order=changed_at&changed_after={ago(1.7)}") == [EXPLORED, HIDDEN, OLD]


def test_a_list_is_counted_whatever_part_of_it_is_asked_for(anna: MinifluxApp) -> None:
    for path in ("entries", "feeds/2/entries", "categories/2/entries"):
        assert [anna.json(f"{path}?{part}")["total"] for part in ("", "limit=1", "limit=1&offset=9")] == [4, 4, 4]
    assert anna.json("entries?search=harbour")["total"] == 1
    assert anna.json("entries/ids?offset=9") == {"total": 4, "entry_ids": []}


def test_a_list_that_makes_no_sense_is_refused(anna: MinifluxApp) -> None:
    for query in ("status=x", "order=x", "direction=x", "limit=-1", "offset=-1", "search=feed:nothing"):
        status, message = anna.error(f"entries?{query}")
        assert (status, bool(message)) == (400, True), query


def test_ids_alone_are_counted_and_cut(anna: MinifluxApp) -> None:
    assert anna.json("entries/ids") == {"total": 4, "entry_ids": [HIDDEN, EXPLORED, BEST, OLD]}
    assert anna.json("entries/ids?status=unread&limit=1&offset=1") == {"total": 2, "entry_ids": [BEST]}
    assert anna.json("entries/ids?starred=true") == {"total": 0, "entry_ids": []}
    for query in ("starred=x", "status=removed"):
        assert anna.error(f"entries/ids?{query}")[0] == 400
    anna.ask("PUT", "entries", {"entry_ids": [BEST], "status": "read", "starred": True})
    assert anna.json("entries/ids?status=unread") == {"total": 1, "entry_ids": [EXPLORED]}
    assert anna.json("entries/ids?starred=true") == {"total": 1, "entry_ids": [BEST]}
    assert anna.json("entries/ids?starred=true&offset=1") == {"total": 1, "entry_ids": []}
    assert anna.json("entries/ids?starred=false")["entry_ids"] == [HIDDEN, EXPLORED, OLD]


def test_entries_are_marked_as_read_and_unread(running: Site, anna: MinifluxApp) -> None:
    def mark(numbers: list[int], **change: object) -> None:
        assert anna.ask("PUT", "entries", {"entry_ids": numbers} | change).status == 204

    mark([BEST, 99], status="read")
    assert anna.numbers("status=unread") == [EXPLORED]
    mark([HIDDEN, BEST], status="unread")
    assert {*anna.numbers("status=unread")} == {HIDDEN, EXPLORED, BEST}
    mark([BEST], status="read", starred=True)
    assert (anna.json(f"entries/{BEST}")["status"], verdict(running, BEST)) == ("read", Kind.LIKE)
    for body, problem in (
        ({"entry_ids": [], "status": "read"}, "the list of entries cannot be empty"),
        ({"entry_ids": [1]}, "either the status or the starred field must be specified"),
        ({"entry_ids": [1], "status": "x"}, 'invalid entry status, valid status values are: "read" and "unread"'),
        ({"entry_ids": "1", "status": "read"}, "entry_ids is no list of numbers"),
        ({"entry_ids": [2**70], "status": "read"}, None),
    ):
        status, message = anna.error("entries", "PUT", body)
        assert (status, message) == ((400, problem) if problem else (404, "resource not found"))
    for broken in ("", "{", "[]", "[" * 100_000):
        assert anna.ask("PUT", "entries", broken).status == 400


def test_a_star_is_toggled_saves_and_likes(running: Site, anna: MinifluxApp) -> None:
    for name in ("bookmark", "star"):
        assert anna.ask("PUT", f"entries/{BEST}/{name}").status == 204
        assert (anna.numbers("starred=true"), verdict(running, BEST)) == ([BEST], Kind.LIKE), name
        assert anna.ask("PUT", f"entries/{BEST}/{name}").status == 204
        assert (anna.numbers("starred=true"), verdict(running, BEST)) == ([], None), name
    for _ in range(2):
        anna.ask("PUT", "entries", {"entry_ids": [BEST], "starred": True})
    assert rows_of_the_log(running) == 5
    assert BEST in anna.numbers("status=unread")


def test_saving_is_no_verdict(running: Site, anna: MinifluxApp) -> None:
    assert anna.ask("POST", f"entries/{BEST}/save").status == 202
    assert (anna.numbers("starred=true"), verdict(running, BEST)) == ([BEST], None)


def test_a_list_is_marked_as_read_but_not_what_was_kept_unread(running: Site, anna: MinifluxApp) -> None:
    reader = running.context.users.entry(LOCAL_USER).news.reader
    anna.ask("PUT", "entries", {"entry_ids": [BEST], "status": "unread"})
    for path in ("feeds/2", "categories/2", f"users/{LOCAL_USER}"):
        assert anna.ask("PUT", f"{path}/mark-all-as-read").status == 204
        assert anna.numbers("status=unread") == [BEST]
        reader.undo_mark_all_read()
        assert {*anna.numbers("status=unread")} == {EXPLORED, BEST}


def test_labels_are_tags(running: Site, anna: MinifluxApp) -> None:
    with running.context.users.entry(LOCAL_USER).news.database.write() as tx:
        marks.add_label(tx, LOCAL_USER, "Later", [BEST])
    assert anna.json(f"entries/{BEST}")["tags"] == ["Later", "iScore/best"]
    assert anna.numbers("tags=later") == [BEST]
    assert anna.numbers("tags=later&tags=iScore/hidden") == []


def test_the_page_of_an_entry_is_fetched(running: Site, anna: MinifluxApp) -> None:
    pytest.importorskip("trafilatura", reason="needs the extra fulltext")
    with publishing() as (publisher, at):
        publisher.pages["/story"] = ("text/html; charset=utf-8", page(3).encode())
        published_at(running, at, f"UPDATE articles SET url = ? WHERE seq = {BEST}", f"{at}/story")
        found = anna.json(f"entries/{BEST}/fetch-content")
    assert "Nobody objected" in found["content"]
    assert found["reading_time"] >= 1
    assert anna.json(f"entries/{BEST}")["content"] == found["content"]


def test_the_page_of_an_entry_that_cannot_be_had_is_an_error(anna: MinifluxApp) -> None:
    status, message = anna.error(f"entries/{BEST}/fetch-content")
    assert status == 500
    assert message
