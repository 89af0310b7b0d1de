"""Many small feeds on as many loopback addresses, served from a process of its own, quickly enough to measure pollers.

    python -m tests.servers.static_feeds --feeds 500 --kind full

prints its port, then serves until its standard input ends. ``host_of`` says which address is which feed's. A path is
``/<run>/feed.xml``; every run sees its own version of the feeds, which ``/<run>/advance`` moves on: one entry is new,
the oldest is gone. Entity tags are honoured. The texts are our own: sentences put together from a small vocabulary.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections import defaultdict
from functools import cache

ENTRIES = 30
_VOCABULARY = str.split("""
    the council harbour river budget report teacher bridge winter market doctor railway orchard engine museum letter
    island village student measure evening garden bakery theatre signal meeting question answer history science music
    weather result figure plan road field light paper water winner record season people morning street
""")
_VERBS = str.split("""
    opens closes finds keeps moves builds studies repairs answers follows leaves reaches explains carries
""")


def host_of(feed: int) -> str:
    """The loopback address of a feed."""
    return f"127.0.{1 + feed // 250}.{1 + feed % 250}"


def sentence(draw: random.Random) -> str:
    """Eight to twenty words that look like English."""
    words = [draw.choice(_VOCABULARY) for _ in range(draw.randint(7, 19))]
    words.insert(2, draw.choice(_VERBS))
    return " ".join(words).capitalize() + "."


@cache
def item(feed: int, number: int, full: bool) -> str:
    """One RSS item; the same numbers give the same text."""
    draw = random.Random(f"{feed} {number}")
    summary = " ".join(sentence(draw) for _ in range(3))
    content = ""
    if full:
        paragraphs = "".join(
            f'<p>{" ".join(sentence(draw) for _ in range(4))} <a href="/topic/{draw.choice(_VOCABULARY)}">More</a>.</p>'
            for _ in range(8)
        )
        picture = f'<p><img src="/pictures/{number}.jpg" alt="{draw.choice(_VOCABULARY)}"/></p>'
        content = f"<content:encoded><![CDATA[{picture}{paragraphs}]]></content:encoded>"
    hours, minutes = divmod(number, 60)
    return (
        f"<item><title>{sentence(draw)[:-1]}</title><link>https://feed{feed}.example/{number}?utm_source=rss</link>"
        f'<guid isPermaLink="false">feed{feed}-{number}</guid>'
        f"<dc:creator>{draw.choice(_VOCABULARY)} Writer</dc:creator>"
        f"<category>{draw.choice(_VOCABULARY)}</category><category>{draw.choice(_VOCABULARY)}</category>"
        f"<pubDate>Mon, 02 Mar 2026 {hours % 24:02}:{minutes:02}:00 GMT</pubDate>"
        f"<description>{summary}</description>{content}</item>"
    )


@cache
def document(feed: int, version: int, full: bool) -> bytes:
    """One feed: ``ENTRIES`` items, the newest on top."""
    items = "".join(item(feed, version + n, full) for n in reversed(range(ENTRIES)))
    return (
        '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>'
        f"<title>Feed {feed}</title><link>https://feed{feed}.example/</link><description>Bench</description>"
        f"{items}</channel></rss>"
    ).encode()


class _Connection(asyncio.Protocol):
    """HTTP/1.1, only as much as pollers need: GET, entity tags, keep-alive."""

    def __init__(self, versions: dict[str, int], full: bool) -> None:
        self._versions, self._full = versions, full
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while b"\r\n\r\n" in self._received:
            head, _, self._received = self._received.partition(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
            self._transport.write(self._answer(lines[0].split(" ")[1], headers))
            if headers.get("connection", "").lower() == "close":
                self._transport.close()

    def _answer(self, path: str, headers: dict[str, str]) -> bytes:
        _, run, name = path.split("/")
        if name == "advance":
            self._versions[run] += 1
            return b"HTTP/1.1 204 Done\r\n\r\n"
        _, _, x, y = headers["host"].partition(":")[0].split(".")
        etag = f'"{self._versions[run]}"'
        if headers.get("if-none-match") == etag:
            return f"HTTP/1.1 304 Not Modified\r\nETag: {etag}\r\n\r\n".encode()
        body = document((int(x) - 1) * 250 + int(y) - 1, self._versions[run], self._full)
        fields = f"Content-Type: application/rss+xml\r\nETag: {etag}\r\nContent-Length: {len(body)}\r\n"
        return f"HTTP/1.1 200 OK\r\n{fields}\r\n".encode() + body


async def serve(feeds: int, full: bool) -> None:
    """Serve until standard input ends. Everything that will be asked for is made beforehand."""
    for feed in range(feeds):
        for version in (0, 1):
            document(feed, version, full)
    versions: dict[str, int] = defaultdict(int)
    loop = asyncio.get_running_loop()
    first = await loop.create_server(lambda: _Connection(versions, full), host_of(0), 0, backlog=1000)
    port = first.sockets[0].getsockname()[1]
    others = [host_of(feed) for feed in range(1, feeds)]
    rest = await loop.create_server(lambda: _Connection(versions, full), others, port, backlog=1000) if others else None
    print(port, flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    for server in (first, rest):
        if server is not None:
            server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--feeds", type=int, default=500)
    parser.add_argument("--kind", choices=("summary", "full"), default="summary")
    options = parser.parse_args()
    asyncio.run(serve(options.feeds, options.kind == "full"))
