"""HTTP sessions for servers that strangers name: no cookies, no idle connections, no private network.

Names that do not resolve do not delay other requests.
"""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import SimpleNamespace

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from iscore.feeds.http.decompression import ACCEPT_ENCODING
from iscore.feeds.http.private_networks import guarded_socket
from iscore.feeds.poll_settings import PollSettings
from iscore.feeds.urls import origin


@dataclass(slots=True)
class Contact:
    """Whether one request got a connection. Pass a new one as its ``trace_request_ctx``."""

    connected: bool = False


def new_session(
    settings: PollSettings, resolver: AbstractResolver | None = None, *, guarded: bool
) -> aiohttp.ClientSession:
    """Return a session. With ``guarded`` it connects to no private network. ``resolver`` replaces the system's."""
    trace = aiohttp.TraceConfig()
    trace.on_connection_create_end.append(_note_connection)
    connector = aiohttp.TCPConnector(
        limit=0,  # the callers have limits
        force_close=True,  # a feed is one request; idle connections to 2,000 hosts would use up the files
        resolver=resolver or ThreadedResolver(settings.fetch_at_once),
        socket_factory=guarded_socket if guarded else None,
    )
    return aiohttp.ClientSession(
        connector=connector,
        trace_configs=[trace],
        auto_decompress=False,  # it has no limit; see decompression
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": settings.user_agent, "Accept-Encoding": ACCEPT_ENCODING},
        # The callers have deadlines.
        timeout=aiohttp.ClientTimeout(total=None, connect=settings.connect_timeout, sock_connect=None),
    )


def host_and_port(url: str) -> str:
    """Return host and port as ``PollSettings.private_hosts`` spells them."""
    _, host, port = origin(url)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def _note_connection(_: aiohttp.ClientSession, context: SimpleNamespace, __: object) -> None:
    context.trace_request_ctx.connected = True


class ThreadedResolver(AbstractResolver):
    """The system's resolver in its own threads.

    aiohttp's resolver uses the event loop's few default threads, where some names that do not answer would delay all
    other feeds until their deadline.
    """

    def __init__(self, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="resolve")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the addresses of a name. Raises ``OSError`` when there are none."""
        answers = await asyncio.get_running_loop().run_in_executor(
            self._threads,
            lambda: socket.getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG),
        )
        return [
            ResolveResult(
                hostname=host,
                host=str(target[0]) + (f"%{target[3]}" if len(target) == 4 and target[3] else ""),
                port=int(target[1]),
                family=answer_family,
                proto=protocol,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for answer_family, _, protocol, _, target in answers
        ]

    async def close(self) -> None:
        """Stop the threads, without waiting for names that never answer."""
        self._threads.shutdown(wait=False, cancel_futures=True)
