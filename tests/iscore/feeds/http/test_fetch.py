"""Fetching against a real server on the loopback: HOSTILE.md, section A."""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
import subprocess
import tracemalloc
import zlib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from iscore.feeds.http.decompression import Body, TooLargeError
from iscore.feeds.http.fetch import LARGER_BODIES, Fetcher
from iscore.feeds.http.outcomes import FailureKind, Fetched, FetchFailed
from iscore.feeds.poll_settings import PollSettings, user_agent
from tests.servers.feed_server import Behaviour, FeedServer, document, raw, redirect, rss, silence, status

OPEN = PollSettings(fetch_timeout=0.6, host_spacing=0.0, max_body=100_000, allow_private_networks=True)
CLOSED = replace(OPEN, allow_private_networks=False)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n"


async def ask(settings: PollSettings, url: str, **conditions: str) -> Fetched | FetchFailed:
    async with Fetcher(settings) as fetcher, fetcher.fetch(url, **conditions) as outcome:
        return outcome


def serving(behaviour: Behaviour, settings: PollSettings = OPEN, **conditions: str) -> Fetched | FetchFailed:
    """Ask once for a feed that behaves so."""

    async def run() -> Fetched | FetchFailed:
        async with FeedServer() as server:
            server.routes["/feed"] = behaviour
            return await ask(settings, server.url("/feed"), **conditions)

    return asyncio.run(run())


def body_of(outcome: Fetched | FetchFailed) -> bytes | None:
    assert isinstance(outcome, Fetched), outcome
    return outcome.body


def kind_of(outcome: Fetched | FetchFailed) -> FailureKind:
    assert isinstance(outcome, FetchFailed), outcome
    assert outcome.reason
    assert outcome.reason.isprintable()
    return outcome.kind


def test_a_document_comes_with_what_scheduling_needs() -> None:
    outcome = serving(document(rss(2), pack=True, ETag='"a"', Last_Modified="then", Cache_Control="max-age=9", Age="2"))
    assert isinstance(outcome, Fetched)
    assert outcome.body == rss(2)
    assert (outcome.etag, outcome.last_modified) == ('"a"', "then")
    assert (outcome.freshness.cache_control, outcome.freshness.age) == ("max-age=9", "2")
    assert outcome.content_type == "application/rss+xml"
    assert outcome.moved_to == ""


def test_validators_go_back_byte_for_byte_and_nothing_is_made_up() -> None:
    async def run() -> None:
        async with FeedServer() as server:
            etag = 'W/"\xc3\xa9 , odd"'  # latin-1 of two bytes that are one letter in UTF-8
            server.routes["/feed"] = document(rss(1), ETag=etag, Last_Modified="Yesterday, or so")
            first = await ask(OPEN, server.url("/feed?a=%7e&b=c+d"))
            assert isinstance(first, Fetched)
            assert first.etag == etag
            second = await ask(OPEN, server.url("/feed"), etag=first.etag, last_modified=first.last_modified or "")
            assert body_of(second) is None
            assert "if-none-match" not in server.requests[0].headers
            assert server.requests[0].path == "/feed?a=%7e&b=c+d"
            assert server.requests[1].headers["if-none-match"] == etag
            assert server.requests[1].headers["if-modified-since"] == "Yesterday, or so"
            assert not {"cookie", "referer"} & set(server.requests[1].headers)

    asyncio.run(run())


def test_says_truthfully_who_asks() -> None:
    async def run() -> None:
        async with FeedServer() as server:
            settings = replace(OPEN, user_agent=user_agent("1.2", "https://me.example/\r\nX: y (z)"))
            await ask(settings, server.url("/"))
            assert server.requests[0].headers["user-agent"] == "iscore/1.2 (news filter; +https://me.example/X: y z)"
            assert server.requests[0].headers["accept-encoding"] == "gzip, deflate"

    asyncio.run(run())


def test_cookies_are_not_kept() -> None:
    async def run() -> None:
        async with FeedServer() as server:
            server.routes["/feed"] = document(rss(1), Set_Cookie="a=b")
            async with Fetcher(OPEN) as fetcher:
                for _ in range(2):
                    async with fetcher.fetch(server.url("/feed")):
                        pass
            assert "cookie" not in server.requests[1].headers

    asyncio.run(run())


