"""How many requests a fetcher has at once, for how long, and how much memory their bodies take."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise

from iscore.feeds.http.fetch import LARGER_BODIES, Fetcher
from iscore.feeds.http.outcomes import FailureKind, Fetched, FetchFailed
from tests.iscore.feeds.http.fetching import HEAD, OPEN, body_of, kind_of
from tests.servers.feed_server import FeedServer, document, raw, rss, silence


async def test_one_request_at_a_time_per_host_with_a_pause_and_hosts_side_by_side() -> None:
    hosts = ("127.0.0.1", "127.0.0.2", "127.0.0.3")
    async with FeedServer(hosts) as server:
        server.routes["/feed"] = raw(HEAD + b"\r\n<rss>", pause=0.05)
        async with Fetcher(replace(OPEN, host_spacing=0.1)) as fetcher:

            async def one(host: str) -> None:
                async with fetcher.fetch(server.url("/feed", host)) as outcome:
                    assert body_of(outcome) == b"<rss>"

            await asyncio.gather(*(one(host) for host in hosts * 3))
        for host in hosts:
            times = [request.at for request in server.requests if request.host.startswith(host + ":")]
            assert len(times) == 3
            assert all(later - earlier >= 0.145 for earlier, later in pairwise(times))
        assert server.most_at_once == 3


async def test_a_silent_host_costs_three_deadlines_and_not_one_for_each_feed_that_failed_before() -> None:
    async with FeedServer(("127.0.0.1", "127.0.0.2")) as server:
        server.routes["/dead"] = silence
        server.routes["/feed"] = document(rss(1))
        async with Fetcher(replace(OPEN, fetch_timeout=0.1)) as fetcher:

            async def one(url: str, *, failed_before: bool = True) -> Fetched | FetchFailed:
                async with fetcher.fetch(url, failed_before=failed_before) as outcome:
                    return outcome

            found = await asyncio.gather(*(one(server.url(f"/dead?{n}")) for n in range(20)))
            kinds = [kind_of(outcome) for outcome in found]
            assert kinds == [FailureKind.TIMEOUT] * 3 + [FailureKind.POSTPONED] * 17
            assert body_of(await one(server.url("/feed", "127.0.0.2"))) == rss(1)
            # What it had the last time is still asked for, and then it is not silent any more.
            assert body_of(await one(server.url("/feed"), failed_before=False)) == rss(1)
            assert kind_of(await one(server.url("/dead"))) is FailureKind.TIMEOUT


async def test_no_fetch_begins_after_the_start_timeout(server: FeedServer) -> None:
    server.routes["/feed"] = document(rss(1))
    async with Fetcher(replace(OPEN, host_spacing=0.2, start_timeout=0.3)) as fetcher:

        async def one() -> Fetched | FetchFailed:
            async with fetcher.fetch(server.url("/feed")) as outcome:
                return outcome

        found = await asyncio.gather(*(one() for _ in range(5)))
    assert [isinstance(outcome, Fetched) for outcome in found] == [True, True, False, False, False]
    assert all(kind_of(outcome) is FailureKind.POSTPONED for outcome in found[2:])


async def test_bodies_in_use_delay_further_fetches() -> None:
    hosts = tuple(f"127.0.0.{n}" for n in range(1, 7))
    async with FeedServer(hosts) as server:
        server.routes["/feed"] = document(rss(1))
        async with Fetcher(replace(OPEN, fetch_at_once=2)) as fetcher:
            working = 0
            most = 0

            async def one(host: str) -> None:
                nonlocal working, most
                async with fetcher.fetch(server.url("/feed", host)) as outcome:
                    assert body_of(outcome)
                    working += 1
                    most = max(most, working)
                    await asyncio.sleep(0.02)
                    working -= 1

            await asyncio.gather(*(one(host) for host in hosts))
            assert most == 2


async def test_waiting_for_memory_does_not_count_against_the_deadline() -> None:
    hosts = tuple(f"127.0.0.{n}" for n in range(1, 9))
    large = b" " * 1_200_000
    few = LARGER_BODIES[-1][1]
    async with FeedServer(hosts) as server:
        server.routes["/quick"] = document(large)
        length = b"Content-Length: %d\r\n\r\n" % (len(large) + 6)
        server.routes["/late"] = raw(HEAD + length + large, b"", b"</rss>", pause=0.3)
        async with Fetcher(replace(OPEN, max_body=2_000_000, fetch_timeout=0.5)) as fetcher:

            async def one(path: str, host: str) -> None:
                async with fetcher.fetch(server.url(path, host)) as outcome:
                    assert body_of(outcome) == large + b"</rss>" * (path == "/late")
                    await asyncio.sleep(0.6)

            quick = [asyncio.create_task(one("/quick", host)) for host in hosts[:few]]
            await asyncio.sleep(0.1)
            await asyncio.gather(*quick, *(one("/late", host) for host in hosts[few:]))


async def test_a_hundred_servers_that_never_answer_delay_nobody() -> None:
    hosts = tuple(f"127.0.1.{n}" for n in range(1, 101))
    async with FeedServer(("127.0.0.1", *hosts)) as server:
        server.routes |= {"/never": silence, "/feed": document(rss(1))}
        async with Fetcher(replace(OPEN, fetch_timeout=30.0)) as fetcher:

            async def one(url: str) -> None:
                async with fetcher.fetch(url) as outcome:
                    assert body_of(outcome) == rss(1)

            stuck = [asyncio.create_task(one(server.url("/never", host))) for host in hosts]
            await asyncio.sleep(0.1)
            await one(server.url("/feed"))
            assert not any(task.done() for task in stuck)
            for task in stuck:
                task.cancel()
            await asyncio.gather(*stuck, return_exceptions=True)


def test_many_small_bodies_are_held_at_once_and_few_larger_ones() -> None:
    few = LARGER_BODIES[-1][1]

    async def run() -> dict[str, int]:
        hosts = tuple(f"127.0.2.{n}" for n in range(1, 11))
        async with FeedServer(hosts) as server:
            server.routes |= {"/small": document(b" " * 90_000), "/large": document(b" " * 1_100_000)}
            most = {"/small": 0, "/large": 0}
            enough = {"/small": few + 1, "/large": few}
            async with Fetcher(replace(OPEN, max_body=2_000_000, fetch_timeout=30.0)) as fetcher:

                async def one(path: str, host: str, held: list[str], full: asyncio.Event) -> None:
                    async with fetcher.fetch(server.url(path, host)) as outcome:
                        assert body_of(outcome)
                        held.append(host)
                        most[path] = max(most[path], len(held))
                        if len(held) >= enough[path]:
                            full.set()
                        await full.wait()
                        await asyncio.sleep(0.1)  # in which one too many could come
                        held.remove(host)

                async with asyncio.timeout(60):
                    for path in most:
                        held: list[str] = []
                        full = asyncio.Event()
                        await asyncio.gather(*(one(path, host, held, full) for host in hosts))
        return most

    most = asyncio.run(run())
    assert most["/large"] == few
    assert most["/small"] > most["/large"]


async def test_a_redirect_frees_its_memory_while_it_waits_for_another_host() -> None:
    async with FeedServer(("127.0.0.1", "127.0.0.2")) as server:
        target = server.url("/feed", "127.0.0.2").encode()
        server.routes["/feed"] = document(rss(1))
        server.routes["/away"] = raw(b"HTTP/1.1 302 Found\r\n", b"Location: " + target + b"\r\n\r\n", pause=0.1)
        async with Fetcher(replace(OPEN, fetch_at_once=1)) as fetcher:

            async def one(url: str) -> None:
                async with fetcher.fetch(url) as outcome:
                    assert body_of(outcome) == rss(1)

            async with asyncio.timeout(60):
                await asyncio.gather(one(server.url("/away")), one(server.url("/feed", "127.0.0.2")))
