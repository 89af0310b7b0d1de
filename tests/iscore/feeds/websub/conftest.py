"""A publisher, a hub and our callback addresses on the loopback, over real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from starlette.responses import PlainTextResponse

from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.poll import poll
from iscore.feeds.poll_settings import PollSettings
from iscore.feeds.recorder import PollReport
from iscore.web.api.hubs import HubCallbacks, HubRequests
from storage.opening.database import Database
from storage.records.feeds import HubSubscription
from storage.stream import hubs
from tests.iscore.feeds.polled import SETTINGS, Clock, follow, states
from tests.servers.asgi import serving
from tests.servers.feed_server import FeedServer, document, rss
from tests.servers.hub import Hub, running_hub


class Scene:
    """A publisher with a feed, a hub, and the server that they push to."""

    def __init__(self, database: Database, pool: ParserPool, hub: Hub, clock: Clock, publisher: FeedServer) -> None:
        self.database = database
        self.pool = pool
        self.hub = hub
        self.clock = clock
        self.publisher = publisher
        self.settings: PollSettings = SETTINGS
        self.feed = publisher.url("/feed")

    def publish(self, entries: int, *, at: str = "/feed", hub: str | None = None, **other: str) -> bytes:
        """Let the publisher have a feed that names the hub; return the document."""
        atom = 'xmlns:atom="http://www.w3.org/2005/Atom"'
        address = self.publisher.url(at)
        links = f'<atom:link rel="hub" href="{hub or self.hub.address}"/><atom:link rel="self" href="{address}"/>'
        body = rss(entries, extra=links).replace(b'version="2.0"', f'version="2.0" {atom}'.encode(), 1)
        self.publisher.routes[at] = document(body, **other)
        return body

    async def poll(self, *, force: bool = False) -> PollReport:
        return await poll(self.database, self.settings, self.clock, pool=self.pool, force=force)

    async def later(self, **time_: float) -> PollReport:
        self.clock.later(**time_)
        return await self.poll()

    def subscription(self) -> HubSubscription | None:
        with self.database.read() as tx:
            return next(iter(hubs.of_feeds(tx, [feed.id for feed in states(self.database)]).values()), None)

    def known(self) -> HubSubscription:
        found = self.subscription()
        assert found is not None
        return found

    def due_in(self) -> timedelta:
        (feed,) = states(self.database)
        assert feed.next_due is not None
        return feed.next_due - self.clock.now

    async def distribute(self, body: bytes, **other: str) -> int:
        return await asyncio.to_thread(self.hub.distribute, self.feed, body, **other)


@pytest.fixture
def scene(database: Database, pool: ParserPool, server: FeedServer) -> Iterator[Scene]:
    """A scene; the feed is followed, and was never polled."""
    clock = Clock()
    callbacks = HubCallbacks(database, clock, max_body=100_000)
    app = HubRequests(PlainTextResponse("a page"), callbacks)
    with running_hub() as hub, serving(app) as address:
        made = Scene(database, pool, hub, clock, server)
        made.settings = replace(SETTINGS, websub_address=address)
        follow(database, made.feed)
        made.publish(3)
        yield made