@pytest.mark.parametrize(
    "behaviour",
    [
        silence,
        raw(b"HTTP/1.1 200 OK\r\n", *[b"X-%d: y\r\n" % n for n in range(50)], pause=0.05),
        raw(HEAD + b"\r\n", *[b"<"] * 50, pause=0.05),
        raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", *[b"1\r\n<\r\n"] * 50, pause=0.05),
        raw(b"HTTP/1.1 100 Continue\r\n\r\n", pause=0.001, forever=True),
    ],
    ids=["silent", "dripping headers", "dripping body", "dripping chunks", "endless 100 Continue"],
)
def test_slow_answers_end_at_the_total_deadline(behaviour: Behaviour) -> None:
    assert kind_of(serving(behaviour)) is FailureKind.TIMEOUT


@pytest.mark.parametrize(
    "behaviour",
    [
        raw(HEAD + b"\r\n", b"x" * 10_000, forever=True),
        raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"2710\r\n" + b"x" * 10_000 + b"\r\n", forever=True),
        raw(HEAD + b"Content-Length: 99999999999\r\n\r\n", pause=5),
        document(b" " * 100_001),
        document(b"\0" * (1 << 18), pack=True),
    ],
    ids=["endless", "endless chunks", "announced", "one too many", "gzip bomb"],
)
def test_large_answers_end_at_the_limit_on_decoded_bytes(behaviour: Behaviour) -> None:
    assert kind_of(serving(behaviour, replace(OPEN, fetch_timeout=5.0))) is FailureKind.TOO_LARGE


def test_a_document_of_exactly_the_cap_passes() -> None:
    assert body_of(serving(document(b" " * 100_000, pack=True))) == b" " * 100_000


PACKED = gzip.compress(rss(3))


@pytest.mark.parametrize(
    "answer",
    [
        b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % (len(PACKED) - 9) + PACKED[:-9],
        b"Content-Encoding: gzip\r\n\r\n" + rss(3),
        b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(PACKED),
        b"Content-Encoding: gzip, gzip\r\n\r\n" + gzip.compress(PACKED),
        b"Content-Encoding: br\r\n\r\n" + rss(3),
        b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"") * 100,
        b"Content-Length: 500\r\n\r\n<rss>",
        b"Transfer-Encoding: chunked\r\n\r\n5\r\n<rss>\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nzz\r\n<rss>\r\n",
    ],
    ids=["truncated", "plain", "twice", "twice, said so", "brotli", "members", "short", "chunk missing", "no chunk"],
)
def test_broken_bodies_are_errors_and_never_half_documents(answer: bytes) -> None:
    assert kind_of(serving(raw(HEAD + answer))) is FailureKind.BROKEN


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        (b"gzip", PACKED),
        (b"x-gzip", gzip.compress(rss(3)[:50]) + gzip.compress(rss(3)[50:])),
        (b"GZIP", PACKED + b"trailing"),
        (b"deflate", zlib.compress(rss(3))),
        (b"deflate", zlib.compress(rss(3))[2:-4]),
        (b"identity", rss(3)),
    ],
    ids=["gzip", "members", "trailing bytes", "zlib", "raw deflate", "identity"],  # packed bytes hold the time
)
def test_every_usual_packing_is_undone(coding: bytes, body: bytes) -> None:
    assert body_of(serving(raw(HEAD + b"Content-Encoding: " + coding + b"\r\n\r\n" + body))) == rss(3)


@pytest.mark.parametrize(
    "noise",
    [
        b"\0\0\0\0\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"SSH-2.0-OpenSSH_9\r\n",
        b"",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
        HEAD + b"X: a\0b\r\n\r\n",
    ],
)
def test_what_is_no_http_is_an_error(noise: bytes) -> None:
    assert kind_of(serving(raw(noise))) is FailureKind.BROKEN


