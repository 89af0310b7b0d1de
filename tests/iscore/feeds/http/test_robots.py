"""robots.txt: what it means (RFC 9309), and that a hostile one stops only itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from iscore.feeds.http.fetch import Fetcher
from iscore.feeds.http.robots import Robots, RobotsCache
from iscore.feeds.parsing.jobs import Permission, RobotsJob
from iscore.feeds.parsing.pages import permission
from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.poll_settings import PollSettings
from tests.new_database import new_database
from tests.servers.feed_server import Behaviour, FeedServer, document, raw, redirect, silence, status

SETTINGS = PollSettings(
    fetch_timeout=0.6, host_spacing=0.0, allow_private_networks=True, user_agent="iscore/1.2 (news filter; +me)"
)
NOT_US = "User-agent: *\nDisallow: /\n"


def allowed(rules: str, path: str = "/news/1.html?a=b") -> bool:
    return not permission(RobotsJob(rules.encode(), "iscore/1.2", f"https://news.example{path}")).refusal


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("", True),
        (NOT_US, False),
        ("User-agent: *\nDisallow:\n", True),
        ("Disallow: /\n", True),  # a rule of no group
        # Groups: ours wins over all others, whatever the order, and its parts belong together.
        (NOT_US + "User-agent: iscore\nAllow: /\n", True),
        ("User-agent: ISCORE\nDisallow: /news\nUser-agent: *\nAllow: /\n", False),
        ("User-agent: other\nUser-agent: iscore\nDisallow: /news\n", False),
        ("User-agent: iscore\nDisallow: /x\n\nUser-agent: iscore\nDisallow: /news\n", False),
        ("User-agent: otheriscore\nDisallow: /\n", True),
        ("User-agent: iscore/1.2\nDisallow: /\n", False),
        # The longest match wins; of equals, allow.
        ("User-agent: *\nDisallow: /\nAllow: /news/\n", True),
        ("User-agent: *\nAllow: /news/\nDisallow: /news/1\n", False),
        ("User-agent: *\nDisallow: /news\nAllow: /news\n", True),
        # Wildcards, ends, case, encoding.
        ("User-agent: *\nDisallow: /*.html$\n", True),
        ("User-agent: *\nDisallow: /*.html?a=\n", False),
        ("User-agent: *\nDisallow: /NEWS\n", True),
        ("User-agent: *\nDisallow: /n%65ws\n", False),
        ("\ufeffUser-agent: *  # all\r\nDisallow: /news # no\r\n", False),
        ("<html><body>Not here</body></html>", True),
    ],
)
def test_rules_are_read_as_the_standard_says(rules: str, expected: bool) -> None:
    assert allowed(rules) is expected


@pytest.mark.parametrize(
    ("line", "delay"),
    [("", 0), ("Crawl-delay: 2.5", 2.5), ("Crawl-delay: soon", 0), ("Crawl-delay: -3", 0), ("Request-rate: 1/5s", 5)],
)
def test_the_pause_that_a_site_asks_for(line: str, delay: float) -> None:
    job = RobotsJob(f"User-agent: *\n{line}\nDisallow: /x\n".encode(), "iscore/1.2", "https://news.example/")
    assert permission(job) == Permission("", delay)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[RobotsCache]:
    with new_database(tmp_path / "iscore.db") as database:
        yield RobotsCache(database, lambda: datetime(2026, 3, 2, 8, 0, tzinfo=UTC))


Asked = Callable[..., tuple[list[Permission], int]]


@pytest.fixture
def asked(cache: RobotsCache, runner: asyncio.Runner, pool: ParserPool) -> Asked:
    """What a site with this robots.txt answers for some paths; and how often the file was asked for."""

    async def ask(behaviour: Behaviour | None, *paths: str) -> tuple[list[Permission], int]:
        async with FeedServer() as server, Fetcher(SETTINGS) as fetcher:
            if behaviour is not None:
                server.routes["/robots.txt"] = behaviour
            robots = Robots(fetcher, pool, cache, SETTINGS.user_agent)
            answers = await asyncio.gather(*(robots.permission(server.url(path)) for path in paths))
            assert not {"cookie", "referer"} & {name for request in server.requests for name in request.headers}
            return list(answers), len(server.asked("/robots.txt"))

    return lambda behaviour, *paths: runner.run(ask(behaviour, *paths))


def test_the_file_is_fetched_once_for_all_pages_of_a_site(asked: Asked) -> None:
    rules = document(b"User-agent: iscore\nDisallow: /no\nCrawl-delay: 3\n", Content_Type="text/plain")
    (no, yes, other), times = asked(rules, "/no/1", "/yes/1?q", "/yes/2")
    assert (no.refusal, yes, other) == ("the site's robots.txt does not allow it", Permission("", 3), Permission("", 3))
    assert times == 1


@pytest.mark.parametrize("behaviour", [None, status(401), status(403), status(410)])
def test_no_file_allows_everything(asked: Asked, behaviour: Behaviour | None) -> None:
    assert asked(behaviour, "/a", "/b") == ([Permission()] * 2, 1)


@pytest.mark.parametrize("behaviour", [status(500), status(503), status(429), silence, raw(b"SSH-2.0\r\n\r\n")])
def test_a_failing_server_allows_nothing_and_is_not_asked_again(asked: Asked, behaviour: Behaviour) -> None:
    (first, second), times = asked(behaviour, "/a", "/b")
    assert first.refusal.startswith("cannot get the site's robots.txt: ")
    assert second == first
    assert times == 1


def test_an_unreachable_server_allows_nothing(cache: RobotsCache) -> None:
    async def run() -> Permission:
        async with ParserPool(1) as pool, Fetcher(replace(SETTINGS, allow_private_networks=False)) as fetcher:
            return await Robots(fetcher, pool, cache, SETTINGS.user_agent).permission("http://127.0.0.1:1/page")

    assert "private network" in asyncio.run(run()).refusal


async def test_a_file_is_used_for_a_day_and_a_failure_is_not(tmp_path: Path, pool: ParserPool) -> None:
    now = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
    with new_database(tmp_path / "iscore.db") as database:
        async with FeedServer() as server:

            async def next_poll() -> tuple[bool, int]:
                async with Fetcher(SETTINGS) as fetcher:
                    robots = Robots(fetcher, pool, RobotsCache(database, lambda: now), SETTINGS.user_agent)
                    answer = await robots.permission(server.url("/page"))
                return not answer.refusal, len(server.asked("/robots.txt"))

            server.routes["/robots.txt"] = status(500)
            assert await next_poll() == (False, 1)
            server.routes["/robots.txt"] = document(NOT_US.encode(), Content_Type="text/plain")
            assert await next_poll() == (False, 2)
            del server.routes["/robots.txt"]
            now += timedelta(hours=23, minutes=59)
            assert await next_poll() == (False, 2)
            now += timedelta(minutes=1)
            assert await next_poll() == (True, 3)
            assert await next_poll() == (True, 3)
            now -= timedelta(days=300)  # a clock that was ahead
            assert await next_poll() == (True, 4)


def test_redirects_are_followed(cache: RobotsCache, runner: asyncio.Runner, pool: ParserPool) -> None:
    async def run() -> Permission:
        async with FeedServer() as server, Fetcher(SETTINGS) as fetcher:
            server.routes["/robots.txt"] = redirect("/elsewhere")
            server.routes["/elsewhere"] = document(NOT_US.encode(), Content_Type="text/plain")
            return await Robots(fetcher, pool, cache, SETTINGS.user_agent).permission(server.url("/page"))

    assert "does not allow" in runner.run(run()).refusal


@pytest.mark.parametrize("pack", [False, True])
def test_only_the_first_half_megabyte_is_read(asked: Asked, pack: bool) -> None:
    filler = b"# nothing\n" * 51_000
    late = document(filler + b"#" * 2000 + b"\nUser-agent: *\nDisallow: /\n" + filler * 3, pack=pack)
    early = document(NOT_US.encode() + filler * 4, pack=pack)
    assert asked(late, "/a")[0] == [Permission()]
    assert "does not allow" in asked(early, "/a")[0][0].refusal


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("".join(f"User-agent: a{n}\n" for n in range(14_000)) + "Disallow: /\n" * 18_000, True),
        (NOT_US + f"Allow: {'/*a' * 160_000}b$\n", False),
        (NOT_US + "Allow: /*a*a*a*a*a*a*b\n" * 20_000, False),
    ],
    ids=["agents", "a long rule", "many rules"],
)
def test_a_hostile_file_is_read_in_linear_time(rules: str, expected: bool) -> None:
    began = time.process_time()
    assert allowed(rules, "/" + 3900 * "a") is expected
    assert time.process_time() - began < 5
