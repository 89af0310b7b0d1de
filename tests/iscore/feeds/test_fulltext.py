"""Full texts in whole polls: real servers for feeds and pages, real child processes, a real database."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import sysconfig
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from iscore.feeds.parsing.jobs import PageJob
from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.poll import poll
from iscore.feeds.poll_report import PollReport, Status
from iscore.feeds.poll_settings import PollSettings
from storage import articles, feeds
from storage.database import Database, open_database
from storage.records import LOCAL_USER, Subscription
from tests.servers.feed_server import Behaviour, FeedServer, document, html, page, raw, redirect, rss, silence, status

SETTINGS = PollSettings(
    fetch_timeout=1.0, host_spacing=0.0, refresh_cooldown=0, allow_private_networks=True, parse_timeout=2.0
)
ROOT = Path(__file__).parents[3]


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(hours=2)  # so that the feed is due again at every poll
        return self.now


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with open_database(tmp_path / "iscore.db", create=True) as opened:
        yield opened


def follow(database: Database, *urls: str, fulltext: bool = True) -> None:
    with database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [Subscription(url, fulltext=fulltext) for url in urls])


def texts(database: Database) -> dict[str, str]:
    with database.read() as tx:
        return {article.title: article.text for article in articles.without_features(tx, 10_000)}


def is_full(text: str) -> bool:
    return text.startswith("Paragraph 0 of story") and text.count("\n\n") == 5 and "Nobody objected" in text


def is_teaser(text: str) -> bool:
    return text.startswith("What happened in story")


class Site(FeedServer):
    """A feed and its pages on one host."""

    pool: ParserPool
    """Reads them."""

    def publish(self, entries: int, **feed: str) -> None:
        self.routes["/feed"] = document(rss(entries, site=self.url(""), **feed))
        for n in range(entries):
            self.routes.setdefault(f"/{n}", html(page(n)))

    def pages(self) -> list[str]:
        return [request.path for request in self.requests if request.path not in ("/feed", "/robots.txt")]


def a_poll(database: Database, site: Site, settings: PollSettings = SETTINGS) -> Awaitable[PollReport]:
    follow(database, site.url("/feed"))
    return poll(database, settings, Clock(), pool=site.pool, force=True)


Play = Callable[[Callable[[Site], Awaitable[None]]], None]


@pytest.fixture
def playing(runner: asyncio.Runner, pool: ParserPool) -> Play:
    """Plays a scene at a new site."""

    def play(scene: Callable[[Site], Awaitable[None]]) -> None:
        async def run() -> None:
            async with Site() as site:
                site.pool = pool
                await scene(site)

        runner.run(run())

    return play


def test_the_pages_text_is_used_and_no_page_is_fetched_twice(database: Database, playing: Play) -> None:
    async def scene(site: Site) -> None:
        site.publish(3)
        steps: list[tuple[int, int, str]] = []
        follow(database, site.url("/feed"))
        clock = Clock()
        report = await poll(database, SETTINGS, clock, pool=site.pool, progress=lambda *step: steps.append(step))
        assert (report.new_articles, report.pages_fetched, report.pages_failed) == (3, 3, 0)
        assert report.warnings == ()
        found = texts(database)
        assert all(map(is_full, found.values())), found
        assert [step[:2] for step in steps] == [(0, 1)] * 3 + [(1, 1)]
        assert [step[2].partition(" ")[0] for step in steps[:3]] == ["1/3", "2/3", "3/3"]

        # The same entries in other bytes; then one new entry; then one whose teaser has changed.
        site.publish(3, extra="<!-- other bytes --><ttl>1</ttl>")
        again = await poll(database, SETTINGS, clock, pool=site.pool)
        assert (again.changed, again.new_articles, again.updated_articles, again.pages_fetched) == (1, 0, 0, 0)
        site.publish(4)
        assert (await poll(database, SETTINGS, clock, pool=site.pool)).pages_fetched == 1
        changed = rss(4, site=site.url("")).replace(b"story 2 was told", b"story 2 was retold")
        site.routes["/feed"] = document(changed)
        updated = await poll(database, SETTINGS, clock, pool=site.pool)
        assert (updated.updated_articles, updated.pages_fetched) == (1, 0)
        assert sorted(site.pages()) == ["/0", "/1", "/2", "/3"]
        assert len(site.asked("/robots.txt")) == 1
        assert all(map(is_full, texts(database).values()))

    playing(scene)


def test_nothing_is_fetched_unless_it_is_asked_for(database: Database, playing: Play) -> None:
    async def scene(site: Site) -> None:
        site.publish(2)
        follow(database, site.url("/feed"), fulltext=False)
        report = await poll(database, SETTINGS, Clock(), pool=site.pool)
        assert (report.new_articles, report.pages_fetched, report.pages_failed) == (2, 0, 0)
        assert [request.path for request in site.requests] == ["/feed"]
        assert all(map(is_teaser, texts(database).values()))

    playing(scene)


def test_a_shorter_page_does_not_replace_the_feeds_text(database: Database, playing: Play) -> None:
    async def scene(site: Site) -> None:
        site.publish(1)
        site.routes["/0"] = html("<html><body><article><p>Subscribe.</p></article></body></html>")
        report = await a_poll(database, site)
        assert (report.pages_fetched, report.pages_failed) == (1, 0)
        assert is_teaser(texts(database)["Story number 0"])

    playing(scene)


def test_requests_contain_the_user_agent_and_nothing_personal(database: Database, playing: Play) -> None:
    async def scene(site: Site) -> None:
        site.publish(2)
        for n in range(2):
            site.routes[f"/{n}"] = html(page(n), Set_Cookie="id=7; Path=/")
        await a_poll(database, site, replace(SETTINGS, user_agent="iscore/9.9 (news filter)"))
        allowed = {"host", "user-agent", "accept", "accept-encoding", "connection"}
        for request in site.requests:
            assert set(filter(None, request.headers)) == allowed, request
            assert request.headers["user-agent"] == "iscore/9.9 (news filter)"
        assert "text/html" in site.asked("/0")[0].headers["accept"]

    playing(scene)


def large_page() -> bytes:
    return page(0).replace("<aside>", "<aside>" + "<!-- large -->" * 400_000).encode()


BAD_PAGES: dict[str, tuple[Behaviour, str]] = {
    "slow": (silence, "no response within"),
    "dripping": (
        raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", b"<p>", pause=0.05, forever=True),
        "no response",
    ),
    "large": (document(large_page, Content_Type="text/html"), "larger than 5 MB"),
    "bomb": (document(large_page, pack=True, Content_Type="text/html"), "larger than 5 MB"),
    "endless": (raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", b"<p>" * 99_999, forever=True), "5 MB"),
    "picture": (document(b"GIF89a", Content_Type="image/gif"), "it is not a web page but image/gif"),
    "unlabelled": (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n<p>text<"), "it is not a web page"),
    "gone": (status(404), "404"),
    "forbidden": (status(403), "403"),
    "circle": (redirect("/0"), "loop"),
    "file": (redirect("file:///etc/passwd"), "address"),
    "empty": (html("<html></html>"), "no text"),
    "short": (raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99\r\n\r\n<p>"), "cut off"),
    "packed wrongly": (html(page(0), Content_Encoding="gzip"), "not compressed"),
}


@pytest.mark.parametrize("name", BAD_PAGES)
def test_a_bad_page_costs_its_article_the_full_text_and_nothing_else(
    database: Database, name: str, playing: Play
) -> None:
    behaviour, reason = BAD_PAGES[name]

    async def scene(site: Site) -> None:
        site.routes["/0"] = behaviour
        site.publish(2)
        report = await a_poll(database, site)
        assert (report.failed, report.new_articles, report.pages_fetched, report.pages_failed) == (0, 2, 1, 1)
        (outcome,) = report.outcomes
        assert (outcome.status, outcome.error) == (Status.CHANGED, "")
        assert outcome.pages_problem.startswith("1 of 2 article pages could not be read: ")
        assert reason in outcome.pages_problem
        found = texts(database)
        assert is_teaser(found["Story number 0"])
        assert is_full(found["Story number 1"])
        # It is not tried again.
        asked = len(site.asked("/0"))
        site.publish(2, extra="<ttl>1</ttl>")
        again = await a_poll(database, site)
        assert (again.changed, again.pages_fetched, again.pages_failed) == (1, 0, 0)
        assert len(site.asked("/0")) == asked

    playing(scene)


def test_packed_pages_and_redirects_within_the_web_are_followed(database: Database, playing: Play) -> None:
    async def scene(site: Site) -> None:
        site.routes["/0"] = html(page(0), pack=True)
        site.routes["/1"] = redirect("/moved", 301)
        site.routes["/moved"] = html(page(1))
        site.publish(2)
        assert (await a_poll(database, site)).pages_fetched == 2
        assert all(map(is_full, texts(database).values()))

    playing(scene)


@pytest.mark.parametrize("way", ["page", "redirect", "robots.txt"])
def test_neither_page_nor_redirect_reaches_a_private_network(
    database: Database, monkeypatch: pytest.MonkeyPatch, way: str, playing: Play
) -> None:
    """One loopback address stands for the public internet, the others are as private as ever."""
    monkeypatch.setattr("iscore.feeds.http.private_networks.may_be_asked", lambda address: address == "127.0.0.1")

    async def scene(site: Site) -> None:
        async with Site(("127.0.0.2",)) as canary:
            inside = canary.url("/0", "127.0.0.2")
            canary.publish(1)
            site.publish(1)
            match way:
                case "page":
                    site.routes["/feed"] = document(rss(1, site=inside[:-2]))
                case "redirect":
                    site.routes["/0"] = redirect(inside)
                case _:
                    site.routes["/robots.txt"] = redirect(inside)
            report = await a_poll(database, site, replace(SETTINGS, allow_private_networks=False))
            assert (report.new_articles, report.pages_fetched, report.pages_failed) == (1, 0, 1)
            assert "private network" in report.outcomes[0].pages_problem
            assert canary.connections == 0
            assert is_teaser(texts(database)["Story number 0"])

    playing(scene)


def test_robots_txt_is_obeyed(database: Database, playing: Play) -> None:
    async def scene(site: Site) -> None:
        site.publish(4)
        rules = b"User-agent: *\nDisallow: /\n\nUser-agent: iscore\nDisallow: /1\nDisallow: /moved\nAllow: /\n"
        site.routes["/robots.txt"] = document(rules, Content_Type="text/plain")
        site.routes["/2"] = redirect("/moved")
        report = await a_poll(database, site, replace(SETTINGS, user_agent="iscore/1.0 (news filter)"))
        assert (report.pages_fetched, report.pages_failed) == (2, 2)
        assert "the site's robots.txt does not allow it" in report.outcomes[0].pages_problem
        assert sorted(site.pages()) == ["/0", "/2", "/3"]
        assert [is_full(text) for _, text in sorted(texts(database).items())] == [True, False, False, True]

    playing(scene)


@pytest.mark.parametrize(
    ("behaviour", "fetched"),
    [(status(404), 2), (status(403), 2), (status(500), 0), (status(503), 0), (silence, 0)],
)
def test_no_robots_txt_allows_and_a_failing_one_forbids(
    database: Database, behaviour: Behaviour, fetched: int, playing: Play
) -> None:
    async def scene(site: Site) -> None:
        site.publish(2)
        site.routes["/robots.txt"] = behaviour
        report = await a_poll(database, site)
        assert (report.pages_fetched, len(site.pages())) == (fetched, fetched)
        assert report.new_articles == 2
        assert len(site.asked("/robots.txt")) == 1

    playing(scene)


def test_another_sites_robots_txt_counts_after_a_redirect(database: Database, playing: Play) -> None:
    async def scene(site: Site) -> None:
        other = Site(("127.0.0.2",))
        async with other:
            site.publish(1)
            site.routes["/0"] = redirect(other.url("/secret", "127.0.0.2"))
            other.routes["/secret"] = html(page(0))
            other.routes["/robots.txt"] = document(b"User-agent: *\nDisallow: /secret\n", Content_Type="text/plain")
            assert (await a_poll(database, site)).pages_failed == 1
            assert [request.path for request in other.requests] == ["/robots.txt"]

    playing(scene)


def test_the_pause_that_robots_txt_asks_for_is_kept(database: Database, playing: Play) -> None:
    async def scene(site: Site) -> None:
        site.publish(9)
        site.routes["/robots.txt"] = document(b"User-agent: *\nCrawl-delay: 0.4\nDisallow: /x\n")
        report = await a_poll(database, site, replace(SETTINGS, fulltext_timeout=3.0))
        assert 1 <= report.pages_fetched <= 7
        assert report.pages_fetched + report.pages_failed == 9
        times = [request.at for request in site.requests if request.path != "/feed"]
        assert min(later - earlier for earlier, later in pairwise(times)) >= 0.39

    playing(scene)


def test_too_long_a_crawl_delay_means_no_pages(database: Database, playing: Play) -> None:
    async def scene(site: Site) -> None:
        site.publish(2)
        site.routes["/robots.txt"] = document(b"User-agent: *\nCrawl-delay: 3600\nDisallow: /x\n")
        report = await a_poll(database, site)
        assert (report.pages_failed, site.pages()) == (2, [])
        assert "asks for 3600 seconds" in report.outcomes[0].pages_problem

    playing(scene)


def test_only_the_newest_articles_of_a_long_feed_are_looked_up(database: Database, playing: Play) -> None:
    async def scene(site: Site) -> None:
        site.publish(300)
        report = await a_poll(database, site)
        assert (report.new_articles, report.pages_fetched, report.pages_failed) == (300, 20, 0)
        assert sorted(site.pages()) == sorted(f"/{n}" for n in range(280, 300))
        assert site.most_at_once == 1
        site.publish(300, extra="<ttl>1</ttl>")
        assert (await a_poll(database, site)).pages_fetched == 0

    playing(scene)


def test_pages_follow_one_another_with_the_hosts_pause(database: Database, playing: Play) -> None:
    async def scene(site: Site) -> None:
        site.publish(4)
        await a_poll(database, site, replace(SETTINGS, host_spacing=0.15))
        times = [request.at for request in site.requests]
        assert len(times) == 6
        assert min(later - earlier for earlier, later in pairwise(times)) >= 0.14

    playing(scene)


def test_after_the_timeout_articles_keep_the_feeds_text(database: Database, playing: Play) -> None:
    async def scene(site: Site) -> None:
        site.routes["/0"] = site.routes["/1"] = silence
        site.publish(4)
        report = await a_poll(database, site, replace(SETTINGS, fulltext_timeout=3.0, fetch_timeout=30.0))
        assert (report.changed, report.new_articles, report.pages_fetched, report.pages_failed) == (1, 4, 2, 2)
        assert "the time was up" in report.outcomes[0].pages_problem
        assert report.seconds < 30

    playing(scene)


def test_a_feed_is_stored_when_the_poll_ends_before_its_pages(database: Database, playing: Play) -> None:
    """A feed whose pages are still being read when the poll is over is stored with what there is."""

    class Hangs:
        def __init__(self, pool: ParserPool) -> None:
            self.parse_quickly, self.parse_slowly, self.permission = (
                pool.parse_quickly,
                pool.parse_slowly,
                pool.permission,
            )

        async def page_text(self, job: PageJob) -> str:
            await asyncio.sleep(3600)
            raise AssertionError(job)

    async def scene(site: Site) -> None:
        site.publish(2)
        follow(database, site.url("/feed"))
        short = replace(SETTINGS, start_timeout=2.0, fetch_timeout=0.5, parse_timeout=1.0)
        report = await poll(database, short, Clock(), pool=Hangs(site.pool))
        assert [outcome.status for outcome in report.outcomes] == [Status.CHANGED]
        assert (report.new_articles, report.pages_failed) == (2, 2)
        assert report.seconds < 60
        assert all(map(is_teaser, texts(database).values()))

    playing(scene)


def test_a_page_of_several_feeds_is_fetched_once(database: Database, playing: Play) -> None:
    async def scene(site: Site) -> None:
        site.publish(2)
        site.routes["/copy"] = site.routes["/feed"]
        follow(database, site.url("/feed"), site.url("/copy"))
        report = await poll(database, SETTINGS, Clock(), pool=site.pool)
        assert (report.new_articles, report.pages_fetched) == (4, 4)
        assert sorted(path for path in site.pages() if path != "/copy") == ["/0", "/1"]

    playing(scene)


def test_hostile_pages_end_and_the_poll_goes_on(
    database: Database, playing: Play, processor_seconds: Callable[[], float]
) -> None:
    hostile = "<html><body><article>" + "<table><tr>" + "<td colspan=1000 rowspan=1000>x" * 30_000

    async def scene(site: Site) -> None:
        for n in range(20):
            site.routes[f"/{n}"] = html(hostile)
        site.publish(20)
        good = Site(("127.0.0.2",))
        async with good:
            good.publish(2)
            good.routes["/feed"] = document(rss(2, title="Good", site=good.url("", "127.0.0.2")))
            follow(database, site.url("/feed"), good.url("/feed", "127.0.0.2"))
            report = await poll(database, replace(SETTINGS, parse_timeout=1.0), Clock())
            bad, fine = report.outcomes
            assert (bad.status, bad.new, bad.pages_fetched, bad.pages_failed) == (Status.CHANGED, 20, 0, 20)
            # Which of its limits it meets first depends on the machine.
            ends = ("the page could not be read within 1 seconds", "probably out of memory")
            assert any(end in bad.pages_problem for end in ends)
            assert (fine.status, fine.pages_fetched) == (Status.CHANGED, 2)
        assert processor_seconds() < 15  # and not a second for each page

    playing(scene)


def test_no_write_lock_is_held_while_a_page_is_waited_for(database: Database, playing: Play) -> None:
    writes = 0

    async def writes_meanwhile(request, writer):  # type: ignore[no-untyped-def]
        nonlocal writes
        with open_database(database.path, busy_timeout=0.0) as other, other.write() as tx:
            feeds.release(tx, [])
            writes += 1
        await html(page(0))(request, writer)

    async def scene(site: Site) -> None:
        site.routes["/0"] = site.routes["/robots.txt"] = writes_meanwhile
        site.publish(1)
        assert (await a_poll(database, site)).pages_fetched == 1
        assert writes == 2  # robots.txt and the page

    playing(scene)


_POLLER = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from iscore.feeds.parsing.jobs import PageJob
from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.poll import poll
from iscore.feeds.poll_settings import PollSettings
from storage.database import open_database
settings = PollSettings(host_spacing=0.0, allow_private_networks=True)
with open_database(Path(sys.argv[1])) as database:
    report = asyncio.run(poll(database, settings, lambda: datetime(2026, 3, 2, 8, tzinfo=UTC)))
print(report.new_articles, report.pages_fetched, *report.warnings, sep="|")
"""


def test_without_the_extra_a_warning_says_what_to_install_and_polling_goes_on(
    database: Database, tmp_path: Path, playing: Play
) -> None:
    """In a process that has every package of this environment but those of the extra."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for found in Path(sysconfig.get_path("purelib")).iterdir():
        if not found.name.startswith(("trafilatura", "protego")):
            (packages / found.name).symlink_to(found)

    async def scene(site: Site) -> None:
        site.publish(2)
        follow(database, site.url("/feed"))
        environment = os.environ | {"PYTHONPATH": f"{packages}:{ROOT}"}
        arguments = [sys.executable, "-S", "-c", _POLLER, str(database.path)]
        poller = await asyncio.create_subprocess_exec(*arguments, env=environment, stdout=subprocess.PIPE)
        shown, _ = await poller.communicate()
        assert poller.returncode == 0
        new, fetched, warning = shown.decode().strip().split("|")
        assert (new, fetched) == ("2", "0")
        assert "iscore-news[fulltext]" in warning
        assert site.pages() == []
        assert all(map(is_teaser, texts(database).values()))

    playing(scene)