@pytest.mark.parametrize("code", [204, 400, 403, 404, 410, 429, 500, 503, 304])
def test_other_answers_are_failures_with_their_status(code: int) -> None:
    outcome = serving(status(code, Retry_After="7"))
    assert kind_of(outcome) is FailureKind.STATUS
    assert isinstance(outcome, FetchFailed)
    assert (outcome.status, outcome.retry_after) == (code, "7")
    assert str(code) in outcome.reason


def test_redirects_are_followed_and_permanence_needs_every_hop() -> None:
    async def run() -> None:
        async with FeedServer() as server:
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

    asyncio.run(run())


def test_redirect_loops_and_long_chains_end() -> None:
    async def run() -> None:
        async with FeedServer() as server:
            server.routes["/a"], server.routes["/b"] = redirect("/b"), redirect("/a")
            assert kind_of(await ask(OPEN, server.url("/a"))) is FailureKind.REFUSED
            assert len(server.requests) == 2
            server.requests.clear()
            for n in range(50):
                server.routes[f"/{n}"] = redirect(f"/{n + 1}")
            assert kind_of(await ask(OPEN, server.url("/0"))) is FailureKind.REFUSED
            assert len(server.requests) == 11

    asyncio.run(run())


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "gopher://a.example/", "javascript:alert(1)", "http://", "//[bad/", "http://a b/"]
)
def test_redirects_to_other_schemes_and_nonsense_are_refused(target: str) -> None:
    assert kind_of(serving(redirect(target))) is FailureKind.REFUSED


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "0", "[::ffff:127.0.0.1]"])
def test_the_private_network_sees_no_connection(host: str) -> None:
    async def run() -> None:
        async with FeedServer() as canary:
            outcome = await ask(CLOSED, f"http://{host}:{canary.port}/feed")
            assert kind_of(outcome) is FailureKind.REFUSED
            assert isinstance(outcome, FetchFailed)
            by_spelling = host in ("127.1", "2130706433", "0")  # aiohttp itself takes no such numbers
            assert by_spelling or "allow_private_networks" in outcome.reason
            assert canary.connections == 0

    asyncio.run(run())


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


def test_a_name_that_changes_its_mind_does_not_reach_the_private_network() -> None:
    async def run() -> None:
        async with FeedServer() as canary:
            names = _Answers(["127.0.0.1", "10.0.0.1"], ["127.0.0.1"])
            async with Fetcher(CLOSED, resolver=names) as fetcher:
                for host in ("one.example", "two.example"):
                    async with fetcher.fetch(f"http://{host}:{canary.port}/") as outcome:
                        assert kind_of(outcome) is FailureKind.REFUSED
            assert names.answers == []
            assert canary.connections == 0

    asyncio.run(run())


def test_nobody_listening_and_unknown_names_are_readable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        refused = asyncio.run(ask(OPEN, f"http://127.0.0.1:{taken.getsockname()[1]}/"))
    assert refused == FetchFailed(FailureKind.UNREACHABLE, "connection refused")
    unknown = asyncio.run(ask(replace(OPEN, fetch_timeout=20), "http://no-such-name.invalid/"))
    assert unknown == FetchFailed(FailureKind.UNREACHABLE, "no such host")


def test_a_certificate_that_proves_nothing_is_an_error_and_nothing_is_sent(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
         "-subj", "/CN=localhost", "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )  # fmt: skip
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)

    async def run() -> None:
        async with FeedServer(tls=tls) as server:
            server.routes["/feed"] = document(rss(1))
            outcome = await ask(OPEN, server.url("/feed", "localhost"))
            assert kind_of(outcome) is FailureKind.INSECURE
            assert isinstance(outcome, FetchFailed)
            assert "certificate" in outcome.reason
            assert server.requests == []

    asyncio.run(run())


def test_a_password_in_the_address_works_stays_at_its_server_and_is_not_shown() -> None:
    async def run() -> None:
        async with FeedServer(("127.0.0.1", "127.0.0.2")) as server:
            server.routes["/feed"] = redirect("/moved")
            server.routes["/moved"] = redirect(server.url("/away", "127.0.0.2"))
            server.routes["/away"] = status(403)
            outcome = await ask(OPEN, server.url("/feed").replace("//", "//me:secret@"))
            sent = [request.headers.get("authorization", "") for request in server.requests]
            assert sent == ["Basic bWU6c2VjcmV0"] * 2 + [""]
            assert "secret" not in repr(outcome)

    asyncio.run(run())


