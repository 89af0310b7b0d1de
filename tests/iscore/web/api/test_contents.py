"""Items with their contents: in pieces, with players, and in the direction that they are written in."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from iscore.services.views.other_programs import ClientItem
from iscore.services.views.stories import EnclosureView
from iscore.web.api import fever as fever_api
from iscore.web.api import google_reader
from iscore.web.api.google_reader_items import items
from iscore.web.api.google_reader_names import item_id
from iscore.web.api.requests import players
from storage.records.feeds import Subscription
from storage.records.users import LOCAL_USER
from storage.stream import feeds
from tests.iscore.web.api.conftest import BEST, EXPLORED, HIDDEN, NOW, OLD, READING_LIST, ClientApp, miniflux_of
from tests.iscore.web.api.test_fever import app_of as fever_app_of
from tests.iscore.web.in_process import Site

HEBREW = "שלום לכולם"


@pytest.fixture
def made(running: Site) -> ClientItem:
    (found,) = running.context.users.entry(LOCAL_USER).news.client_apps.items((), [BEST])
    return found


def written(*pieces: list[ClientItem], continuation: str = "") -> Any:
    return json.loads(b"".join(items(pieces, "feed/2", NOW, continuation)))


def test_pieces_are_one_document_however_many_are_empty(made: ClientItem) -> None:
    for pieces in ((), ([],), ([made],), ([], [made], []), ([made, made], [], [made])):
        found = written(*pieces, continuation="7")
        assert len(found["items"]) == sum(map(len, pieces))
        assert (found["id"], found["updated"], found["continuation"]) == ("feed/2", int(NOW.timestamp()), "7")
    assert "continuation" not in written([made])


def test_a_list_is_the_same_in_pieces_of_any_size(anna: ClientApp, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for size in (1, 3, 4, 50):
        monkeypatch.setattr(google_reader, "PIECE", size)
        found.append(anna.json("stream/contents", ("s", READING_LIST), ("n", 2500)))
    assert len(found[0]["items"]) == 4
    assert all(one == other for one, other in pairwise(found))


def test_apps_that_know_feeds_by_their_list_get_items_of_no_other(
    running: Site, anna: ClientApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fever_api, "MOST_ITEMS", 1)  # an empty answer would be taken for the last
    with running.context.users.entry(LOCAL_USER).news.database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [Subscription("https://other.example/feed")])
        number = feeds.overview(tx, LOCAL_USER)[0].feed.id
        tx.connection.exec_driver_sql("UPDATE articles SET feed_id = ? WHERE seq = ?", (number, HIDDEN))
    assert {each["origin"]["streamId"] for each in anna.json("stream/contents")["items"]} == {f"feed/{number}"}
    assert anna.json("stream/items/contents", ("i", item_id(BEST)))["items"] == []
    fever = fever_app_of(running, app="Watch")
    assert [each["id"] for each in fever.ask("items")["items"]] == [HIDDEN]
    assert fever.ask(f"items&with_ids={BEST}")["items"] == []
    entries = miniflux_of(running).json("entries")["entries"]  # each has its feed with it
    assert {each["id"]: each["feed"]["id"] == number for each in entries} == {
        OLD: False, BEST: False, EXPLORED: False, HIDDEN: True,
    }  # fmt: skip


def test_a_stream_is_written_as_all_of_its_items_are(made: ClientItem) -> None:
    hebrew = replace(made, title=HEBREW)
    ways = {"ltr": [[made], [made, hebrew], []], "rtl": [[hebrew], [hebrew, replace(made, language="ar")]]}
    for way, lists in ways.items():
        assert {written(each)["direction"] for each in lists} == {way}
    assert [each["summary"]["direction"] for each in written([made, hebrew])["items"]] == ["ltr", "rtl"]


def test_sound_and_videos_have_players_that_load_nothing_by_themselves(made: ClientItem) -> None:
    files = ("audio/mpeg", "Video/mp4", "image/jpeg", "", "text/html", "video")
    enclosures = tuple(EnclosureView(f'https://a.example/{n}?a=1&"b"', kind, 7) for n, kind in enumerate(files))
    found = players(replace(made, enclosures=enclosures))
    assert found.count('<audio controls preload="none" src=') == 1
    assert found.count('<video controls preload="none" src=') == 2
    assert found.startswith(
        '<p><audio controls preload="none" src="https://a.example/0?a=1&amp;&quot;b&quot;"><a href='
    )
    assert players(replace(made, enclosures=())) == ""
