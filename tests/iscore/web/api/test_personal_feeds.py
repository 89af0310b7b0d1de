"""Personal feeds: secret addresses, and links in entries by which stories are rated."""

from __future__ import annotations

import json
import re
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import pytest

from iscore.core.passwords import hash_password
from iscore.services.digests.digests import pack
from iscore.services.views.digests import DigestView
from iscore.services.views.view_builders import story_view
from iscore.web.api.google_reader_names import item_id
from iscore.web.security.signed_addresses import PersonalLinks
from storage.log import feedback
from storage.people import deliveries, documents
from storage.records.deliveries import Delivery
from storage.records.users import LOCAL_USER, AppOption, Kind
from storage.stories import inbox
from storage.stories.client_items import ItemFilter, State, Stream
from storage.stream import feeds
from tests.iscore.web.api.conftest import BEN, BENS, BEST, EXPLORED, HIDDEN, NOW, OLD, app_of, choose, miniflux_of
from tests.iscore.web.api.test_fever import app_of as fever_app
from tests.iscore.web.client import Answer
from tests.iscore.web.in_process import PORT, AppClient, Site, site

ROOT = f"http://127.0.0.1:{PORT}"
PASSWORD = "a walk by the harbour"
ATOM = "{http://www.w3.org/2005/Atom}"
TITLES = {BEST: "Harbour & <quay>", EXPLORED: "Winter fair", HIDDEN: "Bus timetable", OLD: "Old orchard"}


@dataclass
class FeedReader:
    """Knows a secret address, and has never signed in."""

    client: AppClient
    address: str
    """The beginning of the address."""

    def get(self, name: str, **headers: str) -> Answer:
        return self.client.get(f"{self.address}{name}", **headers)

    def titles(self, name: str) -> list[str]:
        answer = self.get(f"{name}.atom")
        assert answer.status == 200, answer.body
        return [entry.findtext(f"{ATOM}title") or "" for entry in ET.fromstring(answer.body).findall(f"{ATOM}entry")]

    def links(self, number: int) -> dict[str, str]:
        """Return the links of a recommended story's entry, by their words."""
        (content,) = (
            each["content_html"]
            for each in json.loads(self.get("recommended.json").body)["items"]
            if each["title"] == TITLES[number]
        )
        found = re.findall(r'<a href="([^"]*)" rel="nofollow">([^<]*)</a>', content)
        return {words: unescape(address).removeprefix(ROOT) for address, words in found}


def reader_of(running: Site, user_id: int = LOCAL_USER) -> FeedReader:
    news = running.context.users.entry(user_id).news
    news.personal_feeds.renew()
    secret = running.context.credentials.read().secret
    return FeedReader(running.client(), f"/personal/{PersonalLinks(secret).feeds(user_id, news.personal_feeds.key())}/")


@pytest.fixture
def anna(running: Site) -> FeedReader:
    return reader_of(running)


def make_digest(running: Site) -> None:
    """Make a digest of the two stories, without a model."""
    news, day = running.context.users.entry(LOCAL_USER).news, NOW.date()
    status = news.status(details=False)
    with news.database.write() as tx:
        rows = {row.article.seq: row for row in inbox.rows(tx, LOCAL_USER, [BEST, EXPLORED])}
        best, explored = (
            replace(story_view(rows[seq]), number=number) for number, seq in enumerate((BEST, EXPLORED), start=1)
        )
        view = DigestView(day, (best,), (explored,), considered=2, status=status, made=NOW)
        deliveries.add(tx, [Delivery(LOCAL_USER, BEST, day.isoformat(), 1, NOW)])
        deliveries.store_content(tx, LOCAL_USER, day.isoformat(), pack(view), NOW)


def log(running: Site) -> list[tuple[Kind | None, int]]:
    with running.context.users.entry(LOCAL_USER).news.database.read() as tx:
        return [(feedback.verdict(tx, LOCAL_USER, BEST), feedback.last_row(tx, LOCAL_USER))]


def test_each_list_is_a_feed(running: Site, anna: FeedReader) -> None:
    assert anna.titles("recommended") == [TITLES[EXPLORED], TITLES[BEST]]
    assert TITLES[EXPLORED] in anna.titles("maybe")
    assert anna.titles("saved") == []
    running.context.users.entry(LOCAL_USER).news.client_apps.edit((), [OLD], [Stream(State.STARRED)])
    assert anna.titles("saved") == [TITLES[OLD]]
    assert anna.titles("feed/2") == [TITLES[EXPLORED], TITLES[BEST]]
    found = json.loads(anna.get("search.json?q=timetable").body)
    assert [each["title"] for each in found["items"]] == [TITLES[HIDDEN]]
    assert json.loads(anna.get("digest.json").body)["version"].startswith("https://jsonfeed.org/")
    for missing in ("feed/9.atom", "feed/3.atom", "search.atom", "nothing.atom", "recommended.xml", ""):
        assert anna.get(missing).status == 404, missing
    assert anna.get("search.atom?q=feed:nothing").status == 400


