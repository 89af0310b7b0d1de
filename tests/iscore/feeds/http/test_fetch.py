"""Fetching against a real server on the loopback: docs/reliability.md, section A."""

from __future__ import annotations

import gzip
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import replace

import brotli
import pytest

from iscore.feeds.http.decompression import Body, CodingError, TooLargeError
from iscore.feeds.http.fetch import Fetcher
from iscore.feeds.http.outcomes import FailureKind, Fetched, FetchFailed
from iscore.feeds.poll_settings import user_agent
from tests.iscore.feeds.http.fetching import HEAD, OPEN, ask, body_of, kind_of, serving
from tests.servers.feed_server import Behaviour, FeedServer, document, raw, rss, silence, status

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda body: brotli.compress(body, quality=5),
    "zstd": zstd.compress,
    "": gzip.compress,  # a file of gzip
}


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
    assert server.requests[0].headers["accept-encoding"] == "gzip, deflate, br, zstd"


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


PACKED = gzip.compress(rss(3), mtime=0)


@pytest.mark.parametrize(
    "answer",
    [
        b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % (len(PACKED) - 9) + PACKED[:-9],
        b"Content-Encoding: gzip\r\n\r\n" + rss(3),
        b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(PACKED, mtime=0),
        b"Content-Encoding: gzip, gzip\r\n\r\n" + gzip.compress(PACKED, mtime=0),
        b"Content-Encoding: br, gzip\r\n\r\n" + rss(3),
        b"Content-Encoding: br\r\n\r\n" + rss(3),
        b"Content-Encoding: br\r\n\r\n" + brotli.compress(rss(3))[:-9],
        b"Content-Encoding: zstd\r\n\r\n" + rss(3),
        b"Content-Encoding: zstd\r\n\r\n" + zstd.compress(rss(3))[:-9],
        b"Content-Encoding: compress\r\n\r\n\x1f\x9d\x90<rss>",
        b"Content-Encoding: utf-8\r\n\r\nNo feed and no page",
        b"\r\n" + PACKED[:-9],
        b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"", mtime=0) * 100,
        b"Content-Length: 500\r\n\r\n<rss>",
        b"Transfer-Encoding: chunked\r\n\r\n5\r\n<rss>\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nzz\r\n<rss>\r\n",
    ],
)
def test_broken_bodies_are_errors_and_never_half_documents(answer: bytes) -> None:
    assert kind_of(serving(raw(HEAD + answer))) is FailureKind.BROKEN


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        (b"gzip", PACKED),
        (b"x-gzip", gzip.compress(rss(3)[:50], mtime=0) + gzip.compress(rss(3)[50:], mtime=0)),
        (b"GZIP", PACKED + b"trailing"),
        (b"deflate", zlib.compress(rss(3))),
        (b"deflate", zlib.compress(rss(3))[2:-4]),
        (b"identity", rss(3)),
        (b"br", brotli.compress(rss(3))),
        (b"zstd", zstd.compress(rss(3))),
        (b"zstd", zstd.compress(rss(3)[:50]) + zstd.compress(rss(3)[50:]) + b"trailing"),
        (b"aws-chunked, gzip", PACKED),
        (b"utf-8", rss(3)),
        (b"UTF-8, none", rss(3)),
        (b"aws-chunked", rss(3)),
        (b"binary", rss(3)),
        (b"", rss(3)),
        (b"", PACKED),
        (b"identity", PACKED),
    ],
    ids=str,
)
def test_every_usual_packing_is_undone(coding: bytes, body: bytes) -> None:
    assert body_of(serving(raw(HEAD + b"Content-Encoding: " + coding + b"\r\n\r\n" + body))) == rss(3)


def fill(body: Body, packed: bytes, size: int) -> None:
    for start in range(0, len(packed), size):
        body.add(packed[start : start + size])


