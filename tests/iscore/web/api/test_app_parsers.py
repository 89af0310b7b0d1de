"""Six apps can read every answer: made-up items, and all items that real and odd feeds have."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from iscore.web.security.credentials import CredentialStore
from storage.people import users
from storage.records.users import LOCAL_USER
from tests.iscore.web.api.app_parsers import CONTENTS, FEEDS, FEVER, IDS, PARSERS, TAGS, misfits
from tests.iscore.web.api.conftest import STARRED, app_of
from tests.iscore.web.api.test_fever import app_of as fever_app_of
from tests.iscore.web.in_process import Site, site
from tests.real_world.test_real_feeds import NOW, polled_home

FEVER_PARTS = "groups&feeds&favicons&unread_item_ids&saved_item_ids&links"
LEAST = {"real.tar.xz": (2900, 900), "odd.tar.xz": (150, 2)}
"""Items of the feeds of an archive, and how many sounds and videos they have."""


def answers(running: Site) -> Iterator[tuple[str, Any]]:
    """Ask for everything, as apps do: page by page."""
    app, fever = app_of(running), fever_app_of(running, app="Tablet")
    yield FEEDS, app.json("subscription/list", ("output", "json"))
    yield TAGS, app.json("tag/list", ("output", "json"))
    for kind, path, count in ((IDS, "stream/items/ids", 1000), (CONTENTS, "stream/contents", 2500)):
        place: list[tuple[str, object]] = []
        while True:
            found = app.json(path, ("n", count), *place)
            yield kind, found
            if "continuation" not in found:
                break
            place = [("c", found["continuation"])]
    yield CONTENTS, app.json("stream/contents", ("s", STARRED))
    everything, since = fever.ask(FEVER_PARTS), 0
    while items := fever.ask(f"items&since_id={since}")["items"]:
        yield FEVER, everything | {"items": items}
        since = items[-1]["id"]


def check(given: list[tuple[str, Any]]) -> None:
    wrong = {
        (app, kind, place)
        for app, shapes in PARSERS.items()
        for kind, answer in given
        if kind in shapes
        for place in misfits(shapes[kind], answer)
    }
    assert wrong == set()
    feeds = {feed["id"] for kind, answer in given if kind == FEEDS for feed in answer["subscriptions"]}
    known = {item["origin"]["streamId"] for kind, answer in given if kind == CONTENTS for item in answer["items"]}
    assert known <= feeds  # the databases of Readrops and ReadYou refuse an item without its feed
    ids = [item["id"] for kind, answer in given if kind == CONTENTS for item in answer["items"]]
    refs = [ref["id"] for kind, answer in given if kind == IDS for ref in answer["itemRefs"]]
    assert [int(each.rpartition("/")[2], 16) for each in ids] == list(map(int, refs))
    fever = [answer for kind, answer in given if kind == FEVER]
    grouped = {number for each in fever[0]["feeds_groups"] for number in map(int, each["feed_ids"].split(","))}
    assert grouped == {each["id"] for each in fever[0]["feeds"]}  # ReadYou fails where a feed is in no group


def test_apps_read_what_is_made_up(running: Site) -> None:
    given = [*answers(running)]
    check(given)
    (contents,) = [answer["items"] for kind, answer in given if kind == CONTENTS][:1]
    del contents[0]["origin"]["htmlUrl"]
    contents[1]["canonical"] = []
    contents[2]["title"] = ""
    found = {(app, place) for app in PARSERS for place in misfits(PARSERS[app][CONTENTS], {"items": contents})}
    assert {("Capy Reader", ".items[0].origin.htmlUrl"), ("FeedFlow", ".items[0].origin.htmlUrl")} <= found
    assert {("Fluent Reader", ".items[1].canonical"), ("Readrops", ".items[2].title")} <= found


@pytest.fixture(params=LEAST)
def polled(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Site, tuple[int, int]]]:
    """A server with all feeds of an archive, and what it has at least."""
    for made in polled_home(request.param, tmp_path):
        made.poll()
        with made.filter.database.write() as tx:
            users.rename(tx, LOCAL_USER, "Anna")
        CredentialStore(tmp_path / "home").mark_set_up()
        with site(tmp_path / "home", NOW) as served:
            yield served, LEAST[request.param]


@pytest.mark.long
def test_apps_read_every_item_of_real_and_odd_feeds(polled: tuple[Site, tuple[int, int]]) -> None:
    running, (items, media) = polled
    given = [*answers(running)]
    check(given)
    contents = [[item["summary"]["content"] for item in answer["items"]] for kind, answer in given if kind == CONTENTS]
    assert len(contents[0]) == min(
        2500, sum(map(len, contents))
    )  # in one answer, after which Readrops asks for no more
    fever = [item["html"] for kind, answer in given if kind == FEVER for item in answer["items"]]
    for texts in (list(chain(*contents)), fever):
        assert len(texts) >= items
        assert sum(text.count(' controls preload="none" src="http') for text in texts) >= media
        assert not [text for text in texts if "<iframe" in text]
