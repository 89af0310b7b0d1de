"""The hosts of the simulated fleet: feeds that grow as time passes, and troublesome ones.

    python -m benchmarks.fleet_hosts SETUP.json

prints a line when it listens, then serves until it is ended. Each request is one line of a log, written when it was
answered: who asked whom, from when to when, by the clock of the simulation. Feeds have entity tags.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import cache
from pathlib import Path
from typing import TextIO
from xml.sax.saxutils import escape

from benchmarks.made_up_news import story

FIRST, SHOWN, HOUR = 10, 40, 3600
"""Articles that a feed begins with, and the newest that it shows."""
SLOW = 0.1
"""Seconds that an answer takes, so that two requests at once are noticed, and faults hit requests."""
TWO_FEEDS = 5
"""One host in this number has two feeds."""
RETRY_AFTER = 7200
"""Seconds that the busy host wants to be left alone, after every fourth request."""
DEEP = 100_000


@dataclass(frozen=True, slots=True)
class Setup:
    """What is served. Times are seconds since 1970."""

    addresses: list[str]
    """Of the hosts with feeds; the first one is busy now and then."""
    hanging: str
    """A host that never answers."""
    poisoned: str
    """A host whose feed is no feed, but thousands of elements inside each other."""
    port: int
    start: float
    until: float
    """Nothing new is published afterwards."""
    log: str

    def feeds(self) -> list[tuple[str, int]]:
        """Return the address and number of each feed with news."""
        found = []
        for number, host in enumerate(self.addresses):
            found.append((f"http://{host}:{self.port}/0", number))
            if number % TWO_FEEDS == 0:
                found.append((f"http://{host}:{self.port}/1", number + len(self.addresses)))
        return found

    def write(self, path: Path) -> None:
        """Write it to a file for the process that serves."""
        path.write_text(json.dumps(asdict(self)))

    def published(self, feed: int, at: float) -> int:
        """Return how many articles a feed has had at a time: a new one every two to eight hours."""
        return FIRST + max(0, int((min(at, self.until) - self.start) // every(feed)))


def every(feed: int) -> int:
    """Return after how many seconds a feed has a new article."""
    return (2 + feed % 7) * HOUR


@cache
def _item(feed: int, entry: int, published: int) -> str:
    made = story(feed * 10_000 + entry, "summary")
    date = format_datetime(datetime.fromtimestamp(published, UTC))
    return (
        f"<item><guid>{feed}-{entry}</guid><title>{escape(made.title)}</title><pubDate>{date}</pubDate>"
        f"<link>https://host-{feed}.example/{entry}</link><description>{escape(' '.join(made.sentences))}</description>"
        "</item>"
    )


class Hosts:
    """Answers, and logs what was asked."""

    def __init__(self, setup: Setup, log: TextIO) -> None:
        self._setup, self._log = setup, log
        self._numbers = dict(setup.feeds())
        self._asked = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        host, port = writer.get_extra_info("sockname")
        start, end = time.time(), None
        status, path = 0, ""
        with suppress(OSError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            path = head.split(" ")[1]
            if host == self._setup.hanging:
                await reader.read()  # until the client gives up
            else:
                await asyncio.sleep(SLOW)
                status, fields, body = self._document(host, f"http://{host}:{port}{path}", head)
                more = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
                length = f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
                writer.write(f"HTTP/1.1 {status} Answer\r\n{more}{length}".encode() + body)
                end = time.time()  # behind a cut link it arrives when the client has long given up
                await writer.drain()
        asker = (writer.get_extra_info("peername") or ("",))[0]
        self._note(host=host, path=path, asker=asker, start=start, end=end or time.time(), status=status)
        writer.close()

    def write_all(self) -> None:
        """Write all articles beforehand: no answer waits for that."""
        for feed in self._numbers.values():
            for entry in range(self._setup.published(feed, self._setup.until)):
                self._item(feed, entry)

    def _item(self, feed: int, entry: int) -> str:
        return _item(feed, entry, int(self._setup.start) + (entry + 1 - FIRST) * every(feed))

    def _note(self, **values: object) -> None:
        """Write a line into the log."""
        print(json.dumps(values), file=self._log, flush=True)

    def _document(self, host: str, url: str, head: str) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body of an answer."""
        kind = {"Content-Type": "application/rss+xml"}
        if host == self._setup.poisoned:
            return 200, kind, b"<rss><channel>" + b"<item>" * DEEP
        if url not in self._numbers:
            return 404, {}, b""
        if host == self._setup.addresses[0]:
            self._asked += 1
            if self._asked % 4 == 0:
                return 429, {"Retry-After": str(RETRY_AFTER)}, b""
        feed = self._numbers[url]
        count = self._setup.published(feed, time.time())
        tag = f'"{count}"'
        if f"if-none-match: {tag}".lower() in head.lower():
            return 304, {"ETag": tag}, b""
        items = [self._item(feed, entry) for entry in reversed(range(max(count - SHOWN, 0), count))]
        begin = f'<?xml version="1.0"?><rss version="2.0"><channel><title>Feed {feed}</title>'
        return 200, kind | {"ETag": tag}, (begin + "".join(items) + "</channel></rss>").encode()


async def _serve(setup: Setup) -> None:
    with Path(setup.log).open("a") as log:
        hosts = Hosts(setup, log)
        hosts.write_all()
        places = [*setup.addresses, setup.hanging, setup.poisoned]
        server = await asyncio.start_server(hosts.answer, places, setup.port, backlog=1000)
        print("ready", flush=True)
        async with server:
            await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(Setup(**json.loads(Path(sys.argv[1]).read_text()))))
