"""Items with their contents: in pieces, with players, and in the direction that they are written in."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from iscore.services.views.other_programs import ClientItem
from iscore.services.views.stories import EnclosureView
from iscore.web.api import google_reader
from iscore.web.api.google_reader_items import items
from iscore.web.api.requests import players
from storage.records.users import LOCAL_USER
from tests.iscore.web.api.conftest import BEST, NOW, READING_LIST, ClientApp
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
