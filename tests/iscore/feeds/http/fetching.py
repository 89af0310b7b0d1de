"""What tests of fetching share: settings, and one request to a real server."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from iscore.feeds.http.fetch import Fetcher
from iscore.feeds.http.outcomes import FailureKind, Fetched, FetchFailed
from iscore.feeds.poll_settings import PollSettings
from tests.servers.feed_server import Behaviour, FeedServer

OPEN = PollSettings(fetch_timeout=0.6, host_spacing=0.0, max_body=100_000, allow_private_networks=True)
CLOSED = replace(OPEN, allow_private_networks=False)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n"


async def ask(settings: PollSettings, url: str, **conditions: str) -> Fetched | FetchFailed:
    async with Fetcher(settings) as fetcher, fetcher.fetch(url, **conditions) as outcome:
        return outcome


def serving(behaviour: Behaviour, settings: PollSettings = OPEN, **conditions: str) -> Fetched | FetchFailed:
    """Ask once for a feed that behaves so."""

    async def run() -> Fetched | FetchFailed:
        async with FeedServer() as server:
            server.routes["/feed"] = behaviour
            return await ask(settings, server.url("/feed"), **conditions)

    return asyncio.run(run())


def body_of(outcome: Fetched | FetchFailed) -> bytes | None:
    assert isinstance(outcome, Fetched), outcome
    return outcome.body


def kind_of(outcome: Fetched | FetchFailed) -> FailureKind:
    assert isinstance(outcome, FetchFailed), outcome
    assert outcome.reason
    assert outcome.reason.isprintable()
    return outcome.kind
