"""A thousand feeds over a month that is simulated: most are well, some are in trouble of every kind for some time.

    python -m tests.hostile.soak_server --feeds 1000

prints its port, then serves until its standard input ends. ``host_of`` says which loopback address is which feed's.
``/at/HOURS`` at the first of them sets the time, in hours since ``START``; what a feed does is a function of its number
and the time alone, so every run sees the same month.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import random
import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache

from tests.servers.static_feeds import host_of, sentence

START = datetime(2026, 3, 2, tzinfo=UTC)
ENTRIES = 8
"""In a document, the newest."""
SPELL = 12
"""Hours for which a feed's trouble that passes lasts."""
PATH = "/feed.xml"
MOVED = "/moved.xml"
TOPICS = ("Harbour", "Museum", "Orchard", "Railway", "Theatre", "Student", "Weather", "Market", "Engine", "Garden")
LIKED = frozenset(TOPICS[:2])
"""The reader likes what is about these."""


class Trouble(StrEnum):
    """What a feed may be in."""

    NONE = "well"
    ERROR = "500"
    BUSY = "429 with Retry-After"
    UNAVAILABLE = "503 with a date in Retry-After"
    SILENT = "never answers"
    CUT = "the body breaks off"
    PACKED = "gzip breaks off"
    DAMAGED = "malformed, breaks off in an entry"
    LOGIN = "a page for signing in"
    OTHER_TAGS = "other validators at each answer"
    NO_TAGS = "no validators"
    AWAY = "the server hangs up, for a week"
    MOVED = "moved for good"
    GONE = "gone for good"


PASSING = tuple(Trouble)[1:11]
TROUBLED = 0.15
"""Of the spells of any feed, the part with trouble."""


def trouble_of(feed: int, hours: float) -> Trouble:
    """What a feed is in at a time, in hours since the start."""
    fate = random.Random(f"fate {feed}")
    kind, begins = fate.random(), fate.uniform(2, 22) * 24
    if kind < 0.02 and hours >= begins:
        return Trouble.GONE
    if 0.02 <= kind < 0.05 and hours >= begins:
        return Trouble.MOVED
    if 0.05 <= kind < 0.08 and begins <= hours < begins + 7 * 24:
        return Trouble.AWAY
    spell = random.Random(f"spell {feed} {int(hours) // SPELL}")
    return spell.choice(PASSING) if spell.random() < TROUBLED else Trouble.NONE


def published(feed: int, hours: float) -> int:
    """How many entries a feed has published so far: one in half a day up to one in ten days, by its number."""
    fate = random.Random(f"pace {feed}")
    pace = 12 * 20 ** fate.random()
    return ENTRIES // 2 + int((hours + fate.uniform(0, pace)) / pace)


@lru_cache(maxsize=20_000)
def item(feed: int, number: int) -> str:
    """One entry: a topic, a few sentences."""
    draw = random.Random(f"{feed} {number}")
    topic = draw.choice(TOPICS)
    text = " ".join(sentence(draw) for _ in range(3))
    return (
        f"<item><title>{topic}: {sentence(draw)[:-1]}</title><link>https://feed{feed}.example/{number}</link>"
        f'<guid isPermaLink="false">feed{feed}-{number}</guid><category>{topic}</category>'
        f"<description>{topic} news. {text}</description></item>"
    )


def document(feed: int, count: int) -> bytes:
    """A feed that has published so much."""
    items = "".join(item(feed, number) for number in reversed(range(max(count - ENTRIES, 0), count)))
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>Feed {feed}</title>'
        f"<link>https://feed{feed}.example/</link><description>Soak</description>{items}</channel></rss>"
    ).encode()


class World:
    """What is served, and when."""

    def __init__(self, feeds: int) -> None:
        self._feeds = {host_of(feed): feed for feed in range(feeds)}
        self._hours = 0.0
        self._answers = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            path = head[0].split(" ")[1]
            fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
            if path.startswith("/at/"):
                self._hours = float(path[4:])
                writer.write(b"HTTP/1.1 204 Done\r\nConnection: close\r\n\r\n")
            else:
                await self._feed(self._feeds[fields["host"].partition(":")[0]], path, fields, writer)
            await writer.drain()
        with suppress(OSError, RuntimeError):
            writer.close()

    async def _feed(self, feed: int, path: str, fields: dict[str, str], writer: asyncio.StreamWriter) -> None:
        self._answers += 1
        trouble = trouble_of(feed, self._hours)
        if trouble is Trouble.MOVED and path == MOVED:
            trouble = Trouble.NONE
        count = published(feed, self._hours)
        body = document(feed, count)
        later = START + timedelta(hours=self._hours + 7)
        tag = f'"{self._answers if trouble is Trouble.OTHER_TAGS else count}"'
        if trouble is Trouble.SILENT:
            await asyncio.sleep(3600)
        if trouble is Trouble.AWAY:
            return
        refused: dict[Trouble, tuple[str, dict[str, str]]] = {
            Trouble.ERROR: ("500 Broken", {}),
            Trouble.BUSY: ("429 Too many", {"Retry-After": "18000"}),
            Trouble.UNAVAILABLE: ("503 Away", {"Retry-After": f"{later:%a, %d %b %Y %H:%M:%S} GMT"}),
            Trouble.MOVED: ("301 Moved", {"Location": MOVED}),
            Trouble.GONE: ("410 Gone", {}),
        }
        sent: dict[Trouble, tuple[dict[str, str], bytes]] = {
            Trouble.LOGIN: ({"Content-Type": "text/html"}, b"<!doctype html><title>Sign in</title><form>"),
            Trouble.CUT: ({"Content-Length": str(len(body))}, body[: len(body) // 2]),
            Trouble.PACKED: ({"Content-Encoding": "gzip", "ETag": tag}, gzip.compress(body)[:-9]),
            Trouble.DAMAGED: ({"ETag": f'"damaged {count}"'}, body[:-60]),
            Trouble.NO_TAGS: ({}, body),
        }
        if trouble in refused:
            _write(writer, *refused[trouble])
        elif trouble in sent:
            _write(writer, "200 OK", *sent[trouble])
        elif fields.get("if-none-match") == tag:
            _write(writer, "304 Not modified", {"ETag": tag})
        else:
            _write(writer, "200 OK", {"ETag": tag}, body)


def _write(writer: asyncio.StreamWriter, status: str, fields: dict[str, str], body: bytes = b"") -> None:
    usual = {"Content-Type": "application/rss+xml", "Connection": "close"}
    if not status.startswith("304"):
        usual["Content-Length"] = str(len(body))
    head = "".join(f"{name}: {value}\r\n" for name, value in (usual | fields).items())
    writer.write(f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body)


async def serve(feeds: int) -> None:
    """Serve until standard input ends."""
    world = World(feeds)
    first = await asyncio.start_server(world.serve, host_of(0), 0, backlog=1000)
    port = first.sockets[0].getsockname()[1]
    hosts = [host_of(feed) for feed in range(1, feeds)]
    rest = await asyncio.start_server(world.serve, hosts, port, backlog=1000) if hosts else None
    print(port, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    for server in (first, rest):
        if server is not None:
            server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--feeds", type=int, default=1000)
    asyncio.run(serve(parser.parse_args().feeds))
