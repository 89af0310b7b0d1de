"""Pages that cannot be read cost their article the full text, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from iscore.feeds.parsing.jobs import PageArticle, PageJob
from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.poll import poll
from iscore.feeds.recorder import Status
from storage.opening.database import Database
from tests.iscore.feeds.full_texts import SETTINGS, Clock, Site, a_poll, follow, is_full, is_teaser, texts
from tests.servers.feed_server import Behaviour, document, html, page, raw, redirect, rss, silence, status


def large_page() -> bytes:
    return page(0).replace("<aside>", "<aside>" + "<!-- large -->" * 400_000).encode()


BAD_PAGES: dict[str, tuple[Behaviour, str]] = {
    "slow": (silence, "no response within"),
    "large": (document(large_page, Content_Type="text/html"), "larger than 5 MB"),
    "picture": (document(b"GIF89a", Content_Type="image/gif"), "it is not a web page but image/gif"),
    "unlabelled": (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n<p>text<"), "it is not a web page"),
    "gone": (status(404), "404"),
    "empty": (html("<html></html>"), "no text"),
}
"""What is peculiar to pages; ``tests/iscore/feeds/http`` has what else a server may do."""


@pytest.mark.parametrize("name", BAD_PAGES)
async def test_a_bad_page_costs_its_article_the_full_text_and_nothing_else(
    database: Database, name: str, site: Site
) -> None:
    behaviour, reason = BAD_PAGES[name]
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


@pytest.mark.parametrize("way", ["page", "redirect", "robots.txt"])
async def test_neither_page_nor_redirect_reaches_a_private_network(
    database: Database, monkeypatch: pytest.MonkeyPatch, way: str, site: Site
) -> None:
    """One loopback address stands for the public internet, the others are as private as ever."""
    monkeypatch.setattr("iscore.feeds.http.private_networks.may_be_asked", lambda address: address == "127.0.0.1")
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


async def test_after_the_timeout_articles_keep_the_feeds_text(database: Database, site: Site) -> None:
    site.routes["/0"] = site.routes["/1"] = silence
    site.publish(4)
    report = await a_poll(database, site, replace(SETTINGS, fulltext_timeout=2.0, fetch_timeout=30.0))
    assert (report.changed, report.new_articles, report.pages_fetched, report.pages_failed) == (1, 4, 2, 2)
    assert "the time was up" in report.outcomes[0].pages_problem
    assert report.seconds < 30


async def test_a_feed_is_stored_when_the_poll_ends_before_its_pages(database: Database, site: Site) -> None:
    """A feed whose pages are still being read when the poll is over is stored with what there is."""

    class Hangs:
        def __init__(self, pool: ParserPool) -> None:
            self.parse_quickly, self.parse_slowly, self.permission = (
                pool.parse_quickly,
                pool.parse_slowly,
                pool.permission,
            )

        async def page_article(self, job: PageJob) -> PageArticle:
            await asyncio.sleep(3600)
            raise AssertionError(job)

    site.publish(2)
    follow(database, site.url("/feed"))
    short = replace(SETTINGS, start_timeout=1.0, fetch_timeout=0.5, parse_timeout=0.5)
    report = await poll(database, short, Clock(), pool=Hangs(site.pool))
    assert [outcome.status for outcome in report.outcomes] == [Status.CHANGED]
    assert (report.new_articles, report.pages_failed) == (2, 2)
    assert report.seconds < 60
    assert all(map(is_teaser, texts(database).values()))


@pytest.mark.long
async def test_hostile_pages_end_and_the_poll_goes_on(
    database: Database, processor_seconds: Callable[[], float], site: Site
) -> None:
    hostile = "<html><body><article>" + "<table><tr>" + "<td colspan=1000 rowspan=1000>x" * 30_000
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
