"""Apps that cannot run here: what they send when they synchronise and change feeds, and how they read the answers.

The folder ``sequences`` has the requests as the apps write them. How an app reads an answer is restated here from its
source: what it makes of ids; ``app_parsers`` has which fields it needs, of which type.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

from iscore.web.api.google_reader_names import item_id
from storage.records.users import LOCAL_USER, Kind
from tests.iscore.web.api.app_parsers import CONTENTS, FEEDS, IDS, PARSERS, TAGS, Shape, misfits
from tests.iscore.web.api.conftest import BEST, EXPLORED, FEED, HIDDEN, NOW, OLD, verdict
from tests.iscore.web.api.test_fever import parts
from tests.iscore.web.in_process import AppClient, Site
from tests.servers.attacker import attacker

ADDRESS = "/api/greader.php/"
REQUEST = re.compile(r"(.+?) +(GET|POST) +(\S+) *(.*)")
SINCE = int((NOW - timedelta(days=90)).timestamp())
RSS = "<rss version='2.0'><channel><title>News &amp; more</title><item><title>One</title></item></channel></rss>"
NUMBERS = [HIDDEN, EXPLORED, BEST, OLD]


@dataclass
class App:
    """An app that sends what its file has."""

    client: AppClient
    requests: dict[str, tuple[str, str, str]]
    signed: dict[str, str] = field(default_factory=dict)
    token: str = ""

    @classmethod
    def called(cls, name: str, running: Site) -> App:
        lines = (Path(__file__).parent / "sequences" / f"{name}.txt").read_text().splitlines()
        found = [REQUEST.fullmatch(line) for line in lines if not line.startswith("#")]
        return cls(running.client(), {each[1]: (each[2], each[3], each[4]) for each in found if each})

    def send(self, name: str, **values: object) -> str:
        """Send a request; return the answer, which is none of an error."""
        method, path, form = self.requests[name]
        headers = self.signed | ({"Content-Type": "application/x-www-form-urlencoded"} if method == "POST" else {})
        filled = {"token": self.token} | values
        answer = self.client.send(method, ADDRESS + path.format(**filled), form.format(**filled), **headers)
        assert answer.status == 200, (name, answer)
        return answer.body

    def sign_in(self, running: Site) -> str:
        """Sign in with a new password; return the answer."""
        return self.send("sign in", password=running.context.accounts.make_app_password(LOCAL_USER, "Phone"))

    def ids(self, name: str, **values: object) -> list[int]:
        """Return the ids of a list that both apps read as decimal numbers of 64 bits."""
        found = decoded(json.loads(self.send(name, **values)), {"itemRefs": [{"id": str}], "continuation?": str})
        assert "continuation" not in found  # which has the apps ask again
        numbers = [int(each["id"]) for each in found["itemRefs"]]
        assert all(0 < each < 2**63 for each in numbers)
        return numbers


def decoded(value: Any, shape: Shape) -> Any:
    """Return a value that has a shape."""
    assert [*misfits(shape, value)] == []
    return value


def ids_of(numbers: list[int]) -> list[int]:
    return [item_id(each) for each in numbers]


# NetNewsWire.

NNW = PARSERS["NetNewsWire"]


def nnw_signed_in(running: Site) -> App:
    app = App.called("netnewswire", running)
    pairs = [line.split("=") for line in app.sign_in(running).split("\n") if line]
    app.signed = {"Authorization": f"GoogleLogin auth={dict(each for each in pairs if len(each) == 2)['Auth']}"}
    app.token = app.send("token").removesuffix("\n")
    return app


def nnw_written(ids: list[int]) -> str:
    """Return ids as it sends them: since 2026 the long form, in 16 digits."""
    return "&".join(f"i=tag:google.com,2005:reader/item/{each:016x}" for each in ids)


def nnw_folders(app: App) -> tuple[set[str], dict[str, list[str]]]:
    """Return the folders, and those of each feed. A feed's folder that is no tag ends the app's sorting of feeds."""
    tags = decoded(json.loads(app.send("tags")), NNW[TAGS])["tags"]
    folders = {each["id"] for each in tags if "/label/" in each["id"]}
    feeds = decoded(json.loads(app.send("feeds")), NNW[FEEDS])["subscriptions"]
    of_feed = {each["id"]: [category["id"] for category in each["categories"]] for each in feeds}
    assert {each for found in of_feed.values() for each in found} <= folders
    return folders, of_feed


def test_netnewswire_synchronises(running: Site) -> None:
    app = nnw_signed_in(running)
    assert nnw_folders(app)[1] == {"feed/2": ["user/-/label/Arts & more"]}
    for _ in range(2):  # the second time there is nothing to send and nothing new
        every = app.ids("all ids", since=SINCE)
        assert every == ids_of(NUMBERS)
        assert app.ids("unread ids") == ids_of([EXPLORED, BEST])
        assert app.ids("starred ids") == []
    found = decoded(json.loads(app.send("contents", ids=nnw_written(every))), NNW[CONTENTS])["items"]
    read = [int(each["id"].split("/")[-1], 16) for each in found]
    assert read == every
    assert {each["origin"]["streamId"] for each in found} == {"feed/2"}

    assert app.send("read", ids=nnw_written(ids_of([BEST]))) == "OK"
    assert app.send("star", ids=nnw_written(ids_of([BEST, OLD]))) == "OK"
    assert app.ids("unread ids") == ids_of([EXPLORED])
    assert app.ids("starred ids") == ids_of([BEST, OLD])
    app.send("unread", ids=nnw_written(ids_of([BEST])))
    app.send("unstar", ids=nnw_written(ids_of([OLD])))
    assert app.ids("unread ids") == ids_of([EXPLORED, BEST])
    assert app.ids("starred ids") == ids_of([BEST])
    assert (verdict(running, BEST), verdict(running, OLD)) == (Kind.LIKE, None)
    assert app.ids("all ids", since=SINCE) == every


def test_netnewswire_follows_moves_renames_and_leaves(running: Site) -> None:
    app = nnw_signed_in(running)
    with attacker({"/feed?a=1&b=2": RSS}) as port:
        address = f"http://127.0.0.1:{port}/feed?a=1&b=2"
        escaped = quote(address, safe=":")
        shape = {"numResults": int, "error?": str, "streamId?": str}
        added = decoded(json.loads(app.send("follow", address=escaped)), shape)
    assert added["numResults"] == 1
    number = added["streamId"].removeprefix("feed/")
    assert added["streamId"] in nnw_folders(app)[1]  # it looks for it there
    assert app.ids("ids of feed", since=SINCE, feed=number) == []
    app.send("into folder", feed=number, folder="Sea")
    app.send("move", feed=number, old="Sea", folder="Land%20%26%20sea")
    assert nnw_folders(app)[1][f"feed/{number}"] == ["user/-/label/Land & sea"]
    app.send("rename feed", feed=number, title="The%20news")
    app.send("rename folder", old="Land%20%26%20sea", folder="Ocean")
    (mine,) = [each for each in json.loads(app.send("feeds"))["subscriptions"] if each["url"] != FEED]
    assert (mine["title"], mine["url"]) == ("The news", address)
    assert mine["categories"] == [{"id": "user/-/label/Ocean", "label": "Ocean"}]
    app.send("remove folder", folder="Ocean")
    assert "user/-/label/Ocean" not in nnw_folders(app)[0]
    app.send("leave", feed=number)
    assert [*nnw_folders(app)[1]] == ["feed/2"]


# ReadYou.

READYOU = PARSERS["ReadYou"]
LONG_ID = re.compile("tag:google.com,2005:reader/item/([0-9a-f]{16})")
"""It passes over items with any other id."""


def readyou_signed_in(running: Site) -> App:
    app = App.called("readyou", running)
    token = decoded(json.loads(app.sign_in(running)), {"Auth": str})["Auth"]
    app.signed = {"Authorization": f"GoogleLogin auth={token}"}
    app.token = quote(app.send("token"), safe="")
    assert decoded(json.loads(app.send("user")), {"userName": str})["userName"] == "Anna"
    return app


def readyou_written(ids: list[int]) -> str:
    """Return ids as it sends them: in decimal."""
    return "&".join(f"i={each}" for each in ids)


def test_readyou_synchronises(running: Site) -> None:
    app = readyou_signed_in(running)
    (feed,) = decoded(json.loads(app.send("feeds")), READYOU[FEEDS])["subscriptions"]
    assert (feed["id"], feed["url"]) == ("feed/2", FEED)
    unread, starred = app.ids("unread ids"), app.ids("starred ids")
    read = app.ids("read ids", since=SINCE)
    assert read == app.ids("read ids, it", since=SINCE) == ids_of([HIDDEN, OLD])
    assert (unread, starred) == (ids_of([EXPLORED, BEST]), [])
    found = decoded(json.loads(app.send("contents", ids=readyou_written([*unread, *read]))), READYOU[CONTENTS])["items"]
    matched = [LONG_ID.fullmatch(each["id"]) for each in found]
    assert [int(each[1], 16) for each in matched if each] == [*unread, *read]
    assert app.ids("ids of feed", feed=2) == ids_of(NUMBERS)
    assert app.ids("unread of feed", feed=2) == unread

    for name, numbers in (("read", [BEST, EXPLORED]), ("unread", [BEST, OLD]), ("star", [BEST])):
        assert app.send(name, ids=readyou_written(ids_of(numbers))) == "OK"
    assert app.ids("unread ids") == ids_of([BEST, OLD])
    assert app.ids("read ids", since=SINCE) == ids_of([HIDDEN, EXPLORED])
    assert app.ids("starred ids") == ids_of([BEST])
    assert verdict(running, BEST) is Kind.LIKE


def test_readyou_follows_moves_renames_and_leaves(running: Site) -> None:
    app = readyou_signed_in(running)
    with attacker({"/feed?a=1&b=2": RSS}) as port:
        # In the address it is not escaped, so that there it ends before the second parameter; the form has all of it.
        address = f"http://127.0.0.1:{port}/feed?a=1&b=2"
        shape = {"numResults": int, "streamId": str}
        added = decoded(json.loads(app.send("follow", address=address, escaped=quote(address, safe=""))), shape)
    number = added["streamId"].replace("feed/", "")
    app.send("into folder", feed=number, folder="Sea", title="News")
    app.send("move", feed=number, folder="Land", old="Sea")
    app.send("rename feed", feed=number, title="The%20news")
    app.send("rename folder", old="Land", folder="Ocean")
    feeds = decoded(json.loads(app.send("feeds")), READYOU[FEEDS])["subscriptions"]
    (mine,) = [each for each in feeds if each["id"] == added["streamId"]]
    assert (mine["url"], mine["title"], mine["categories"][0]["label"]) == (address, "The news", "Ocean")
    app.send("leave", feed=number)
    assert [each["id"] for each in json.loads(app.send("feeds"))["subscriptions"]] == ["feed/2"]


# Readrops.

READROPS = PARSERS["Readrops"]


def readrops_signed_in(running: Site) -> App:
    app = App.called("readrops", running)
    password = running.context.accounts.make_app_password(LOCAL_USER, "Phone")
    form = parts(("Email", "Anna"), ("Passwd", password))
    kind = "multipart/form-data; boundary=X"
    answer = app.client.send("POST", f"{ADDRESS}accounts/ClientLogin", form, Content_Type=kind)
    app.signed = {"Authorization": f"GoogleLogin auth={dict(each.split('=') for each in answer.body.split())['Auth']}"}
    app.token = quote(app.send("token"), safe="")
    assert json.loads(app.send("user"))["userName"] == "Anna"
    return app


def test_readrops_synchronises(running: Site) -> None:
    app = readrops_signed_in(running)

    def remote_ids(name: str) -> list[str]:
        """Return ids as it stores them: in hexadecimal, as long as in decimal."""
        found = decoded(json.loads(app.send(name)), READROPS[IDS])["itemRefs"]
        return [f"{int(each['id']):x}".zfill(len(each["id"])) for each in found]

    def items(name: str, **values: object) -> list[str]:
        found = decoded(json.loads(app.send(name, **values)), READROPS[CONTENTS])["items"]
        return [each["id"].rpartition("/")[2] for each in found]

    assert items("items") == remote_ids("unread ids") == [f"{each:016x}" for each in ids_of([EXPLORED, BEST])]
    assert items("new items", since=SINCE) == [f"{each:016x}" for each in ids_of(NUMBERS)]
    assert items("starred") == remote_ids("starred ids") == []
    assert app.send("read", ids=nnw_written(ids_of([BEST]))) == "OK"
    assert remote_ids("read ids") == [f"{each:016x}" for each in ids_of([HIDDEN, BEST, OLD])]


def test_readrops_makes_folders_before_it_puts_feeds_into_them(running: Site) -> None:
    app = readrops_signed_in(running)

    def folders() -> list[str]:
        tags = decoded(json.loads(app.send("folders")), READROPS[TAGS])["tags"]
        return [each["id"].rpartition("/")[2] for each in tags if each.get("type") == "folder"]

    def of_feed() -> list[str]:
        (feed,) = decoded(json.loads(app.send("feeds")), READROPS[FEEDS])["subscriptions"]
        return [each["label"] for each in feed["categories"]]

    for _ in range(2):  # sent again
        assert app.send("new folder", folder="Sea") == "OK"
    assert (folders(), of_feed()) == (["Arts & more", "Sea"], ["Arts & more"])
    app.send("rename folder", old="Sea", folder="Ocean")
    app.send("move", address=quote(FEED, safe=""), title="Quay", folder="ocean")
    assert (folders(), of_feed()) == (["ocean"], ["ocean"])
    app.send("new folder", folder="Land")
    app.send("remove folder", folder="Land")
    app.send("rename folder", old="ocean", folder="Sea")
    assert (folders(), of_feed()) == (["Sea"], ["Sea"])
    app.send("remove folder", folder="Sea")
    assert (folders(), of_feed()) == ([], [])


# Capy Reader.

CAPY = PARSERS["Capy Reader"]


def test_capy_reader_synchronises_moves_and_finds_what_is_followed(running: Site) -> None:
    app = App.called("capyreader", running)
    token = dict(each.split("=") for each in app.sign_in(running).split())["Auth"]
    app.signed = {"Authorization": f"GoogleLogin auth={token}"}
    app.token = quote(app.send("token"), safe="")
    decoded(json.loads(app.send("tags")), CAPY[TAGS])
    unread = app.ids("unread ids")
    assert (unread, app.ids("starred ids")) == (ids_of([EXPLORED, BEST]), [])
    found = decoded(json.loads(app.send("contents", ids=nnw_written(unread))), CAPY[CONTENTS])["items"]
    assert [int(each["id"].rpartition("/")[2], 16) for each in found] == unread

    link = '<link rel="alternate" type="application/rss+xml" href="/news.xml">'
    with attacker({"/": f"<!doctype html><html><head>{link}</head></html>", "/news.xml": RSS}) as port:
        page = quote(f"http://127.0.0.1:{port}/", safe="")
        added, again = (json.loads(app.send("follow", address=page)) for _ in range(2))
        assert again["numResults"] == 0
        assert again["error"] == f"Already subscribed! http://127.0.0.1:{port}/news.xml"
    feed = added["streamId"].removeprefix("feed/")
    for folder in ("Sea", "Land"):
        app.send("move", feed=feed, folder=folder, title="News")
        feeds = decoded(json.loads(app.send("feeds")), CAPY[FEEDS])["subscriptions"]
        (mine,) = [each for each in feeds if each["id"] == added["streamId"]]
        assert [each["label"] for each in mine["categories"]] == [folder]
        assert again["error"].endswith(mine["url"])
