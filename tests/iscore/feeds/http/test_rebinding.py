"""A name that is public when it is looked up first, and this machine from then on, never reaches this machine.

127.0.0.9 plays the public internet here. ``tests/hostile/private_network.py`` has real public addresses, and a name
server that changes its answer.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from unittest.mock import Mock

import pytest

from iscore.feeds.errors import ReaderServerError
from iscore.feeds.http import private_networks
from iscore.feeds.http.fetch import Fetcher
from iscore.feeds.http.sessions import new_session
from iscore.feeds.remote.client import HttpClient
from iscore.feeds.websub.requests import _ask
from tests.iscore.feeds.http.fetching import CLOSED
from tests.servers.feed_server import FeedServer, document, redirect, rss

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a whole network of loopback addresses")
PUBLIC, INSIDE = "127.0.0.9", "127.0.0.1"


async def feed(url: str) -> None:
    async with Fetcher(CLOSED) as fetcher:
        for _ in range(2):  # both with the connections and the names that the first one knows
            async with fetcher.fetch(url):
                pass


async def hub(url: str) -> None:
    async with new_session(CLOSED, guarded=True) as session:
        await _ask(session, Mock(hub=Mock(address=url, topic=url), callback=url, secret="secret", ending=False), 5.0)


async def reader_server(url: str) -> None:
    async with HttpClient(url, CLOSED, lambda: datetime.now(UTC), guarded=True) as client:
        with suppress(ReaderServerError):
            await client.get("")


@pytest.mark.parametrize(
    ("ask", "path"), [(feed, "feed"), (feed, "away"), (hub, "feed"), (hub, "away"), (reader_server, "feed")]
)
async def test_no_name_leads_inwards_later(
    ask: Callable[[str], Awaitable[None]], path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up, known, called = Counter[str](), socket.getaddrinfo, list[bool]()

    def changing(host: str, *given: Any, **named: Any) -> Any:
        if host.endswith(".example"):
            looked_up[host] += 1
            host = INSIDE if host == "flips.example" and looked_up[host] > 1 else PUBLIC
        return known(host, *given, **named)

    async def canary(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        called.append(True)
        writer.close()

    is_public = private_networks.may_be_asked
    monkeypatch.setattr(socket, "getaddrinfo", changing)
    monkeypatch.setattr(private_networks, "may_be_asked", lambda address: address == PUBLIC or is_public(address))
    async with FeedServer((PUBLIC,)) as public, await asyncio.start_server(canary, INSIDE, public.port):
        public.routes["/feed"] = document(rss(1))
        public.routes["/away"] = redirect(f"http://flips.example:{public.port}/feed", 307)
        asked = f"http://{'flips' if path == 'feed' else 'public'}.example:{public.port}/{path}"
        for _ in range(3):
            await ask(asked)
        assert "/feed" in [each.path for each in public.requests]  # the first time
        assert looked_up["flips.example"] > 1
        assert called == []
