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


CONSENT = (
    "<html><body><div><h1>Before you continue</h1><p>We use cookies and data to deliver and maintain services, track "
    "outages and protect against spam, fraud and abuse, and to measure audience engagement.</p>{}"
    "<button>Accept all</button></div></body></html>"
)
LOGIN = (
    "<html><body><main><h1>Sign in</h1><p>Our articles are for subscribers. Enter your address and password to go on "
    "reading, or take out a subscription for a month or a year.</p></main></body></html>"
)
WALL = '<html lang="de"><body><article><p>Mit Werbung weiterlesen oder Pur-Abo abschließen.</p>' + (
    "<p>Besuchen Sie uns wie gewohnt mit Werbung und Tracking. Details finden Sie in der Datenschutzerklärung.</p>"
    "</article></body></html>"
)
OWN = page(7).replace("</article>", "<p>All prices include taxes; write to us if you find an error.</p></article>")
SAME_TEXTS: dict[str, tuple[list[str], int]] = {
    "consent": ([CONSENT.format("")] * 3, 0),
    "consent that names the article": ([CONSENT.format(f"<p>Go on to /{n}.</p>") for n in range(3)], 0),
    "login": ([LOGIN] * 2, 0),
    "wall": ([WALL] * 4, 0),
    "two of three": ([page(0), CONSENT.format(""), CONSENT.format("")], 1),
    "a live blog": ([page(0)] * 3, 0),
    "another end": ([page(0).replace("Paragraph 5", f"At {n}:30 paragraph 5") for n in range(2)], 0),
    "own texts with the same last paragraph": ([OWN.replace("story 7", f"story {n}") for n in range(2)], 2),
}
"""Pages of a feed's articles → how many articles get their page's text."""


@pytest.mark.parametrize("name", SAME_TEXTS)
async def test_a_text_of_several_articles_is_none_of_theirs(database: Database, name: str, site: Site) -> None:
    pages, own = SAME_TEXTS[name]
    site.routes |= {f"/{n}": html(markup) for n, markup in enumerate(pages)}
    site.publish(len(pages))
    report = await a_poll(database, site)
    assert (report.failed, report.pages_fetched, report.pages_failed) == (0, own, len(pages) - own)
    assert sum(not is_teaser(text) for text in texts(database).values()) == own
    if own < len(pages):
        assert "the same text for several articles" in report.outcomes[0].pages_problem


async def test_a_text_that_an_earlier_article_has_is_not_used_again(database: Database, site: Site) -> None:
    """That the first one alone is no article's cannot be seen."""
    site.routes |= {f"/{n}": html(CONSENT.format("")) for n in range(3)}
    site.publish(1)
    assert (await a_poll(database, site)).pages_fetched == 1
    for n in (2, 3):
        site.publish(n)
        assert (await a_poll(database, site)).pages_failed == 1
    assert [is_teaser(text) for text in texts(database).values()] == [False, True, True]


async def test_an_article_that_comes_twice_keeps_its_text(database: Database, site: Site) -> None:
    site.publish(1)
    site.routes["/again"] = html(page(0))
    feed = rss(1, site=site.url(""))
    again = f"<item><title>Story number 0</title><link>{site.url('/again')}</link></item>".encode()
    site.routes["/feed"] = document(feed.replace(b"</channel>", again + b"</channel>"))
    assert (await a_poll(database, site)).pages_fetched == 2
    again = f"<item><title>Story number 0, updated</title><link>{site.url('/0')}</link><guid>x</guid></item>".encode()
    site.routes["/feed"] = document(feed.replace(b"</channel>", again + b"</channel>"))
    assert (await a_poll(database, site)).pages_fetched == 1
    assert not any(map(is_teaser, texts(database).values()))


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