def test_one_request_at_a_time_per_host_with_a_pause_and_hosts_side_by_side() -> None:
    async def run() -> None:
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

    asyncio.run(run())


def test_a_silent_host_costs_three_deadlines_and_not_one_for_each_feed_that_failed_before() -> None:
    async def run() -> None:
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

    asyncio.run(run())


def test_no_fetch_begins_after_the_start_timeout() -> None:
    async def run() -> None:
        async with FeedServer() as server:
            server.routes["/feed"] = document(rss(1))
            async with Fetcher(replace(OPEN, host_spacing=0.2, start_timeout=0.3)) as fetcher:

                async def one() -> Fetched | FetchFailed:
                    async with fetcher.fetch(server.url("/feed")) as outcome:
                        return outcome

                found = await asyncio.gather(*(one() for _ in range(5)))
            assert [isinstance(outcome, Fetched) for outcome in found] == [True, True, False, False, False]
            assert all(kind_of(outcome) is FailureKind.POSTPONED for outcome in found[2:])

    asyncio.run(run())


def test_bodies_in_use_delay_further_fetches() -> None:
    async def run() -> None:
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

    asyncio.run(run())


def test_waiting_for_memory_does_not_count_against_the_deadline() -> None:
    async def run() -> None:
        hosts = tuple(f"127.0.0.{n}" for n in range(1, 9))
        large = b" " * 1_200_000
        few = LARGER_BODIES[-1][1]
        async with FeedServer(hosts) as server:
            server.routes["/quick"] = document(large)
            length = b"Content-Length: %d\r\n\r\n" % (len(large) + 6)
            server.routes["/late"] = raw(HEAD + length + large, b"", b"</rss>", pause=0.65)
            async with Fetcher(replace(OPEN, max_body=2_000_000, fetch_timeout=1.0)) as fetcher:

                async def one(path: str, host: str) -> None:
                    async with fetcher.fetch(server.url(path, host)) as outcome:
                        assert body_of(outcome) == large + b"</rss>" * (path == "/late")
                        await asyncio.sleep(1.2)

                quick = [asyncio.create_task(one("/quick", host)) for host in hosts[:few]]
                await asyncio.sleep(0.1)
                await asyncio.gather(*quick, *(one("/late", host) for host in hosts[few:]))

    asyncio.run(run())


def test_a_hundred_servers_that_never_answer_delay_nobody() -> None:
    async def run() -> None:
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

    asyncio.run(run())


def test_many_small_bodies_are_held_at_once_and_few_larger_ones() -> None:
    async def run() -> dict[str, int]:
        hosts = tuple(f"127.0.2.{n}" for n in range(1, 11))
        async with FeedServer(hosts) as server:
            server.routes |= {"/small": document(b" " * 90_000), "/large": document(b" " * 1_100_000)}
            most = {"/small": 0, "/large": 0}
            async with Fetcher(replace(OPEN, max_body=2_000_000, fetch_timeout=30.0)) as fetcher:

                async def one(path: str, host: str, held: list[str]) -> None:
                    async with fetcher.fetch(server.url(path, host)) as outcome:
                        assert body_of(outcome)
                        held.append(host)
                        most[path] = max(most[path], len(held))
                        await asyncio.sleep(1.0)
                        held.remove(host)

                for path in most:
                    held: list[str] = []
                    await asyncio.gather(*(one(path, host, held) for host in hosts))
        return most

    most = asyncio.run(run())
    assert most["/large"] == LARGER_BODIES[-1][1]
    assert most["/small"] > most["/large"]


def test_a_redirect_frees_its_memory_while_it_waits_for_another_host() -> None:
    async def run() -> None:
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

    asyncio.run(run())


def test_a_bomb_is_never_unpacked_beyond_the_cap() -> None:
    bomb = gzip.compress(bytes(1 << 26))
    body = Body("gzip", 100_000)
    tracemalloc.start()
    try:
        with pytest.raises(TooLargeError):
            body.add(bomb[:60_000])
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