def test_the_digest_has_its_address_and_the_links_of_the_other_feeds_also_for_explored_stories(
    running: Site, anna: FeedReader
) -> None:
    make_digest(running)
    digest = json.loads(anna.get("digest.json").body)
    assert digest["feed_url"] == f"{ROOT}{anna.address}digest.json"
    ends = {each["title"]: each["content_html"].rpartition("<p>")[2] for each in digest["items"]}
    others = json.loads(anna.get("recommended.json").body)["items"]
    assert ends == {each["title"]: each["content_html"].rpartition("<p>")[2] for each in others}
    assert ends.keys() == {TITLES[BEST], TITLES[EXPLORED]}
    root = ET.fromstring(anna.get("digest.atom").body)
    assert root.find(f"{ATOM}link[@rel='self']").get("href") == f"{ROOT}{anna.address}digest.atom"
    assert anna.links(BEST)["Why"] in str([each.get("href") for each in root.iter(f"{ATOM}link")])


def test_an_entry_has_the_article_and_leads_to_it(anna: FeedReader) -> None:
    item = json.loads(anna.get("recommended.json").body)["items"][1]
    assert item["url"] == "https://a.example/Harbour"
    assert item["authors"] == [{"name": "Ada (The <Quay>)"}]
    assert item["attachments"][0]["mime_type"] == "audio/mpeg"
    assert "<b>text</b>" in item["content_html"]
    assert "script" not in item["content_html"]
    again = json.loads(anna.get("saved.json").body)
    assert again["feed_url"] == f"{ROOT}{anna.address}saved.json"


def test_all_followed_feeds_are_one_list_to_import(anna: FeedReader) -> None:
    root = ET.fromstring(anna.get("feeds.opml").body)
    (outline,) = root.findall(".//outline[@xmlUrl]")
    assert outline.get("text") == "The <Quay>"
    assert outline.get("xmlUrl") == f"{ROOT}{anna.address}feed/2.atom"
    assert [each.get("text") for each in root.findall("body/outline")] == ["Arts & more"]


def test_a_feed_that_has_not_changed_is_not_sent_again(anna: FeedReader) -> None:
    first = anna.get("recommended.atom")
    assert anna.get("recommended.atom", If_None_Match=first.headers["etag"]).status == 304
    assert first.headers["referrer-policy"] == "no-referrer"


def test_without_the_secret_there_is_nothing_and_renewing_ends_addresses_and_links(
    running: Site, anna: FeedReader
) -> None:
    links = anna.links(BEST)
    client = running.client()
    for address in ("/personal/1-x/", "/personal/x/", f"{anna.address[:-2]}x/", anna.address.replace("1-", "2-", 1)):
        assert client.get(f"{address}recommended.atom").status == 404
        assert client.get(f"{address}feeds.opml").status == 404
    new = reader_of(running)
    assert anna.get("recommended.atom").status == 404
    assert client.get(links["Why"]).status == 404
    assert client.post(links["Why"], {"kind": "like"}).status == 404
    assert new.titles("recommended")
    running.context.users.entry(LOCAL_USER).news.personal_feeds.end()
    assert new.get("recommended.atom").status == 404
    assert log(running) == [(None, 0)]


def test_following_a_link_rates_nothing_and_answering_rates_once(running: Site, anna: FeedReader) -> None:
    links, client = anna.links(BEST), running.client()
    for address in links.values():  # as a reader does that fetches pages ahead of time
        shown = client.get(address)
        assert shown.status == 200
        assert "Harbour &amp; &lt;quay&gt;" in shown.body
    assert log(running) == [(None, 0)]
    assert "Nothing has been recorded yet" in client.get(links["More like this"]).body
    page = urlsplit(links["More like this"]).path
    for _ in range(2):
        assert "You like this." in client.post(page, {"kind": "like"}).body
    assert log(running) == [(Kind.LIKE, 1)]
    assert "Your verdict is undone." in client.post(page, {"kind": "undo"}).body
    assert "You will get less" in client.post(page, {"kind": "dislike"}).body
    assert log(running) == [(Kind.DISLIKE, 3)]
    for form in ({}, {"kind": "imported"}, {"kind": "skip"}):
        assert client.post(page, form).status == 404
    assert client.cookies == {}


def test_a_link_that_is_pressed_twice_at_once_rates_once(running: Site, anna: FeedReader) -> None:
    feeds = running.context.users.entry(LOCAL_USER).news.personal_feeds
    start = threading.Barrier(8)

    def press() -> bool:
        start.wait()
        return feeds.rate(BEST, Kind.LIKE)

    with ThreadPoolExecutor(8) as threads:
        pressed = [threads.submit(press) for _ in range(8)]
    assert sum(each.result() for each in pressed) == 1
    assert log(running) == [(Kind.LIKE, 1)]
    assert BEST not in running.context.users.entry(LOCAL_USER).news.client_apps.numbers(
        (), ItemFilter(Stream(State.UNREAD)), after=None, limit=None
    )


