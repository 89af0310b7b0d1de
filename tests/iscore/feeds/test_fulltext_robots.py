"""What a site's robots.txt says of its pages is obeyed."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from storage.opening.database import Database
from tests.iscore.feeds.full_texts import SETTINGS, Site, a_poll, is_full, texts
from tests.servers.feed_server import Behaviour, document, html, page, redirect, silence, status


async def test_robots_txt_is_obeyed(database: Database, site: Site) -> None:
    site.publish(4)
    rules = b"User-agent: *\nDisallow: /\n\nUser-agent: iscore\nDisallow: /1\nDisallow: /moved\nAllow: /\n"
    site.routes["/robots.txt"] = document(rules, Content_Type="text/plain")
    site.routes["/2"] = redirect("/moved")
    report = await a_poll(database, site, replace(SETTINGS, user_agent="iscore/1.0 (news filter)"))
    assert (report.pages_fetched, report.pages_failed) == (2, 2)
    assert "the site's robots.txt does not allow it" in report.outcomes[0].pages_problem
    assert sorted(site.pages()) == ["/0", "/2", "/3"]
    assert [is_full(text) for _, text in sorted(texts(database).items())] == [True, False, False, True]


@pytest.mark.parametrize(
    ("behaviour", "fetched"), [(status(404), 2), (status(403), 2), (status(500), 0), (status(503), 0), (silence, 0)]
)
async def test_no_robots_txt_allows_and_a_failing_one_forbids(
    database: Database, behaviour: Behaviour, fetched: int, site: Site
) -> None:
    site.publish(2)
    site.routes["/robots.txt"] = behaviour
    report = await a_poll(database, site)
    assert (report.pages_fetched, len(site.pages())) == (fetched, fetched)
    assert report.new_articles == 2
    assert len(site.asked("/robots.txt")) == 1


async def test_another_sites_robots_txt_counts_after_a_redirect(database: Database, site: Site) -> None:
    other = Site(("127.0.0.2",))
    async with other:
        site.publish(1)
        site.routes["/0"] = redirect(other.url("/secret", "127.0.0.2"))
        other.routes["/secret"] = html(page(0))
        other.routes["/robots.txt"] = document(b"User-agent: *\nDisallow: /secret\n", Content_Type="text/plain")
        assert (await a_poll(database, site)).pages_failed == 1
        assert [request.path for request in other.requests] == ["/robots.txt"]


async def test_the_pause_that_robots_txt_asks_for_is_kept(database: Database, site: Site) -> None:
    site.publish(3)
    site.routes["/robots.txt"] = document(b"User-agent: *\nCrawl-delay: 0.3\nDisallow: /x\n")
    assert (await a_poll(database, site)).pages_fetched == 3
    times = [request.at for request in site.requests if request.path != "/feed"]
    assert min(later - earlier for earlier, later in pairwise(times)) >= 0.29


async def test_too_long_a_crawl_delay_means_no_pages(database: Database, site: Site) -> None:
    site.publish(2)
    site.routes["/robots.txt"] = document(b"User-agent: *\nCrawl-delay: 3600\nDisallow: /x\n")
    report = await a_poll(database, site)
    assert (report.pages_failed, site.pages()) == (2, [])
    assert "asks for 3600 seconds" in report.outcomes[0].pages_problem
