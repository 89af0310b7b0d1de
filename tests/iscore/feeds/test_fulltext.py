"""Full texts in whole polls: real servers for feeds and pages, real child processes, a real database."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import pairwise

import pytest

from iscore.feeds.fulltext import EXTRA
from iscore.feeds.poll import poll
from storage.opening.database import Database, open_database
from storage.stream import feeds
from tests.iscore.feeds.full_texts import SETTINGS, Clock, Site, a_poll, follow, is_full, is_teaser, texts
from tests.servers.feed_server import document, html, page, redirect, rss


async def test_the_pages_text_is_used_and_no_page_is_fetched_twice(database: Database, site: Site) -> None:
    site.publish(3)
    steps: list[tuple[int, int, str]] = []
    follow(database, site.url("/feed"))
    clock = Clock()
    report = await poll(database, SETTINGS, clock, pool=site.pool, progress=lambda *step: steps.append(step))
    assert (report.new_articles, report.pages_fetched, report.pages_failed) == (3, 3, 0)
    assert report.warnings == ()
    found = texts(database)
    assert all(map(is_full, found.values())), found
    assert [step[:2] for step in steps] == [(0, 1)] * 4 + [(1, 1)]
    assert [step[2].partition(" ")[0] for step in steps[:4]] == ["fetching", "1/3", "2/3", "3/3"]

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


async def test_nothing_is_fetched_unless_it_is_asked_for(database: Database, site: Site) -> None:
    site.publish(2)
    follow(database, site.url("/feed"), fulltext=False)
    report = await poll(database, SETTINGS, Clock(), pool=site.pool)
    assert (report.new_articles, report.pages_fetched, report.pages_failed) == (2, 0, 0)
    assert [request.path for request in site.requests] == ["/feed"]
    assert all(map(is_teaser, texts(database).values()))


async def test_a_shorter_page_does_not_replace_the_feeds_text(database: Database, site: Site) -> None:
    site.publish(1)
    site.routes["/0"] = html("<html><body><article><p>Subscribe.</p></article></body></html>")
    report = await a_poll(database, site)
    assert (report.pages_fetched, report.pages_failed) == (1, 0)
    assert is_teaser(texts(database)["Story number 0"])


async def test_requests_contain_the_user_agent_and_nothing_personal(database: Database, site: Site) -> None:
    site.publish(2)
    for n in range(2):
        site.routes[f"/{n}"] = html(page(n), Set_Cookie="id=7; Path=/")
    await a_poll(database, site, replace(SETTINGS, user_agent="iscore/9.9 (news filter)"))
    allowed = {"host", "user-agent", "accept", "accept-encoding", "connection"}
    for request in site.requests:
        assert set(filter(None, request.headers)) == allowed, request
        assert request.headers["user-agent"] == "iscore/9.9 (news filter)"
    assert "text/html" in site.asked("/0")[0].headers["accept"]


async def test_packed_pages_and_redirects_within_the_web_are_followed(database: Database, site: Site) -> None:
    site.routes["/0"] = html(page(0), pack=True)
    site.routes["/1"] = redirect("/moved", 301)
    site.routes["/moved"] = html(page(1))
    site.publish(2)
    assert (await a_poll(database, site)).pages_fetched == 2
    assert all(map(is_full, texts(database).values()))


async def test_only_the_newest_articles_of_a_long_feed_are_looked_up(database: Database, site: Site) -> None:
    site.publish(300)
    report = await a_poll(database, site)
    assert (report.new_articles, report.pages_fetched, report.pages_failed) == (300, 20, 0)
    assert sorted(site.pages()) == sorted(f"/{n}" for n in range(280, 300))
    assert site.most_at_once == 1
    site.publish(300, extra="<ttl>1</ttl>")
    assert (await a_poll(database, site)).pages_fetched == 0


async def test_pages_follow_one_another_with_the_hosts_pause(database: Database, site: Site) -> None:
    site.publish(4)
    await a_poll(database, site, replace(SETTINGS, host_spacing=0.15))
    times = [request.at for request in site.requests]
    assert len(times) == 6
    assert min(later - earlier for earlier, later in pairwise(times)) >= 0.14


async def test_a_page_of_several_feeds_is_fetched_once(database: Database, site: Site) -> None:
    site.publish(2)
    site.routes["/copy"] = site.routes["/feed"]
    follow(database, site.url("/feed"), site.url("/copy"))
    report = await poll(database, SETTINGS, Clock(), pool=site.pool)
    assert (report.new_articles, report.pages_fetched) == (4, 4)
    assert sorted(path for path in site.pages() if path != "/copy") == ["/0", "/1"]


async def test_no_write_lock_is_held_while_a_page_is_waited_for(database: Database, site: Site) -> None:
    writes = 0

    async def writes_meanwhile(request, writer):  # type: ignore[no-untyped-def]
        nonlocal writes
        with open_database(database.path, busy_timeout=0.0) as other, other.write() as tx:
            feeds.release(tx, [])
            writes += 1
        await html(page(0))(request, writer)

    site.routes["/0"] = site.routes["/robots.txt"] = writes_meanwhile
    site.publish(1)
    assert (await a_poll(database, site)).pages_fetched == 1
    assert writes == 2  # robots.txt and the page


async def test_without_the_extra_a_warning_says_what_to_install_and_polling_goes_on(
    database: Database, monkeypatch: pytest.MonkeyPatch, site: Site
) -> None:
    """That nothing else loads the extra is tested in ``test_poll``."""
    for name in EXTRA:
        monkeypatch.setitem(sys.modules, name, None)  # as if it were not installed
    site.publish(2)
    report = await a_poll(database, site)
    assert (report.new_articles, report.pages_fetched) == (2, 0)
    (warning,) = report.warnings
    assert "iscore-news[fulltext]" in warning
    assert site.pages() == []
    assert all(map(is_teaser, texts(database).values()))