def test_items_of_apps_end_with_these_links_if_that_is_chosen_for_the_app(running: Site) -> None:
    reader, fever, miniflux = app_of(running), fever_app(running, app="Fever"), miniflux_of(running)

    def contents() -> list[str]:
        (item,) = reader.json("stream/items/contents", ("i", item_id(BEST)))["items"]
        html = fever.ask(f"items&with_ids={BEST}")["items"][0]["html"]
        return [item["summary"]["content"], html, miniflux.json(f"entries/{BEST}")["content"]]

    for name in ("Phone", "Fever", "Miniflux"):
        choose(running, AppOption.RATING_LINKS, app=name)
    assert "/story/" not in str(contents())  # there are no addresses yet
    page = reader_of(running).links(BEST)["Why"]
    assert [each.count(f'<a href="{ROOT}{page}') for each in contents()] == [3, 3, 3]
    choose(running, app="Fever")
    assert [f"{ROOT}{page}" in each for each in contents()] == [True, False, True]


def test_a_link_cannot_be_forged(running: Site, anna: FeedReader) -> None:
    page = urlsplit(anna.links(BEST)["Why"]).path
    user, number, signature = page.removeprefix("/story/").split("-", 2)
    client = running.client()
    secret = anna.address.split("-", 1)[1].rstrip("/")
    for forged in (
        f"/story/{user}-{HIDDEN}-{signature}",
        f"/story/{BEN}-{number}-{signature}",
        f"/story/{user}-{number}-{secret}",
        f"/story/{user}-{number}-",
        "/story/x",
        f"/personal/{user}-{signature}/recommended.atom",
    ):
        assert client.get(forged).status == 404
        assert client.post(forged, {"kind": "like"}).status in (404, 405)
    assert log(running) == [(None, 0)]


def test_what_is_another_s_is_in_no_feed(running: Site, anna: FeedReader) -> None:
    ben = reader_of(running, BEN)
    assert ben.titles("recommended") == ["Quince marmalade"]
    assert ben.get("feed/2.atom").status == 404
    assert json.loads(ben.get("search.json?q=harbour").body)["items"] == []
    assert "Quince" not in anna.get("recommended.atom").body
    signer = PersonalLinks(running.context.credentials.read().secret)
    key = running.context.users.entry(BEN).news.personal_feeds.key()
    assert running.client().post(f"/story/{signer.story(BEN, key, BEST)}", {"kind": "like"}).status == 404
    assert running.client().get(f"/story/{signer.story(BEN, key, BENS)}").status == 200


def test_a_story_of_several_feeds_is_in_each_of_their_feeds(running: Site, anna: FeedReader) -> None:
    with running.context.users.entry(LOCAL_USER).news.database.write() as tx:
        tx.connection.exec_driver_sql("UPDATE articles SET story = ? WHERE seq = ?", (BEST, BENS))
        mine = [each.subscription for each in feeds.overview(tx, LOCAL_USER)]
        theirs = [each.subscription for each in feeds.overview(tx, BEN)]
        feeds.subscribe(tx, LOCAL_USER, [*mine, *theirs])
    assert anna.titles("feed/3") == [TITLES[BEST]]


def test_addresses_are_those_of_a_server_below_a_path_of_its_host(made_folder: Path, tmp_path: Path) -> None:
    home = shutil.copytree(made_folder, tmp_path / "home")
    with site(home, NOW, address="https://example.org/iscore") as running:
        anna = reader_of(running)
        anna.client, anna.address = running.client(host="example.org"), f"/iscore{anna.address}"
        assert json.loads(anna.get("recommended.json").body)["feed_url"].startswith(
            "https://example.org/iscore/personal/"
        )
        page = anna.links(BEST)["Why"].removeprefix("https://example.org")
        assert f'action="{page}"' in anna.client.get(page).body
        assert "You like this." in anna.client.post(page, {"kind": "like"}).body


def test_no_secret_is_in_the_log(made_folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(made_folder, home)
    with site(home, NOW, complaints=1) as running:
        anna = reader_of(running)
        entry = running.context.users.entry(LOCAL_USER)
        entry.worker.stop(60)  # it would log that it can't read the rules, too
        with entry.news.database.write() as tx:
            documents.put(tx, LOCAL_USER, "rules.yaml", "rules: [", NOW)
        assert anna.get("recommended.atom").status == 503
        (line,) = running.logged
    assert line.startswith("GET /personal/…: ")
    assert anna.address not in line


def test_the_page_of_the_account_shows_renews_and_removes_the_addresses(running: Site) -> None:
    running.context.accounts.set_password(LOCAL_USER, hash_password(PASSWORD))
    client = running.signed_in("Anna", PASSWORD)

    def act(action: str) -> list[str]:
        token = client.get("/account").hidden("token")
        assert client.post("/account", {"token": token, "action": action}).status == 303
        return re.findall(r"<code>([^<]*/recommended\.atom)</code>", client.get("/account").body)

    (first,) = act("renew-feeds")
    assert running.client().get(first.removeprefix(ROOT)).status == 200
    (second,) = act("renew-feeds")
    assert running.client().get(first.removeprefix(ROOT)).status == 404
    assert running.client().get(second.removeprefix(ROOT)).status == 200
    assert act("end-feeds") == []
    assert running.client().get(second.removeprefix(ROOT)).status == 404
