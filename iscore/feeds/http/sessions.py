"""What sends requests to servers that strangers name: no cookies, no idle connections, and to no private network."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import aiohttp
from aiohttp.abc import AbstractResolver

from iscore.feeds.http.private_networks import guarded_socket
from iscore.feeds.http.resolver import ThreadedResolver
from iscore.feeds.poll_settings import PollSettings
from iscore.feeds.urls import origin


@dataclass(slots=True)
class Contact:
    """Whether one request got a connection: the ``trace_request_ctx`` of each."""

    connected: bool = False


def new_session(
    settings: PollSettings, resolver: AbstractResolver | None = None, *, guarded: bool
) -> aiohttp.ClientSession:
    """Return a session; ``guarded``: it connects to no private network. ``resolver`` replaces the system's."""
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
        headers={"User-Agent": settings.user_agent, "Accept-Encoding": "gzip, deflate"},
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),  # the callers have deadlines
    )


def host_and_port(url: str) -> str:
    """Return what ``PollSettings.private_hosts`` names."""
    _, host, port = origin(url)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def _note_connection(_: aiohttp.ClientSession, context: SimpleNamespace, __: object) -> None:
    context.trace_request_ctx.connected = True
