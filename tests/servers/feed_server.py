"""A web server on the loopback, in the test's own event loop, whose every path behaves as set, well or badly.

A behaviour is a coroutine function that gets the request and the raw connection, so that it can break every rule.
"""

from __future__ import annotations

import asyncio
import gzip
import ssl
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came."""

    host: str
    """Value of the Host header."""
    path: str
    """With query."""
    headers: dict[str, str]
    """Names in lower case; texts in latin-1."""
    at: float
    """The event loop's time."""


Behaviour = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


class FeedServer:
    """Serves ``routes`` (path without query → behaviour) and remembers what it was asked. What is not there is 404."""

    def __init__(self, hosts: Sequence[str] = ("127.0.0.1",), tls: ssl.SSLContext | None = None) -> None:
        self.routes: dict[str, Behaviour] = {}
        self.requests: list[Request] = []
        self.connections = 0
        self.most_at_once = 0
        self._open: set[asyncio.Task[None]] = set()
        self._hosts = hosts
        self._tls = tls

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, self._hosts[0], 0, ssl=self._tls)
        self.port: int = self._server.sockets[0].getsockname()[1]
        self._others = [
            await asyncio.start_server(self._serve, host, self.port, ssl=self._tls) for host in self._hosts[1:]
        ]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in (self._server, *self._others):
            server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        """Address of a path."""
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}{path}"

    def asked(self, path: str) -> list[Request]:
        """Requests for a path."""
        return [request for request in self.requests if request.path.partition("?")[0] == path]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        self.connections += 1
        self.most_at_once = max(self.most_at_once, len(self._open))
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
            path = head[0].split(" ")[1]
            request = Request(headers.get("host", ""), path, headers, asyncio.get_running_loop().time())
            self.requests.append(request)
            await self.routes.get(path.partition("?")[0], status(404))(request, writer)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(task)
            with suppress(OSError, RuntimeError):
                writer.close()


def answer(writer: asyncio.StreamWriter, code: int, headers: dict[str, str], body: bytes = b"") -> None:
    """Write a whole response as HTTP has it."""
    head = f"HTTP/1.1 {code} Reason\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    length = "" if code == 304 or "Content-Length" in headers else f"Content-Length: {len(body)}\r\n"
    writer.write((head + length + "Connection: close\r\n\r\n").encode("latin-1") + body)


def document(body: bytes | Callable[[], bytes], *, pack: bool = False, **headers: str) -> Behaviour:
    """A well-behaved feed. Header names with underscores for hyphens; with ``ETag`` it answers conditional requests."""
    fields = {"Content-Type": "application/rss+xml"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }

    async def behave(request: Request, writer: asyncio.StreamWriter) -> None:
        if fields.get("ETag") and request.headers.get("if-none-match") == fields["ETag"]:
            answer(writer, 304, {name: value for name, value in fields.items() if name != "Content-Type"})
            return
        content = body() if callable(body) else body
        if pack:
            answer(writer, 200, fields | {"Content-Encoding": "gzip"}, gzip.compress(content))
        else:
            answer(writer, 200, fields, content)

    return behave


def page(number: int, *, paragraphs: int = 6) -> str:
    """An article's page of our own, as news sites build them: its text between menus, teasers and comments."""
    menu = "".join(f'<li><a href="/section/{n}">Section {n}</a></li>' for n in range(12))
    text = "".join(
        f"<p>Paragraph {n} of story {number}: the council of the harbour town has weighed the plan for the bridge, and "
        f"its engineers explained why the work takes until winter. Nobody objected, said the mayor.</p>"
        for n in range(paragraphs)
    )
    return (
        f"<!doctype html><html lang=en><head><title>Story number {number} - Loopback</title><script>let a = 1</script>"
        f"</head><body><header><nav><ul>{menu}</ul></nav></header><main><article><h1>Story number {number}</h1>{text}"
        '</article></main><aside><a href="/other">Buy a subscription now</a></aside>'
        '<section id="comments" class="comments"><p>A reader comments that bridges are overrated.</p></section>'
        "<footer>All rights reserved</footer></body></html>"
    )


def html(markup: str | bytes, *, pack: bool = False, **headers: str) -> Behaviour:
    """A page."""
    body = markup if isinstance(markup, bytes) else markup.encode()
    return document(body, pack=pack, **{"Content_Type": "text/html; charset=utf-8"} | headers)


def status(code: int, **headers: str) -> Behaviour:
    """Nothing but a status line and headers."""
    fields = {name.replace("_", "-"): value for name, value in headers.items()}

    async def behave(request: Request, writer: asyncio.StreamWriter) -> None:
        answer(writer, code, fields)

    return behave


def redirect(target: str, code: int = 302) -> Behaviour:
    """To somewhere else."""
    return status(code, Location=target)


def raw(*pieces: bytes, pause: float = 0.0, forever: bool = False) -> Behaviour:
    """These bytes and no others, with a pause after each; ``forever``: the last one again and again."""

    async def behave(request: Request, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            if pause:
                await asyncio.sleep(pause)
        while forever:
            writer.write(pieces[-1])
            await writer.drain()
            await asyncio.sleep(pause)

    return behave


async def silence(request: Request, writer: asyncio.StreamWriter) -> None:
    """Accepts, reads, and never answers."""
    await asyncio.sleep(3600)


def rss(
    entries: int, *, title: str = "Loopback news", first: int = 0, extra: str = "", site: str = "https://news.example"
) -> bytes:
    """A small feed of our own; entry numbers count from ``first``, the newest stands on top, pages are ``site``'s."""
    items = "".join(
        f"<item><title>Story number {n}</title><link>{site}/{n}</link><guid>story-{n}</guid>"
        f"<description>What happened in story {n} was told by several people.</description></item>"
        for n in reversed(range(first, first + entries))
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel>'
        f"<title>{title}</title><link>https://news.example/</link>{extra}{items}</channel></rss>"
    ).encode()
