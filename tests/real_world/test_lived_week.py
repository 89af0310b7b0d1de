"""A week of two people with one server, in real browsers: Anna at her desk, Ben with his phone.

Each day the server starts anew under the same address and polls 150 feeds on the loopback, which have what was
published by then. Nothing is set up but through pages.
"""

from __future__ import annotations

import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import pytest

from benchmarks.sample_news import News, NewsServer
from iscore.cli import main
from iscore.evaluation.feed_server import Document, FeedServer
from tests.iscore.web.conftest import Served, served
from tests.servers import fork_server
from tests.servers.chromium import Chromium, Page, chromium, needs_chromium

pytestmark = [pytest.mark.long, needs_chromium]

START = datetime(2026, 3, 2, tzinfo=UTC)
MORNING = timedelta(hours=7)
SMALL = 138
"""Feeds beside the twelve of the sample news."""
ANNA, BEN = "a walk by the harbour", "the tide tables of may"


def small_feed(clock: Callable[[], datetime], path: str) -> Document | None:
    """A feed with an entry a day, on the weather of one village."""
    village = int(path.strip("/").removesuffix(".xml"))
    days = (clock() - START).days + 1
    items = "".join(
        f"<item><title>Village {village}: {8 + (village * 7 + day * 5) % 19} degrees on day {day}</title>"
        f"<link>https://village-{village}.example/{day}</link><guid>{village}-{day}</guid>"
        f"<pubDate>{format_datetime(START + timedelta(days=day, minutes=village))}</pubDate>"
        f"<description>The wind of village {village} turns by {village * day % 360} degrees.</description></item>"
        for day in range(days)
    )
    channel = f"<title>Village {village}</title><link>https://village-{village}.example/</link>{items}"
    return Document(f'<rss version="2.0"><channel>{channel}</channel></rss>'.encode(), "application/rss+xml", clock())


@pytest.fixture
def feeds() -> Iterator[NewsServer]:
    """The feeds, as they are at ``at``; ``urls`` has the addresses of all."""
    news = NewsServer(News(seed=9, start=START, days=9), at=START)
    with news, FeedServer(partial(small_feed, lambda: news.at), lambda: news.at) as small:
        news.urls |= {f"village-{number}": f"{small.url}/{number}.xml" for number in range(SMALL)}
        yield news


def opml(feeds: NewsServer, file: Path) -> Path:
    """Write the feeds as another reader exports them, in two folders."""
    folders: dict[str, str] = {"News": "", "Weather": ""}
    for key, url in feeds.urls.items():
        folder = "Weather" if key.startswith("village") else "News"
        folders[folder] += f"<outline type='rss' text={quoteattr(key)} xmlUrl={quoteattr(url)}/>"
    body = "".join(f"<outline text={quoteattr(name)}>{inside}</outline>" for name, inside in folders.items())
    file.write_text(f"<opml version='2.0'><head><title>{escape('My feeds')}</title></head><body>{body}</body></opml>")
    return file


class Week:
    """The data folder and the days."""

    def __init__(self, folder: Path, feeds: NewsServer) -> None:
        self.home = folder / "home"
        self.feeds = feeds
        self.now = START
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        (folder / "none.yaml").write_text("feeds: []\n")
        assert main(["--home", str(self.home), "init", "--feeds", str(folder / "none.yaml")]) == 0
        settings = "allow_private_networks = true\nhost_spacing = 0\nrefresh_cooldown = 0\n"
        (self.home / "config.toml").write_text(settings)

    @contextmanager
    def day(self, number: int, *, set_up: bool = True) -> Iterator[Served]:
        """Serve from the morning of a day on, after a poll."""
        self.now = START + timedelta(days=number) + MORNING
        self.feeds.at = self.now
        if set_up:
            self.run("poll")
        with served(self.home, "--port", str(self.port), set_up=set_up, ISCORE_NOW=self.now.isoformat()) as server:
            yield server

    def run(self, *arguments: str) -> str:
        """Run a command, as a timer does."""
        environment = {"ISCORE_NOW": self.now.isoformat(), "TZ": "UTC"}
        process = fork_server.start("--home", str(self.home), *arguments, env=environment)
        out, err = process.communicate(timeout=600)
        assert process.returncode == 0, out + err
        return out

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.home / "iscore.db")) as database:
            return database.execute(query).fetchall()


@pytest.fixture
def week(feeds: NewsServer, tmp_path: Path) -> Week:
    return Week(tmp_path, feeds)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Chromium]:
    with chromium(tmp_path / "profile") as running:
        yield running


def stories(page: Page) -> list[str]:
    return list(page.evaluate("[...document.querySelectorAll('[data-stop]')].map(each => each.id.slice(2))"))


def said(page: Page, word: str) -> None:
    """Wait until the page says so to people who hear it."""
    page.wait_for(f"document.getElementById('status').textContent.startsWith({word!r})")


def hers_alone(week: Week) -> str:
    """An article of a feed that Ben does not follow."""
    return str(week.rows("SELECT id FROM articles WHERE title LIKE 'Village%' LIMIT 1")[0][0])


def problems(page: Page) -> list[str]:
    """What scripts and policies complained of; pages that refuse something are complaints of the network."""
    return [each for each in page.complaints if not each.startswith("Failed to load resource")]


