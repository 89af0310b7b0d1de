"""The Google Reader API: feeds, folders and their lists, as apps change them."""

from __future__ import annotations

import json

from storage.records.users import LOCAL_USER
from tests.iscore.web.api.conftest import (
    BEN,
    FEED,
    ClientApp,
    give_icon,
)
from tests.iscore.web.in_process import Site
from tests.servers.attacker import attacker


def test_feeds_are_listed_renamed_moved_between_folders_and_left(anna: ClientApp) -> None:
    (feed,) = anna.json("subscription/list", ("output", "json"))["subscriptions"]
    folder = {"id": "user/-/label/Arts & more", "label": "Arts & more"}
    assert (feed["id"], feed["title"], feed["categories"], feed["url"]) == ("feed/2", "The <Quay>", [folder], FEED)
    edit = ("ac", "edit"), ("s", "feed/2")
    moved = ("a", "user/-/label/Sea"), ("r", "user/-/label/Arts & more")
    assert anna.post("subscription/edit", *edit, ("t", "Quay"), *moved).body == "OK"
    (feed,) = anna.json("subscription/list")["subscriptions"]
    assert (feed["title"], [each["label"] for each in feed["categories"]]) == ("Quay", ["Sea"])
    assert anna.post("rename-tag", ("s", "user/-/label/sea"), ("dest", "user/-/label/Ocean")).body == "OK"
    assert {"id": "user/-/label/Ocean", "type": "folder"} in anna.json("tag/list")["tags"]
    two = ("a", "user/-/label/Sea"), ("a", "user/-/label/Land"), ("r", "user/-/label/ocean")
    assert anna.post("subscription/edit", *edit, *two).body == "OK"
    (feed,) = anna.json("subscription/list")["subscriptions"]
    assert [each["label"] for each in feed["categories"]] == ["Sea", "Land"]
    assert anna.post("subscription/edit", *edit, ("a", "user/-/label/Ocean")).body == "OK"  # out of both
    assert anna.post("disable-tag", ("s", "user/-/label/Ocean")).body == "OK"
    assert anna.json("subscription/list")["subscriptions"][0]["categories"] == []
    assert anna.post("subscription/edit", ("ac", "unsubscribe"), ("s", f"feed/{FEED}")).body == "OK"
    assert anna.json("subscription/list")["subscriptions"] == []
    assert anna.post("subscription/edit", ("ac", "unsubscribe"), ("s", "feed/2")).status == 400
    assert anna.post("subscription/edit", ("ac", "burn"), ("s", "feed/2")).status == 400


def test_an_icon_comes_from_us_to_anybody_who_knows_its_address(running: Site, anna: ClientApp) -> None:
    assert anna.json("subscription/list")["subscriptions"][0]["iconUrl"] == ""
    give_icon(running, BEN, b"Ben's")
    assert anna.json("subscription/list")["subscriptions"][0]["iconUrl"] == ""
    give_icon(running, LOCAL_USER, b"picture")
    address = anna.json("subscription/list")["subscriptions"][0]["iconUrl"]
    root, _, name = address.rpartition("/")
    assert root == f"{running.client().address.rstrip('/')}/icon"
    assert len(name) == len(".png") + 22, "128 bits that nobody can guess"
    stranger = running.client()
    answer = stranger.get(f"/icon/{name}")
    assert (answer.status, answer.headers["content-type"], answer.body) == (200, "image/png", "picture")
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"
    for wrong in (f"x{name}", ".png", f"{'A' * 22}.png", name.lower(), f"{name}.png", "../feeds"):
        assert stranger.get(f"/icon/{wrong}").status == 404


def test_feeds_are_found_at_their_own_address_and_at_that_of_a_page(anna: ClientApp) -> None:
    links = "".join(f'<link rel="alternate" type="application/rss+xml" href="/{n}.xml" title="{n}">' for n in "ab")
    feed = "<rss version='2.0'><channel><title>News</title><item><title>One</title></item></channel></rss>"
    pages = {"/": f"<!doctype html><html><head>{links}</head></html>", "/a.xml": feed, "/b.xml": feed, "/no": "no"}
    with attacker(pages) as port:
        address = f"http://127.0.0.1:{port}"
        found = json.loads(anna.post("subscription/quickadd", ("quickadd", f"{address}/")).body)
        assert (found["numResults"], found["streamName"]) == (1, "News")
        given = ("ac", "subscribe"), ("s", f"feed/{address}/b.xml"), ("t", "Second"), ("a", "user/-/label/Sea")
        assert anna.post("subscription/edit", *given).body == "OK"
        assert anna.post("subscription/edit", *given).body == "OK"  # sent again
        nothing = anna.json("subscription/quickadd", ("quickadd", f"{address}/no"))
        assert nothing["numResults"] == 0
        assert nothing["error"]
    feeds = anna.json("subscription/list")["subscriptions"]
    assert [each["url"] for each in feeds] == [FEED, f"{address}/a.xml", f"{address}/b.xml"]
    assert found["streamId"] == feeds[1]["id"]
    assert (feeds[2]["title"], feeds[2]["categories"][0]["label"]) == ("Second", "Sea")


def test_opml_goes_out_and_in(anna: ClientApp) -> None:
    opml = anna.get("/reader/api/0/subscription/export").body
    assert FEED in opml
    other = opml.replace(FEED, "https://other.example/feed")
    headers = anna._signed({"Content-Type": "text/xml"})
    answer = anna.client.post("/reader/api/0/subscription/import", other, **headers)
    assert answer.body == "OK: 1"
    assert len(anna.json("subscription/list")["subscriptions"]) == 2
    assert anna.client.post("/reader/api/0/subscription/import", "<x", **headers).status == 400


def test_several_feeds_get_each_its_own_name(anna: ClientApp) -> None:
    names = "abc"
    listed = "".join(f'<outline text="{each}" xmlUrl="https://{each}.example/feed"/>' for each in names)
    opml = f'<opml version="2.0"><body>{listed}</body></opml>'
    assert anna.client.post("/reader/api/0/subscription/import", opml, **anna._signed({})).body == "OK: 3"

    def titles() -> dict[str, str]:
        return {each["id"]: each["title"] for each in anna.json("subscription/list")["subscriptions"]}

    _, a, b, c = titles()
    apart = ["Same (a.example/feed)", "Same (b.example/feed)"]
    for given, found in ((("Same", "Same"), [*apart, "c"]), (("", "", "New"), [*apart, "New"])):
        pairs = [pair for feed, title in zip((a, b, c), given, strict=False) for pair in (("s", feed), ("t", title))]
        assert anna.post("subscription/edit", ("ac", "edit"), *pairs).body == "OK"
        assert list(titles().values())[1:] == found
