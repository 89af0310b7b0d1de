"""The network of the fleet: hosts with feeds that grow and notice two requests at once, and links that can be cut."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Coroutine
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import TracebackType
from typing import Any, Self, TypeVar
from xml.sax.saxutils import escape

from benchmarks.made_up_news import story

T = TypeVar("T")

SLOW = 0.02
"""Seconds that an answer takes, so that two requests at once are noticed."""


class Net:
    """Hosts and links, in a thread."""

    def __init__(self, hosts: int) -> None:
        self.shown = 0
        """Articles that each feed has had so far."""
        self.requests = 0
        self.overlaps = 0
        """Requests that came while the same host was answering another."""
        self._hosts = [f"127.3.0.{1 + number}" for number in range(hosts)]
        self._busy: Counter[str] = Counter()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._port = 0

    def __enter__(self) -> Self:
        self._thread.start()
        self.run(self._listen())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something in the network's thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    def urls(self) -> list[str]:
        """Return the address of each host's feed."""
        return [f"http://{host}:{self._port}/feed" for host in self._hosts]

    async def _listen(self) -> None:
        for host in self._hosts:
            server = await asyncio.start_server(self._answer, host, self._port)
            self._port = self._port or server.sockets[0].getsockname()[1]

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host = writer.get_extra_info("sockname")[0]
        self.requests += 1
        self.overlaps += self._busy[host] > 0
        self._busy[host] += 1
        with suppress(OSError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            await asyncio.sleep(SLOW)
            body = self._feed(self._hosts.index(host))
            fields = f"Content-Type: application/rss+xml\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
            writer.write(f"HTTP/1.1 200 OK\r\n{fields}\r\n".encode() + body)
            await writer.drain()
        self._busy[host] -= 1
        writer.close()

    def _feed(self, number: int) -> bytes:
        now = format_datetime(datetime.now(UTC) - timedelta(hours=1))
        items = []
        for entry in reversed(range(self.shown)):
            told = story(number * 10_000 + entry, "summary")
            text = escape(" ".join(told.sentences))
            items.append(
                f"<item><guid>{number}-{entry}</guid><title>{escape(told.title)}</title><pubDate>{now}</pubDate>"
                f"<link>https://host-{number}.example/{entry}</link><description>{text}</description></item>"
            )
        head = f'<?xml version="1.0"?><rss version="2.0"><channel><title>Host {number}</title>'
        return (head + "".join(items) + "</channel></rss>").encode()


class Link:
    """A way to a server on the loopback that can be cut."""

    def __init__(self, net: Net, port: int) -> None:
        self._net = net
        self._target = port
        self._writers: set[asyncio.StreamWriter] = set()
        self._cut = False
        self.port = net.run(self._listen())

    def cut(self, *, off: bool) -> None:
        """Break all connections and make none, or make some again."""
        self._net.run(self._switch(off))

    async def _listen(self) -> int:
        server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        return int(server.sockets[0].getsockname()[1])

    async def _switch(self, off: bool) -> None:
        self._cut = off
        if off:
            for each in self._writers:
                each.transport.abort()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._cut:
            writer.transport.abort()
            return
        try:
            back, forth = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:  # the server is being restarted
            writer.transport.abort()
            return
        self._writers |= {writer, forth}
        await asyncio.gather(_copy(reader, forth), _copy(back, writer))
        self._writers -= {writer, forth}


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await source.read(65536):
            target.write(data)
            await target.drain()
    with suppress(OSError):
        target.close()
