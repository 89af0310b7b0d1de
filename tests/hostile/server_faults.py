"""Rows 1 to 16: servers that are slow, endless or broken, or redirect. ``document_faults`` has the documents."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from base64 import b64encode
from collections.abc import Iterable

from tests.hostile.fault import Fault
from tests.servers.feed_server import Behaviour, Request, answer, document, raw, redirect, rss, silence, status

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\n"
PACKED = gzip.compress(rss(3))
LOGIN = "reader:open-sesame"
SHELL = "a=|touch${IFS}MADE-BY-A-SHELL&b=$(touch${IFS}MADE-BY-A-SHELL);`touch${IFS}MADE-BY-A-SHELL`"
"""Would create a file if a shell ever ran it."""
HOPS = 50
INNER = ("127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254", "192.168.0.1", "[::1]", "[::ffff:127.0.0.1]")
"""Private hosts that servers redirect to: some of the spellings of row 10."""


def bomb(unpacked: int = 1 << 30) -> bytes:
    """About a megabyte of gzip that becomes ``unpacked`` bytes of noughts."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    block = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff" + block * (unpacked >> 20)


def packed(body: bytes, *, length: int | None = None) -> Behaviour:
    """Bytes that are said to be gzip, and may be announced as more than there are."""
    announced = len(body) if length is None else length
    return raw(HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % announced + body)


async def changed_under_the_same_tag(request: Request, writer: asyncio.StreamWriter) -> None:
    """Another document with the entity tag of the last one, and no 304 although it is asked for."""
    answer(writer, 200, {"Content-Type": "application/rss+xml", "ETag": '"good"'}, rss(3, first=100))


async def behind_a_password(request: Request, writer: asyncio.StreamWriter) -> None:
    """A feed for those who know the password."""
    known = request.headers.get("authorization") == f"Basic {b64encode(LOGIN.encode()).decode()}"
    await (document(rss(3, first=200)) if known else status(401))(request, writer)


def redirects(to: str, code: str = "302 Found") -> Behaviour:
    """A redirect whose target is not escaped."""
    return raw(f"HTTP/1.1 {code}\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n".encode())


def faults(canary: int) -> Iterable[Fault]:
    """All of them. ``canary``: a port of this machine that nothing may ever connect to."""
    good = document(rss(3, first=300))
    drip = [b"X-%d: y\r\n" % n for n in range(100)]
    yield Fault(1, "never-answers", "accepts and never answers", silence)
    yield Fault(2, "headers-dripped", "a header line every half second", raw(HEAD, *drip, pause=0.5))
    yield Fault(
        3, "body-dripped", "a byte of the body every half second", raw(HEAD + b"\r\n", *[b"<"] * 100, pause=0.5)
    )
    chunk = b"2710\r\n" + b"x" * 10_000 + b"\r\n"
    yield Fault(4, "endless-body", "a body without end", raw(HEAD + b"\r\n", b"x" * 10_000, forever=True))
    endless_chunks = raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", chunk, forever=True)
    yield Fault(4, "endless-chunks", "chunks without end", endless_chunks)
    yield Fault(5, "gzip-bomb", "a megabyte that unpacks to a gigabyte", packed(bomb()))
    yield Fault(6, "gzip-of-gzip", "gzip within gzip", packed(gzip.compress(PACKED)))
    yield Fault(7, "truncated-gzip", "gzip that breaks off", packed(PACKED[:-9]))
    yield Fault(7, "short-body", "fewer bytes than announced", raw(HEAD + b"Content-Length: 5000\r\n\r\n" + rss(3)))
    yield Fault(7, "gzip-that-is-plain", "plain bytes that are called gzip", packed(rss(3)))
    yield Fault(8, "redirect-loop", "redirects to itself by way of another", redirect("/8-redirect-back"))
    yield Fault(8, "redirect-back", "the other half of the loop", redirect("/8-redirect-loop"))
    yield Fault(8, "redirect-chain", f"{HOPS} redirects in a row", redirect("/8-hop?0"))
    yield Fault(9, "redirect-to-file", "redirects to file:///etc/passwd", redirect("file:///etc/passwd"))
    yield Fault(9, "redirect-to-gopher", "redirects to gopher", redirect(f"gopher://127.0.0.1:{canary}/"))
    for certificate in ("self-signed", "wrong-name", "expired"):
        yield Fault(12, certificate, f"its certificate is {certificate}", good, certificate=certificate)
    yield Fault(13, "garbage-status", "a status line of words", raw(b"HTTP/1.1 abc\r\n\r\n"))
    yield Fault(13, "noughts", "noughts in place of an answer", raw(bytes(4) + b"\r\n\r\n"))
    yield Fault(13, "giant-header", "a header of 100,000 bytes", raw(HEAD + b"X: " + b"y" * 100_000 + b"\r\n\r\n"))
    flood = raw(b"HTTP/1.1 100 Continue\r\n\r\n", pause=0.001, forever=True)
    yield Fault(13, "flood-of-100", "100 Continue again and again", flood)
    yield Fault(14, "same-tag", "another document under the same entity tag", changed_under_the_same_tag)
    yield Fault(15, "password", "wants the password that its address has", behind_a_password, login=LOGIN)
    yield Fault(16, "shell-in-address", "an address that a shell would execute", good, query=SHELL)
    yield Fault(16, "redirect-with-blanks", "redirects to blanks and bars", redirects(f"/16-landed?a b |{SHELL}"))
    injected = redirects("/16-landed?%0d%0aX-Injected:%20yes")
    yield Fault(16, "redirect-with-lines", "redirects to encoded line ends", injected)


def redirects_inwards(canary: int) -> Iterable[Fault]:
    """Row 9: redirects from a public server to this machine and its network."""
    for host in INNER:
        name = "redirect-to-" + host.strip("[]").replace(":", "-")
        yield Fault(9, name, f"redirects to {host}", redirect(f"http://{host}:{canary}/feed"))


def redirect_targets(canary: int) -> Iterable[tuple[str, Behaviour]]:
    """Targets of redirects; they are not subscribed to."""

    async def hop(request: Request, writer: asyncio.StreamWriter) -> None:
        number = int(request.path.partition("?")[2])
        target = f"/8-hop?{number + 1}" if number < HOPS else f"http://127.0.0.1:{canary}/"
        await redirect(target)(request, writer)

    yield "/8-hop", hop
    yield "/16-landed", document(rss(3, first=400))