def monday(week: Week, anna: Page, ben: Page) -> None:
    """Anna sets the server up, brings her feeds, and invites Ben."""
    with week.day(0, set_up=False) as server:
        anna.go(server.address)
        assert "not set up yet" in anna.text()
        anna.go(server.started["setup"])
        anna.fill("#name", "Anna")
        anna.fill("#password", ANNA)
        anna.click("button.like")
        anna.wait_for("location.pathname === '/start'")
        anna.choose("#file", opml(week.feeds, week.home.parent / "feeds.opml"))
        anna.click("form[action$='/start/import'] button")
        assert "You follow 150 feeds." in anna.text()
        anna.fill("#interests", "offshore wind and the power grid")
        anna.click("button.like")
        assert anna.text(".waiting [role=status]").startswith("Fetching 150 feeds")

        anna.go(f"{server.address}people")
        anna.fill("#name", "Ben")
        anna.click("button[value=invite]")
        invitation = anna.text(".message kbd")
        ben.go(invitation)
        ben.fill("#password", BEN)
        ben.click("button.like")
        ben.go(f"{server.address}feeds")
        ben.fill("input[name=address]", week.feeds.urls["northwire"])
        ben.click("form.search button")
        assert ben.text(".empty[role=status]") == "Added 1 feed."
        ben.go(invitation)
        assert "not valid any more" in ben.text()
    assert week.rows("SELECT user_id, count(*) FROM subscriptions GROUP BY 1") == [(1, 150), (2, 1)]


def tuesday(week: Week, anna: Page, ben: Page) -> None:
    """The first stories. She reads by keys, he by buttons; each sees only their own."""
    with week.day(1) as server:
        anna.go(f"{server.address}folder/News")
        first = stories(anna)
        for key, word in (("l", "Like"), ("d", "Dislike"), ("s", "Save")):
            anna.press("j")
            anna.press(key)
            said(anna, word)
        anna.press("j")
        anna.press("o", loads=True)
        assert anna.url == f"{server.address}article/{first[3]}"
        anna.press("l", loads=True)
        ben.go(f"{server.address}all")
        assert 5 < len(stories(ben)) < len(stories(anna)) + 60
        assert "Village" not in ben.text()
        for each in stories(ben)[:3]:
            ben.click(f"#a-{each} button.like", loads=False)
            ben.wait_for(f"document.querySelector('#a-{each} button.like').getAttribute('aria-pressed') === 'true'")
        assert ben.evaluate("document.documentElement.scrollWidth") == 390
    assert week.rows("SELECT user_id, kind, count(*) FROM feedback GROUP BY 1, 2 ORDER BY 1, 2") == [
        (1, "dislike", 1),
        (1, "imported", 1),
        (1, "like", 2),
        (2, "like", 3),
    ]


def wednesday(week: Week, anna: Page, ben: Page) -> None:
    """She hides the weather and marks the rest as read; nothing of this is seen by him."""
    with week.day(2) as server:
        anna.go(f"{server.address}rules")
        anna.evaluate("document.querySelector('#does').value = 'never'")
        anna.fill("#text", "degrees")
        anna.click("button[value=add]")
        assert "degrees" in anna.text("#yours ~ ul")
        anna.go(f"{server.address}maybe")
        assert "Village" not in anna.text()
        anna.go(f"{server.address}folder/Weather")
        anna.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
        anna.click("button[value='all:all']")
        assert "Undo" in anna.text()
        anna.click("button[value^='undo-all:']")
        ben.go(f"{server.address}rules")
        assert "You have none" in ben.text()
        ben.go(f"{server.address}article/{hers_alone(week)}")
        assert "This article does not exist." in ben.text()


def thursday(week: Week, anna: Page, ben: Page) -> None:
    """A digest for each, made by the timer, and a search."""
    week.now, week.feeds.at = START + timedelta(days=3) + MORNING, START + timedelta(days=3) + MORNING
    week.run("digest")
    with week.day(3) as server:
        anna.go(f"{server.address}digest")
        assert "5 March" in anna.text("main") or "2026-03-05" in anna.text("main")
        ben.go(f"{server.address}digest")
        assert "There is no digest yet." in ben.text()
        anna.go(f"{server.address}search")
        anna.fill("main [name=q]", "is:saved")
        anna.press("Enter", loads=True)
        assert len(stories(anna)) == 1


def saturday(week: Week, anna: Page, ben: Page) -> None:
    """He changes how much he gets, and has a copy of his data."""
    with week.day(5) as server:
        ben.go(f"{server.address}settings")
        ben.click("label:has([name=beta][value='2'])", loads=False)
        ben.click("form:has([name=beta]) button")
        assert "Saved." in ben.text()
        assert week.rows("SELECT count(*) FROM documents WHERE user_id = 2 AND text LIKE '%beta = 2%'") == [(1,)]


def sunday(week: Week, anna: Page, ben: Page) -> None:
    """He leaves. Nothing of his stays, everything of hers does."""
    hers = week.rows("SELECT kind, seq FROM feedback WHERE user_id = 1")
    with week.day(6) as server:
        ben.go(f"{server.address}settings/delete")
        ben.fill("[name=password]", BEN)
        ben.click("form.sign-in button")
        ben.go(server.address)
        assert "/login" in ben.url
        ben.fill("[name=password]", BEN)
        ben.click("form.sign-in button")
        assert "Wrong password" in ben.text()
        anna.go(server.address)
        assert "/login" not in anna.url
    tables = [name for (name,) in week.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    personal = [
        each for each in tables if any(column == "user_id" for _, column, *_ in week.rows(f"PRAGMA table_info({each})"))
    ]
    assert len(personal) > 15
    assert {each: week.rows(f"SELECT count(*) FROM {each} WHERE user_id = 2") for each in personal} == {
        each: [(0,)] for each in personal
    }
    assert week.rows("SELECT kind, seq FROM feedback WHERE user_id = 1") == hers


def test_a_week(week: Week, browser: Chromium) -> None:
    anna, ben = browser.page(), browser.page(width=390, height=844)
    for day in (monday, tuesday, wednesday, thursday, saturday, sunday):
        day(week, anna, ben)
    assert problems(anna) == []
    assert problems(ben) == []
