"""Fetching against a real server on the loopback: docs/reliability.md, section A."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import replace

import pytest

from iscore.feeds.http.fetch import Fetcher
from iscore.feeds.http.outcomes import FailureKind, Fetched, FetchFailed
from iscore.feeds.poll_settings import user_agent
from tests.iscore.feeds.http.fetching import HEAD, OPEN, ask, body_of, kind_of, serving
from tests.servers.feed_server import Behaviour, FeedServer, document, raw, rss, silence, status


def test_a_document_comes_with_what_scheduling_needs() -> None:
    outcome = serving(document(rss(2), pack=True, ETag='"a"', Last_Modified="then", Cache_Control="max-age=9", Age="2"))
    assert isinstance(outcome, Fetched)
    assert outcome.body == rss(2)
    assert (outcome.etag, outcome.last_modified) == ('"a"', "then")
    assert (outcome.freshness.cache_control, outcome.freshness.age) == ("max-age=9", "2")
    assert outcome.content_type == "application/rss+xml"
    assert outcome.moved_to == ""


async def test_validators_go_back_byte_for_byte_and_nothing_is_made_up(server: FeedServer) -> None:
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


async def test_says_truthfully_who_asks(server: FeedServer) -> None:
    settings = replace(OPEN, user_agent=user_agent("1.2", "https://me.example/\r\nX: y (z)"))
    await ask(settings, server.url("/"))
    assert server.requests[0].headers["user-agent"] == "iscore/1.2 (news filter; +https://me.example/X: y z)"
    assert server.requests[0].headers["accept-encoding"] == "gzip, deflate"


async def test_cookies_are_not_kept(server: FeedServer) -> None:
    server.routes["/feed"] = document(rss(1), Set_Cookie="a=b")
    async with Fetcher(OPEN) as fetcher:
        for _ in range(2):
            async with fetcher.fetch(server.url("/feed")):
                pass
    assert "cookie" not in server.requests[1].headers


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
