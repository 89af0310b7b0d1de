"""Where a fetch goes: redirects, private networks, names, certificates and passwords."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from iscore.feeds.http.fetch import Fetcher
from iscore.feeds.http.outcomes import FailureKind, Fetched, FetchFailed
from tests.iscore.feeds.http.fetching import CLOSED, OPEN, ask, kind_of, serving
from tests.servers.feed_server import FeedServer, document, redirect, rss, status
from tests.servers.mail_server import certificate, tls_context


async def test_redirects_are_followed_and_permanence_needs_every_hop(server: FeedServer) -> None:
    server.routes["/feed"] = document(rss(1))
    server.routes["/301"] = redirect("/feed", 301)
    server.routes["/308"] = redirect(server.url("/301"), 308)
    server.routes["/302"] = redirect("/301", 302)
    server.routes["/307"] = redirect("301", 307)
    for path, moved in (("/301", True), ("/308", True), ("/302", False), ("/307", False)):
        outcome = await ask(OPEN, server.url(path))
        assert isinstance(outcome, Fetched)
        assert outcome.body == rss(1)
        assert outcome.final_url == server.url("/feed")
        assert outcome.moved_to == (server.url("/feed") if moved else "")


async def test_redirect_loops_and_long_chains_end(server: FeedServer) -> None:
    server.routes["/a"], server.routes["/b"] = redirect("/b"), redirect("/a")
    assert kind_of(await ask(OPEN, server.url("/a"))) is FailureKind.REFUSED
    assert len(server.requests) == 2
    server.requests.clear()
    for n in range(50):
        server.routes[f"/{n}"] = redirect(f"/{n + 1}")
    assert kind_of(await ask(OPEN, server.url("/0"))) is FailureKind.REFUSED
    assert len(server.requests) == 11


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "gopher://a.example/", "javascript:alert(1)", "http://", "//[bad/", "http://a b/"]
)
def test_redirects_to_other_schemes_and_nonsense_are_refused(target: str) -> None:
    assert kind_of(serving(redirect(target))) is FailureKind.REFUSED


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "0", "[::ffff:127.0.0.1]"])
async def test_the_private_network_sees_no_connection(host: str) -> None:
    async with FeedServer() as canary:
        outcome = await ask(CLOSED, f"http://{host}:{canary.port}/feed")
        assert kind_of(outcome) is FailureKind.REFUSED
        assert isinstance(outcome, FetchFailed)
        by_spelling = host in ("127.1", "2130706433", "0")  # aiohttp itself takes no such numbers
        assert by_spelling or "private_hosts" in outcome.reason
        assert canary.connections == 0


async def test_only_the_named_hosts_of_a_private_network_are_asked() -> None:
    async with FeedServer() as named, FeedServer() as canary:
        named.routes |= {"/feed": document(rss(1)), "/away": redirect(canary.url("/feed"))}
        settings = replace(CLOSED, private_hosts=frozenset({f"127.0.0.1:{named.port}"}))
        assert isinstance(await ask(settings, named.url("/feed")), Fetched)
        for url in (canary.url("/feed"), named.url("/away"), f"http://localhost:{named.port}/feed"):
            assert kind_of(await ask(settings, url)) is FailureKind.REFUSED, url
        assert canary.connections == 0
        assert kind_of(await ask(settings.for_public(), named.url("/feed"))) is FailureKind.REFUSED


class _Answers(AbstractResolver):
    """A name server of one's own: the answers it gives, one after the other."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,  # noqa: ARG002 -- aiohttp gives it
    ) -> list[ResolveResult]:
        return [
            ResolveResult(hostname=host, host=ip, port=port, family=socket.AF_INET, proto=6, flags=0)
            for ip in self.answers.pop(0)
        ]

    async def close(self) -> None:
        pass


async def test_a_name_that_changes_its_mind_does_not_reach_the_private_network() -> None:
    async with FeedServer() as canary:
        names = _Answers(["127.0.0.1", "10.0.0.1"], ["127.0.0.1"])
        async with Fetcher(CLOSED, resolver=names) as fetcher:
            for host in ("one.example", "two.example"):
                async with fetcher.fetch(f"http://{host}:{canary.port}/") as outcome:
                    assert kind_of(outcome) is FailureKind.REFUSED
        assert names.answers == []
        assert canary.connections == 0


def test_nobody_listening_and_unknown_names_are_readable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        refused = asyncio.run(ask(OPEN, f"http://127.0.0.1:{taken.getsockname()[1]}/"))
    assert refused == FetchFailed(FailureKind.UNREACHABLE, "connection refused")
    unknown = asyncio.run(ask(replace(OPEN, fetch_timeout=20), "http://no-such-name.invalid/"))
    assert unknown == FetchFailed(FailureKind.UNREACHABLE, "no such host")


async def test_a_certificate_that_proves_nothing_is_an_error_and_nothing_is_sent(tmp_path: Path) -> None:
    tls = tls_context(certificate(tmp_path))
    async with FeedServer(tls=tls) as server:
        server.routes["/feed"] = document(rss(1))
        outcome = await ask(OPEN, server.url("/feed", "localhost"))
        assert kind_of(outcome) is FailureKind.INSECURE
        assert isinstance(outcome, FetchFailed)
        assert "certificate" in outcome.reason
        assert server.requests == []


async def test_a_password_in_the_address_works_stays_at_its_server_and_is_not_shown() -> None:
    async with FeedServer(("127.0.0.1", "127.0.0.2")) as server:
        server.routes["/feed"] = redirect("/moved")
        server.routes["/moved"] = redirect(server.url("/away", "127.0.0.2"))
        server.routes["/away"] = status(403)
        outcome = await ask(OPEN, server.url("/feed").replace("//", "//me:secret@"))
        sent = [request.headers.get("authorization", "") for request in server.requests]
        assert sent == ["Basic bWU6c2VjcmV0"] * 2 + [""]
        assert "secret" not in repr(outcome)
