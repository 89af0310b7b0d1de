"""Lists and streams are by publication, what is new by arrival: nothing is skipped, lost or marked unseen."""

from __future__ import annotations

import hashlib
import html
import re
import shutil
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from iscore.feeds.archive import mark_archive, oldest_first
from iscore.web.api.google_reader_names import item_number
from storage.log import decisions, marks
from storage.opening.database import Database
from storage.people import users
from storage.records.articles import Features, NewArticle
from storage.records.decisions import Decision
from storage.records.feeds import FetchRecord, Subscription
from storage.records.users import LOCAL_USER
from storage.stream import articles, features, feeds
from tests.iscore.conftest import Archive
from tests.iscore.web.api.conftest import READING_LIST, ClientApp, app_of, miniflux_of
from tests.iscore.web.api.test_fever import app_of as fever_app_of
from tests.iscore.web.client import Answer
from tests.iscore.web.conftest import PASSWORD, set_password
from tests.iscore.web.in_process import AppClient, Site, site

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)
POLLED = NOW - timedelta(minutes=30)
DAILIES, ENTRIES, EPISODES, UNDATED = 3, 50, 700, 15
PODCAST, NOTES = DAILIES, DAILIES + 1
"""Places of the last two feeds."""
ROW = re.compile(r'<article id="a-([a-z0-9]+)"')


def url(feed: int) -> str:
    return f"https://{feed}.example/feed"


def entry(feed: int, number: int, published: datetime | None) -> NewArticle:
    name = f"Harbour {feed} {number}"
    return NewArticle(
        key=name, url=f"https://{feed}.example/{number}", title=name, author="", categories=(), text="text",
        language="en", published=published, links=0, pictures=0, content_hash=hashlib.md5(name.encode()).digest(),
    )  # fmt: skip


def poll(database: Database, feed: int, entries: Sequence[NewArticle], at: datetime, *, first: bool = False) -> None:
    """Store entries as a poll does, and decide: all news are interesting."""
    with database.write() as tx:
        (found,) = (each.feed for each in feeds.overview(tx, LOCAL_USER) if each.feed.url == url(feed))
        marked = mark_archive(oldest_first(entries), at, first_fetch=first)
        feeds.record(tx, [FetchRecord(found, marked, at)])
        new = articles.without_features(tx, 1000)
        features.add(tx, [Features(each.seq, each.seq, 5, ("length",), b"v" * 8, b"terms", b"pair") for each in new])
        taken = [Decision(LOCAL_USER, each.seq, 1.0, 0.0, True, False, 1.0, at) for each in new if not each.archive]
        decisions.add(tx, taken, [(LOCAL_USER, each.seq, 1.0) for each in new if each.archive])


def places(database: Database) -> dict[int, tuple[datetime, int]]:
    """When each article counts as published, and its number, by the rule itself."""
    with database.read() as tx:
        stored = articles.get(tx, range(1, articles.last_seq(tx) + 1))
    undated = {each.seq: each.arrived - timedelta(days=7 * each.archive) for each in stored}
    return {each.seq: (min(each.published or undated[each.seq], each.arrived), each.seq) for each in stored}


