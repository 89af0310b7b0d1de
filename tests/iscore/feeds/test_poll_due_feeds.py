"""Which feeds a poll asks, and which are left to the next one."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace

import pytest

from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.poll import CLAIMED_START, ClaimedHosts, poll
from iscore.feeds.recorder import PollReport, Status
from storage.opening.database import Database
from tests.iscore.feeds.polled import HOSTS, SETTINGS, Clock, counts, follow, states
from tests.servers.feed_server import FeedServer, document, rss, silence, status


async def test_a_forced_poll_skips_feeds_that_were_just_fetched(
    database: Database, pool: ParserPool, server: FeedServer, clock: Clock
) -> None:
    server.routes["/feed"] = document(rss(1))
    follow(database, server.url("/feed"))
    await poll(database, SETTINGS, clock, pool=pool)
    follow(database, server.url("/feed"), server.url("/feed", "127.0.0.2"))
    clock.later(seconds=30)
    report = await poll(database, SETTINGS, clock, pool=pool, force=True)
    assert (report.feeds, report.cooling) == (1, 1)
    clock.later(seconds=31)
    report = await poll(database, SETTINGS, clock, pool=pool, force=True)
    assert (report.feeds, report.cooling) == (1, 1)
    assert len(server.requests) == 3


@pytest.mark.parametrize("days", [365, 10, -365])
async def test_a_clock_that_jumps_and_comes_back_starves_no_feed_and_asks_none_twice(
    database: Database, days: int, pool: ParserPool, server: FeedServer, clock: Clock
) -> None:
    server.routes["/feed"] = document(rss(1), ETag='"1"')
    follow(database, *(server.url("/feed", host) for host in HOSTS[:3]))
    for jump in (0, 0, days, 0, -days, 0, 0):
        clock.later(days=jump, hours=2)
        asked = len(server.requests)
        for _ in range(4):
            await poll(database, SETTINGS, clock, pool=pool)
            assert len(server.requests) - asked == 3
            clock.later(minutes=15)


def test_feeds_of_a_dead_host_are_left_to_the_next_poll(
    database: Database, runner: asyncio.Runner, pool: ParserPool, clock: Clock
) -> None:

    async def run() -> None:
        async with FeedServer(HOSTS) as server:
            server.routes["/feed"] = document(rss(1))
            dead = f"http://127.0.0.1:{taken.getsockname()[1]}"
            follow(database, *(f"{dead}/{n}" for n in range(8)), server.url("/feed", "127.0.0.2"))
            report = await poll(database, SETTINGS, clock, pool=pool)
            assert (report.changed, report.failed, report.count(Status.POSTPONED)) == (1, 3, 5)
            postponed = [feed for feed in states(database) if feed.last_attempt is None]
            assert len(postponed) == 5
            assert all(feed.next_due is None and feed.failures == 0 for feed in postponed)
            again = await poll(database, SETTINGS, clock, pool=pool)
            assert again.feeds == 5

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        runner.run(run())


async def test_dead_feeds_do_not_starve_the_good_ones_of_their_host(
    database: Database, pool: ParserPool, server: FeedServer, clock: Clock
) -> None:
    impatient = replace(SETTINGS, fetch_timeout=0.2)
    server.routes |= {"/dead": silence, "/good": document(rss(1))}
    dead = [server.url(f"/dead?{n}") for n in range(3)]
    follow(database, *dead, *(server.url(f"/good?{n}") for n in range(8)))
    report = await poll(database, impatient, clock, pool=pool)
    assert (report.changed, report.failed, report.count(Status.POSTPONED)) == (8, 3, 0)
    # What failed is asked for after everything else.
    before = len(server.requests)
    clock.later(days=2)
    assert (await poll(database, impatient, clock, pool=pool)).unchanged == 8
    paths = [request.path.partition("?")[0] for request in server.requests[before:]]
    assert paths == ["/good"] * 8 + ["/dead"] * 3


async def test_slow_documents_delay_no_others_and_are_postponed(
    database: Database, monkeypatch: pytest.MonkeyPatch, server: FeedServer, clock: Clock
) -> None:
    """The first that is slow is read; when all else is done, no other is begun."""
    monkeypatch.setattr("iscore.feeds.parsing.parser_pool.QUICK_SECONDS", 0.1)
    limits = replace(SETTINGS, parse_timeout=0.5)
    slow = b"<rss version='2.0'><channel><item><title>" + b"<a " * 400_000
    server.routes["/slow"], server.routes["/good"] = document(slow), document(rss(1))
    follow(database, *(server.url(path, host) for path in ("/slow", "/good") for host in HOSTS[:3]))
    report = await poll(database, limits, clock)
    found = {
        path: [outcome for outcome in report.outcomes if outcome.url.endswith(path)] for path in ("/slow", "/good")
    }
    assert {outcome.status for outcome in found["/good"]} == {Status.CHANGED}
    states_of = [outcome.status for outcome in found["/slow"]]
    assert set(states_of) == {Status.FAILED, Status.POSTPONED}
    for outcome in found["/slow"]:
        message = "within 0.5 seconds" if outcome.status is Status.FAILED else "the next poll tries again"
        assert message in outcome.error
    # Those that failed are left alone for a while, those that were left out are still due.
    left_out = [feed for feed in states(database) if feed.next_due is None]
    assert len(left_out) == states_of.count(Status.POSTPONED)
    assert not any(feed.failures for feed in left_out)


def test_offline_no_feed_is_blamed(database: Database, clock: Clock) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        follow(database, *(f"http://{host}:{port}/" for host in HOSTS))
        report = asyncio.run(poll(database, SETTINGS, clock))
        assert report.failed == len(HOSTS)
        assert all("offline" in outcome.error for outcome in report.outcomes)
        assert all(feed.failures == 0 for feed in states(database))

        async def run() -> PollReport:
            async with FeedServer(("127.0.0.9",)) as server:
                server.routes["/feed"] = document(rss(1))
                follow(database, *(f"http://{host}:{port}/" for host in HOSTS), server.url("/feed", "127.0.0.9"))
                clock.later(hours=1)
                return await poll(database, SETTINGS, clock)

        report = asyncio.run(run())
        assert (report.changed, report.failed) == (1, len(HOSTS))
        assert [feed.failures for feed in states(database)] == [1] * len(HOSTS) + [0]


def test_a_dead_host_with_many_feeds_is_blamed_though_nothing_else_is_asked(database: Database) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        follow(database, *(f"{address}/{number}" for number in range(4)))
        report = asyncio.run(poll(database, SETTINGS, Clock()))
    assert not any("offline" in outcome.error for outcome in report.outcomes)
    assert [feed.failures for feed in states(database) if feed.next_due is not None] == [1] * report.failed
    assert report.failed > 0


async def test_a_host_that_wants_a_pause_is_left_alone_with_the_same_login(
    database: Database, pool: ParserPool, server: FeedServer, clock: Clock
) -> None:
    logins = {name: server.url("").replace("//", f"//{name}:secret@") for name in ("anna", "bert")}
    for number in range(2):
        server.routes[f"/anna/{number}"] = status(429, Retry_After="7200")
        server.routes[f"/bert/{number}"] = document(rss(1))
    follow(database, *(f"{logins[name]}/{name}/{number}" for name in logins for number in range(2)))
    report = await poll(database, SETTINGS, clock, pool=pool)
    asked = sorted(request.path for request in server.requests)
    assert asked in [[f"/anna/{number}", "/bert/0", "/bert/1"] for number in range(2)]
    assert counts(report)[1:] == (2, 0, 1)
    clock.later(minutes=90)
    await poll(database, SETTINGS, clock, pool=pool)
    assert len(server.requests) == 5  # bert's
    server.routes |= {f"/anna/{number}": document(rss(1)) for number in range(2)}
    clock.later(minutes=45)
    await poll(database, SETTINGS, clock, pool=pool)
    assert {request.path for request in server.requests[5:]} >= {"/anna/0", "/anna/1"}


async def test_feeds_of_a_claimed_host_begin_within_half_a_minute_and_the_others_come_later(
    database: Database, pool: ParserPool, server: FeedServer
) -> None:
    """Else a host with many feeds would keep its worker for as long as they take."""
    for path in ("/1", "/2", "/3"):
        server.routes[path] = document(rss(1))
    follow(database, *(server.url(path) for path in server.routes), server.url("/1", HOSTS[1]))
    claimed = ClaimedHosts(HOSTS[:2], lambda: True)
    spaced = replace(SETTINGS, host_spacing=CLAIMED_START + 1)
    report = await poll(database, spaced, Clock(), pool=pool, hosts=claimed)
    found = sorted(outcome.status.name for outcome in report.outcomes)
    assert found == ["CHANGED", "CHANGED", "POSTPONED", "POSTPONED"]


@pytest.mark.parametrize("claimed", [True, False])
async def test_all_feeds_of_a_host_have_their_turn_though_one_poll_cannot_ask_them_all(
    database: Database, pool: ParserPool, server: FeedServer, clock: Clock, *, claimed: bool
) -> None:
    hosts = ClaimedHosts(HOSTS[:1], lambda: True) if claimed else None
    one_request = replace(SETTINGS, host_spacing=100.0, start_timeout=50.0)
    for path in ("/1", "/2", "/3", "/4"):
        server.routes[path] = document(rss(1), ETag='"1"')
    server.routes["/3"] = status(500)
    follow(database, *(server.url(path) for path in server.routes))
    for _ in range(20):
        await poll(database, one_request, clock, pool=pool, hosts=hosts)
        clock.later(hours=3)
    asked = [request.path for request in server.requests]
    assert asked[:4] == ["/1", "/2", "/3", "/4"]
    others = [path for path in asked if path != "/3"]
    assert others == (["/1", "/2", "/4"] * 9)[: len(others)]
    # What failed comes after what became due within the next day, and not after everything for ever.
    assert "/3" not in asked[4:10]
    assert "/3" in asked[10:]