@pytest.mark.parametrize("coding", PACKERS)
def test_a_bomb_is_never_unpacked_beyond_the_cap(coding: str) -> None:
    bomb = PACKERS[coding](bytes(1 << 24))
    for size in (len(bomb), 1000, 7):
        body = Body(coding, 100_000)
        tracemalloc.start()
        try:
            with pytest.raises(TooLargeError):
                fill(body, bomb, size)
            assert tracemalloc.get_traced_memory()[1] < 1_000_000
            assert len(body.beginning()) <= 100_000
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("coding", PACKERS)
def test_pieces_of_any_size_are_put_together(coding: str) -> None:
    packed = PACKERS[coding](rss(300))
    body = Body(coding, 100_000)
    fill(body, packed, 1)
    assert body.finish() == rss(300)


def test_a_window_of_zstd_beyond_the_standard_is_refused() -> None:
    packer = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 24})
    with pytest.raises(CodingError):
        Body("zstd", 100_000).add(packer.compress(rss(3)) + packer.flush())


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


def page(title: str, body: str = "") -> bytes:
    return f"<!DOCTYPE html><html><head><TITLE>{title}</TITLE></head><body>{body}</body></html>".encode()


@pytest.mark.parametrize(
    ("code", "extra", "body", "service"),
    [
        (403, "cf-mitigated: challenge", page("Hold on"), "Cloudflare"),
        (503, "", page("Just a moment...", "<script>window._cf_chl_opt={}</script>"), "Cloudflare"),
        (403, "Content-Encoding: br", brotli.compress(page("Attention Required! | Cloudflare")), "Cloudflare"),
        (403, "", page("DDoS-Guard"), "DDoS-Guard"),
        (200, "", page("Making sure you&#39;re not a bot!", '<script id="anubis_challenge">{}'), "Anubis"),
        (202, "x-amzn-waf-action: challenge", page(""), "AWS WAF"),
        (403, "", page("site.example", "<script src='https://ct.captcha-delivery.com/c.js'>"), "DataDome"),
        (429, "x-vercel-mitigated: challenge", page("Vercel Security Checkpoint"), "Vercel"),
        (200, "", page("", "<iframe>Request unsuccessful. Incapsula incident ID: 7-7"), "Imperva"),
        (405, "", page("Captcha"), "captcha"),
        # Pages and feeds that only tell of such a thing, or cannot be read.
        (403, "", page("Forbidden"), ""),
        (503, "Content-Encoding: gzip", page("Just a moment..."), ""),
        (404, "", page("Just a moment..."), ""),
        (200, "", page("Just a moment... and other songs"), None),
        (200, "cf-mitigated: challenge", rss(1, title="Just a moment..."), None),
        (200, "", rss(1, extra="<description>&lt;title>Just a moment...&lt;/title> _cf_chl_opt</description>"), None),
    ],
)
def test_a_check_of_the_browser_is_called_that(code: int, extra: str, body: bytes, service: str | None) -> None:
    """``service``: None where the document is taken as it is."""
    head = f"HTTP/1.1 {code} Reason\r\nContent-Type: text/html\r\n{extra}".rstrip() + "\r\n\r\n"
    outcome = serving(raw(head.encode() + body))
    if service is None:
        assert body_of(outcome) == body
        return
    assert kind_of(outcome) is FailureKind.STATUS
    assert isinstance(outcome, FetchFailed)
    assert outcome.status == code
    assert ("check that only browsers pass" in outcome.reason, service in outcome.reason) == (bool(service), True)


def test_a_part_that_was_not_asked_for_is_no_document() -> None:
    outcome = serving(raw(b"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/50\r\n\r\n<rss>"))
    assert isinstance(outcome, FetchFailed)
    assert "a part of the document" in outcome.reason


async def test_a_loop_for_the_sake_of_cookies_is_called_that(server: FeedServer) -> None:
    server.routes["/feed"] = status(302, Location="/feed", Set_Cookie="seen=1")
    outcome = await ask(OPEN, server.url("/feed"))
    assert isinstance(outcome, FetchFailed)
    assert outcome.reason == "its redirects form a loop; the site wants cookies, which iScore does not keep"