@pytest.fixture(scope="module")
def made_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three feeds whose entries alternate in time, one without dates, and last a podcast of old episodes."""
    archive = Archive(tmp_path_factory.mktemp("order") / "home")
    followed = [Subscription(url(feed), tags=("Papers",) if feed < DAILIES else ()) for feed in range(NOTES + 1)]
    listed = "".join(f"  - url: {each.url}\n    tags: [{', '.join(each.tags)}]\n" for each in followed)
    archive.home.feeds.write_text(f"feeds:\n{listed}")
    with archive.database.write() as tx:
        users.rename(tx, LOCAL_USER, "Anna")
        feeds.subscribe(tx, LOCAL_USER, followed)
    for feed in range(DAILIES):
        times = [NOW - timedelta(minutes=20 * (DAILIES * number + feed)) for number in range(ENTRIES)]
        poll(archive.database, feed, [entry(feed, n, at) for n, at in enumerate(times)], POLLED, first=True)
    notes = [entry(NOTES, number, None) for number in range(UNDATED)]
    poll(archive.database, NOTES, notes, POLLED, first=True)
    episodes = [entry(PODCAST, number, NOW - timedelta(days=30 + number)) for number in range(EPISODES)]
    poll(archive.database, PODCAST, episodes, POLLED, first=True)
    archive.database.close()
    set_password(archive.home.path, PASSWORD)
    return archive.home.path


@pytest.fixture
def running(made_folder: Path, tmp_path: Path) -> Iterator[Site]:
    with site(Path(shutil.copytree(made_folder, tmp_path / "home")), NOW) as served:
        yield served


@pytest.fixture
def database(running: Site) -> Database:
    return running.context.users.entry(LOCAL_USER).news.database


@pytest.fixture
def browser(running: Site) -> AppClient:
    return running.signed_in("Anna", PASSWORD)


def ids(database: Database, page: Answer) -> list[int]:
    """The numbers of the stories on a page."""
    found = ROW.findall(page.body)
    with database.read() as tx:
        known = articles.seqs(tx, LOCAL_USER, found)
    return [known[each] for each in found]


def following(page: Answer) -> str:
    found = re.search(r'href="([^"]*)" data-more', page.body)
    return html.unescape(found[1]) if found else ""


def mark(browser: AppClient, page: Answer, do: str) -> None:
    form = {name: html.unescape(page.hidden(name)) for name in ("token", "nonce", "list", "newest")}
    assert browser.post("/mark", form | {"do": do}).status == 303


def unread(database: Database) -> set[int]:
    with database.read() as tx:
        everything = range(1, articles.last_seq(tx) + 1)
        found = marks.get(tx, LOCAL_USER, everything)
    return {seq for seq in everything if seq not in found or not found[seq].read_at}


def contents(app: ClientApp, continuation: str, *more: tuple[str, object]) -> tuple[list[int], str]:
    """A part of all items, and its continuation."""
    page = app.json("stream/contents", ("s", READING_LIST), ("n", 250), ("c", continuation), *more)
    times = [each["published"] for each in page["items"]]
    assert times == sorted(times, reverse=("r", "o") not in more)
    return [item_number(each["id"]) for each in page["items"]], page.get("continuation", "")


def test_no_list_has_an_inversion(running: Site, database: Database, browser: AppClient) -> None:
    known = places(database)
    newest = sorted(known, key=known.__getitem__, reverse=True)
    with database.read() as tx:
        feed_of = {each.seq: each.feed_id for each in articles.get(tx, newest)}
    lists = {
        "/all": newest,
        "/search?q=harbour": newest,
        "/folder/Papers": [s for s in newest if s <= DAILIES * ENTRIES],
    }
    lists |= {f"/feed/{feed}": [seq for seq in newest if feed_of[seq] == feed] for feed in {*feed_of.values()}}
    for path, expected in lists.items():
        found, part = list[int](), path
        while part and len(found) < 200:
            page = browser.get(part)
            found += ids(database, page)
            part = following(page)
        assert found == expected[: len(found)], path
        assert len(found) >= min(len(expected), 200), path
    app, parts, continuation = app_of(running), list[int](), ""
    for more, expected in (((), newest), ((("r", "o"),), newest[::-1])):
        parts, continuation = contents(app, "", *more)
        while continuation:
            part, continuation = contents(app, continuation, *more)
            parts += part
        assert parts == expected
    miniflux = miniflux_of(running)
    listed = miniflux.numbers("direction=desc&limit=1000")
    assert listed == newest
    assert miniflux.numbers("limit=1000") == newest[::-1]
    assert miniflux.numbers("order=id&limit=1000") == sorted(newest)
    assert {feed_of[seq] for seq in listed[:500]} == {*feed_of.values()}


def test_archive_is_neither_unread_nor_on_top(running: Site, database: Database, browser: AppClient) -> None:
    with database.read() as tx:
        archive = {each.seq for each in articles.get(tx, range(1, articles.last_seq(tx) + 1)) if each.archive}
    assert len(archive) == EPISODES + UNDATED - 10
    for path in ("/all?unread=1", "/all?order=best&unread=1"):
        found, part = list[int](), path
        while part:
            page = browser.get(part)
            found += ids(database, page)
            part = following(page)
        assert {*found} == unread(database) - archive
        assert len(found) == DAILIES * ENTRIES + 10 == app_of(running).json("unread-count")["max"]
    assert not archive & {*ids(database, browser.get("/all"))}


def test_what_arrives_between_two_pages_is_neither_skipped_nor_marked_unseen(
    running: Site, database: Database, browser: AppClient
) -> None:
    known = places(database)
    newest = sorted(known, key=known.__getitem__, reverse=True)
    first = browser.get("/all")
    shown = ids(database, first)
    app, miniflux, fever = app_of(running), miniflux_of(running), fever_app_of(running, app="Fever")
    items, continuation = contents(app, "")
    running.clock.now += timedelta(minutes=10)
    # One belongs on the page that was read, one on the next, one on top.
    times = [known[newest[at]][0] - timedelta(minutes=1) for at in (5, len(shown) + 5)]
    poll(database, 0, [entry(0, 900 + n, at) for n, at in enumerate([*times, running.clock.now])], running.clock.now)
    late = {seq for seq in places(database) if seq not in known}
    assert len(late) == 3
    second = browser.get(following(first))
    assert [*shown, *ids(database, second)] == newest[: 2 * len(shown)]
    part, _ = contents(app, continuation)
    assert [seq for seq in [*items, *part] if seq not in late] == newest[: len(items) + len(part) - len(late & {*part})]

    with database.read() as tx:
        (last,) = (each.id for each in articles.get(tx, [newest[2 * len(shown) - 1]]))
    mark(browser, second, f"above:{last}")
    assert {*known} - unread(database) == {*newest[: 2 * len(shown) - 1]}
    assert late <= unread(database)
    mark(browser, second, "all:all")
    mark(browser, first, "all:all")
    assert unread(database) == late
    synchronised = int((NOW + timedelta(minutes=5)).timestamp())
    assert app.post("mark-all-as-read", ("s", READING_LIST), ("ts", synchronised)).body == "OK"
    assert unread(database) == late
    assert {*ids(database, browser.get("/all?unread=1"))} == late
    assert {*app.numbers(READING_LIST, ("ot", synchronised))} == late
    assert {*app.unread()} == late
    assert {*miniflux.numbers(f"after_entry_id={max(known)}")} == late
    assert {each["id"] for each in fever.ask(f"items&since_id={max(known)}")["items"]} == late


def test_above_a_story_of_a_list_by_score_is_what_was_shown_above_it(database: Database, browser: AppClient) -> None:
    first = browser.get("/all?order=best")
    shown = [*ids(database, first), *ids(database, browser.get(following(first)))]
    with database.write() as tx:  # what is on later pages is best now, and what was on top is last
        tx.connection.exec_driver_sql("UPDATE current_scores SET score = score + 9")
        tx.connection.exec_driver_sql(f"UPDATE current_scores SET score = 0 WHERE seq IN {(*shown,)}")
        everything = {*range(1, articles.last_seq(tx) + 1)}
        (last,) = (each.id for each in articles.get(tx, shown[-1:]))
    mark(browser, first, f"above:{last}")
    assert everything - unread(database) == {*shown[:-1]}


def test_above_an_article_is_what_stands_above_it_also_when_it_is_read_or_old(
    running: Site, database: Database, browser: AppClient
) -> None:
    known = places(database)
    newest = sorted(known, key=known.__getitem__, reverse=True)
    page = browser.get("/all?unread=1")
    with database.read() as tx:
        (tenth,) = (each.id for each in articles.get(tx, [newest[9]]))
    assert browser.post("/mark", {"token": page.hidden("token"), "do": f"read:{tenth}", "list": "/all"}).status == 303
    mark(browser, page, f"above:{tenth}")
    assert {*known} - unread(database) == {*newest[:10]}
    mark(browser, page, f"below:{tenth}")
    with database.read() as tx:
        archive = {each.seq for each in articles.get(tx, newest) if each.archive}
    assert unread(database) == archive
