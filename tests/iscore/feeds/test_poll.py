"""Whole polls: a real server, real parser processes, a real database."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.poll import poll
from iscore.feeds.recorder import Status
from storage.opening.database import Database
from storage.stream import articles
from tests.iscore.feeds.polled import HOSTS, SETTINGS, START, Clock, counts, follow, states, titles
from tests.servers.feed_server import FeedServer, document, raw, redirect, rss, silence, status


async def test_a_poll_stores_new_articles_and_the_same_bytes_change_only_times(
    database: Database, pool: ParserPool, server: FeedServer, clock: Clock
) -> None:
    server.routes["/etag"] = document(rss(3), ETag='"1"', Last_Modified="then")
    server.routes["/plain"] = document(rss(2, title="Plain"))
    follow(database, server.url("/etag"), server.url("/plain", "127.0.0.2"))
    done: list[tuple[int, int, str]] = []
    first = await poll(database, SETTINGS, clock, pool=pool, progress=lambda *step: done.append(step))
    assert counts(first) == (2, 2, 0, 0)
    assert (first.new_articles, first.updated_articles) == (5, 0)
    assert [step[:2] for step in done] == [(0, 2), (1, 2), (2, 2)]
    assert sorted(titles(database)) == sorted([f"Story number {n}" for n in (0, 1, 2, 0, 1)])
    before = states(database)
    assert [feed.title for feed in before] == ["Loopback news", "Plain"]
    assert all(feed.last_success == START and feed.failures == 0 for feed in before)

    clock.later(minutes=30)
    assert (await poll(database, SETTINGS, clock, pool=pool)).feeds == 0

    clock.later(minutes=40)
    second = await poll(database, SETTINGS, clock, pool=pool)
    assert counts(second) == (2, 0, 2, 0)
    assert second.new_articles == 0
    assert [request.headers.get("if-none-match") for request in server.asked("/etag")] == [None, '"1"']
    times = ("last_attempt", "last_success", "next_due")
    for old, new in zip(before, states(database), strict=True):
        assert replace(new, **{name: getattr(old, name) for name in times}) == old
        assert new.last_success == clock.now
    assert len(titles(database)) == 5


async def test_what_a_document_wishes_is_remembered_at_answers_without_one(
    database: Database, pool: ParserPool, server: FeedServer, clock: Clock
) -> None:
    wishes = f"<ttl>{'9' * 4000}</ttl><skipDays><day>Wednesday</day></skipDays><skipHours><hour>0</hour></skipHours>"
    thursday = datetime(2026, 3, 5, 1, 0, tzinfo=UTC)
    server.routes["/feed"] = document(rss(1, extra=wishes), ETag='"1"')
    follow(database, server.url("/feed"))
    await poll(database, SETTINGS, clock, pool=pool)
    clock.later(days=1)  # not modified: Wednesday is out
    assert (await poll(database, SETTINGS, clock, pool=pool, force=True)).unchanged == 1
    assert [feed.next_due for feed in states(database)] == [thursday]
    server.routes["/feed"] = status(503)
    clock.later(minutes=10)
    assert (await poll(database, SETTINGS, clock, pool=pool, force=True)).failed == 1
    assert [feed.next_due for feed in states(database)] == [thursday]


async def test_the_same_etag_with_another_body_is_a_change(
    database: Database, pool: ParserPool, server: FeedServer, clock: Clock
) -> None:
    content = rss(2)
    behave = document(lambda: content, ETag='"same"')

    async def never_304(request, writer):  # type: ignore[no-untyped-def]
        request.headers.pop("if-none-match", None)
        await behave(request, writer)

    server.routes["/feed"] = never_304
    follow(database, server.url("/feed"))
    await poll(database, SETTINGS, clock, pool=pool)
    content = rss(3)
    clock.later(hours=2)
    report = await poll(database, SETTINGS, clock, pool=pool)
    assert (report.changed, report.new_articles) == (1, 1)
    content = content.replace(b"What happened in story 1", b"What really happened in story 1")
    clock.later(hours=2)
    report = await poll(database, SETTINGS, clock, pool=pool)
    assert (report.new_articles, report.updated_articles) == (0, 1)


async def test_one_bad_feed_stops_nobody_else_and_keeps_what_is_known_of_it(
    database: Database, pool: ParserPool, server: FeedServer, clock: Clock
) -> None:
    paths = ("/good", "/slow", "/gone", "/page", "/cut", "/loop", "/scheme")
    for path in paths:
        server.routes[path] = document(rss(2), ETag='"old"')
    follow(database, *(server.url(path, host) for path, host in zip(paths, HOSTS, strict=False)))
    await poll(database, SETTINGS, clock, pool=pool)
    before = {feed.url: feed for feed in states(database)}
    server.routes |= {
        "/good": document(rss(3)),
        "/slow": silence,
        "/gone": status(410),
        "/page": document(b"<!doctype html><title>Log in</title><form></form>", ETag='"page"'),
        "/cut": raw(b"HTTP/1.1 200 OK\r\nETag: new\r\nContent-Length: 5000\r\n\r\n" + rss(3)[:300]),
        "/loop": redirect("/loop"),
        "/scheme": redirect("file:///etc/passwd", 301),
    }
    clock.later(hours=2)
    report = await poll(database, SETTINGS, clock, pool=pool)
    assert counts(report) == (7, 1, 0, 6)
    assert report.new_articles == 1
    assert [o.error != "" for o in report.outcomes] == [o.status is Status.FAILED for o in report.outcomes]
    for feed in states(database):
        old = before[feed.url]
        if "/good" in feed.url:
            continue
        assert (feed.etag, feed.body_hash, feed.items_seen) == (old.etag, old.body_hash, old.items_seen)
        assert feed.last_success == START
        assert (feed.failures, feed.last_attempt) == (1, clock.now)
        assert feed.error
        assert feed.next_due is not None
        assert feed.next_due >= clock.now + timedelta(hours=1)
    assert len(titles(database)) == 15


async def test_a_feed_that_moved_for_good_gets_its_new_url_and_keeps_its_articles(
    database: Database, pool: ParserPool, server: FeedServer, clock: Clock
) -> None:
    server.routes["/new"] = document(rss(2), ETag='"1"')
    server.routes["/old"] = redirect("/new", 301)
    follow(database, server.url("/old"))
    for _ in range(3):
        await poll(database, SETTINGS, clock, pool=pool)
        clock.later(days=1, hours=1)
    assert [feed.url for feed in states(database)] == [server.url("/new")]
    follow(database, server.url("/old"))  # as feeds.yaml still has it
    server.routes["/new"] = document(rss(3))
    assert (await poll(database, SETTINGS, clock, pool=pool)).new_articles == 1
    assert len(states(database)) == 1
    assert len(titles(database)) == 3


async def test_a_password_reaches_the_server_and_nothing_that_is_shown(
    database: Database, pool: ParserPool, server: FeedServer, clock: Clock
) -> None:
    server.routes["/feed"] = document(rss(1).replace(b"https://news.example/0", b"/relative"))
    server.routes["/closed"] = status(401)
    address = server.url("/feed").replace("//", "//me:secret@")
    follow(database, address, address.replace("feed", "closed"))
    report = await poll(database, SETTINGS, clock, pool=pool)
    assert (report.changed, report.failed) == (1, 1)
    assert all("authorization" in request.headers for request in server.requests)
    assert "secret" not in repr(report)
    with database.read() as tx:
        assert "secret" not in repr(articles.without_features(tx, 10))


def test_polling_loads_no_parser_into_its_own_process() -> None:
    parsers = {"feedparser", "trafilatura", "lxml", "justext"}
    heavy = parsers | {"numpy", "numba", "alembic"}
    code = f"import sys, iscore.feeds.poll, iscore.feeds.fulltext; print({heavy} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"
