"""A publisher, a hub and our callback addresses on the loopback, over real HTTP: what is pushed arrives like a poll."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from starlette.responses import PlainTextResponse

from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.poll import poll
from iscore.feeds.poll_report import PollReport
from iscore.feeds.poll_settings import PollSettings
from iscore.web.hubs import HubCallbacks, HubRequests
from storage import feeds, hubs
from storage.database import Database
from storage.records import LOCAL_USER, HubSubscription, Subscription
from tests.iscore.feeds.polled import SETTINGS, Clock, counts, follow, states, titles
from tests.servers.asgi import serving
from tests.servers.feed_server import FeedServer, document, rss, status
from tests.servers.hub import Hub, running_hub, send


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


Play = Callable[[Callable[[Scene], Awaitable[None]]], None]


@pytest.fixture
def play(database: Database, runner: asyncio.Runner, pool: ParserPool) -> Play:
    """Plays a scene; the feed is followed, and was never polled."""
    clock = Clock()
    callbacks = HubCallbacks(database, clock, max_body=100_000)
    app = HubRequests(PlainTextResponse("a page"), callbacks)

    def played(scene: Callable[[Scene], Awaitable[None]]) -> None:
        async def run() -> None:
            with running_hub() as hub, serving(app) as address:
                async with FeedServer() as publisher:
                    made = Scene(database, pool, hub, clock, publisher)
                    made.settings = replace(SETTINGS, websub_address=address)
                    follow(database, made.feed)
                    made.publish(3)
                    await scene(made)

        runner.run(run())

    return played


def test_what_a_hub_pushes_is_stored_as_a_poll_would_and_the_feed_is_polled_once_a_day(
    play: Play, database: Database
) -> None:
    async def scene(at: Scene) -> None:
        assert (await at.poll()).new_articles == 3
        (asked,) = at.hub.asked
        assert (asked["hub.mode"], asked["hub.topic"], asked["hub.lease_seconds"]) == ("subscribe", at.feed, "864000")
        assert asked["hub.callback"] == f"{at.settings.websub_address}/websub/{at.known().key}"
        assert len(asked["hub.secret"]) >= 32
        assert at.hub.answers == [(200, "a b&c")]
        assert at.known().is_live(at.clock.now)

        assert counts(await at.later(hours=2)) == (1, 0, 1, 0)
        assert timedelta(hours=24) <= at.due_in() < timedelta(hours=25)
        assert (await at.later(hours=3)).feeds == 0

        body, requests = at.publish(5), len(at.publisher.asked("/feed"))
        for method in ("sha1", "sha256", "sha384", "sha512"):
            assert await at.distribute(body, method=method) == 202
        report = await at.later(minutes=1)
        assert (counts(report), report.new_articles) == ((1, 1, 0, 0), 2)
        assert sorted(titles(database)) == [f"Story number {n}" for n in range(5)]
        assert len(at.publisher.asked("/feed")) == requests
        assert timedelta(hours=20) < at.due_in() < timedelta(hours=22)
        assert at.known().pushed == at.clock.now

        report = await at.later(hours=22)  # the same articles, fetched: none is stored twice
        assert (len(at.publisher.asked("/feed")), report.new_articles) == (requests + 1, 0)
        assert at.known().missed is None

    play(scene)


def test_pushed_and_polled_articles_are_the_same(play: Play, database: Database) -> None:
    async def scene(at: Scene) -> None:
        await at.poll()
        await at.distribute(at.publish(4).replace(b"https://news.example/3", b"/3"))  # relative, as in the feed
        await at.later(minutes=1)
        with database.read() as tx:
            pushed = tx.connection.exec_driver_sql("SELECT key, url, title FROM articles ORDER BY seq").all()
        assert len(pushed) == 4
        at.publisher.routes["/feed"] = document(at.publish(4).replace(b"https://news.example/3", b"/3"))
        assert (await at.later(days=2)).new_articles == 0
        with database.read() as tx:
            assert tx.connection.exec_driver_sql("SELECT key, url, title FROM articles ORDER BY seq").all() == pushed

    play(scene)


@pytest.mark.parametrize("wrong", ["secret", "method", "none", "cut"])
def test_what_is_not_signed_by_the_hub_is_thrown_away(play: Play, wrong: str, database: Database) -> None:
    async def scene(at: Scene) -> None:
        await at.poll()
        body = at.publish(5)
        if wrong == "secret":
            assert await at.distribute(body, secret="another") == 202
        else:
            header = {"method": "md5=abc", "none": "", "cut": "sha256=abc"}[wrong]
            headers = {"X-Hub-Signature": header} if header else {}
            callback = at.hub.subscribers[at.feed]["hub.callback"]
            assert (await asyncio.to_thread(send, "POST", callback, body, headers))[0] == 202
        with database.read() as tx:
            assert hubs.with_documents(tx, [1]) == set()
        assert (await at.later(minutes=1)).feeds == 0
        assert len(titles(database)) == 3

    play(scene)


def test_only_what_was_asked_is_verified(play: Play) -> None:
    async def scene(at: Scene) -> None:
        at.hub.verifies = False
        await at.poll()
        known, callback = at.known(), at.hub.asked[0]["hub.callback"]
        assert not known.is_live(at.clock.now)

        async def verify(callback: str, mode: str, topic: str, **other: str) -> int:
            return (await asyncio.to_thread(at.hub.verify, callback, mode, topic, **other))[0]

        assert await verify(callback + "x", "subscribe", at.feed, lease_seconds="9999") == 404
        assert await verify(callback, "subscribe", at.feed + "x", lease_seconds="9999") == 404
        assert await verify(callback, "unsubscribe", at.feed) == 404
        assert await verify(callback, "subscribe", at.feed, challenge="", lease_seconds="9999") == 404
        assert at.known() == known
        assert await verify(callback, "subscribe", at.feed, lease_seconds="7200") == 200
        assert at.known().lease_until == at.clock.now + timedelta(hours=2)
        at.clock.later(days=2)
        assert await verify(callback, "subscribe", at.feed, lease_seconds="7200") == 404

    play(scene)


def test_the_lease_is_renewed_before_it_ends_and_without_the_hub_polls_are_as_usual(play: Play) -> None:
    async def scene(at: Scene) -> None:
        at.hub.lease = 36_000
        await at.poll()
        await at.later(hours=2)
        assert timedelta(hours=5.9) < at.due_in() <= timedelta(hours=6)  # 8 hours after the hub has agreed
        await at.later(hours=6)
        assert [asked["hub.mode"] for asked in at.hub.asked] == ["subscribe"] * 2
        assert at.hub.asked[0]["hub.callback"] == at.hub.asked[1]["hub.callback"]
        assert at.known().lease_until == at.clock.now + timedelta(hours=10)

        at.hub.status = 500
        for _ in range(24):
            await at.later(hours=1)
        assert at.known().error == "the hub answered 500"
        assert not at.known().is_live(at.clock.now)
        assert at.due_in() < timedelta(hours=1.2)
        assert 5 <= len(at.hub.asked) <= 8
        at.hub.status = 202
        for _ in range(24):
            await at.later(hours=1)
        assert at.known().is_live(at.clock.now)
        assert at.known().error == ""

    play(scene)


def test_a_hub_that_refuses_or_pushes_nothing_is_not_relied_upon(play: Play) -> None:
    async def scene(at: Scene) -> None:
        await at.poll()
        await at.later(hours=2)
        at.publish(5)
        assert (await at.later(hours=26)).new_articles == 2  # the hub has not said so
        assert at.known().missed == at.clock.now
        assert at.due_in() < timedelta(hours=1.2)
        await at.distribute(at.publish(6))
        assert (await at.later(minutes=40)).new_articles == 1
        assert at.known().missed is None
        assert at.due_in() < timedelta(minutes=30)  # what is pushed puts no poll off
        await at.later(days=1)
        assert at.due_in() >= timedelta(hours=24)

        callback = at.hub.subscribers[at.feed]["hub.callback"]
        query = {"topic": at.feed, "reason": "no\nmore"}
        denial = "&".join(f"hub.{name}={value}".replace("\n", "%0A") for name, value in query.items())
        assert (await asyncio.to_thread(send, "GET", f"{callback}?hub.mode=denied&{denial}"))[0] == 200
        assert at.known().error == "the hub refuses: no more"
        assert (await at.later(minutes=1)).feeds == 1
        assert at.due_in() < timedelta(hours=1.2)

    play(scene)


def test_contents_that_are_no_feed_too_large_or_too_many_are_not_stored(play: Play, database: Database) -> None:
    async def scene(at: Scene) -> None:
        await at.poll()
        assert await at.distribute(b"x" * 100_001) == 413
        assert await at.distribute(b"<html>no feed</html>") == 202
        report = await at.later(minutes=1)
        assert (report.failed, report.new_articles) == (0, 0)
        assert states(database)[0].error == ""
        assert at.known().pushed is None
        body = at.publish(4)
        assert [await at.distribute(body) for _ in range(hubs.MOST_WAITING + 1)] == [202] * hubs.MOST_WAITING + [503]
        assert (await at.later(minutes=1)).new_articles == 1

    play(scene)


def test_what_a_hub_pushes_belongs_to_its_own_feed(play: Play, database: Database) -> None:
    async def scene(at: Scene) -> None:
        other = at.publisher.url("/other")
        at.publish(1, at="/other")
        follow(database, at.feed, other)
        await at.poll()
        assert len({asked["hub.callback"] for asked in at.hub.asked}) == 2
        assert len({asked["hub.secret"] for asked in at.hub.asked}) == 2
        secret = at.hub.subscribers[other]["hub.secret"]
        assert await at.distribute(at.publish(9), secret=secret) == 202  # signed for the other feed
        assert (await at.later(minutes=1)).feeds == 0
        await at.distribute(at.publish(7, at="/other"))  # whatever it is, it came for this feed
        requests = len(at.publisher.requests)
        await at.later(minutes=1)
        assert len(at.publisher.requests) == requests
        with database.read() as tx:
            rows = tx.connection.exec_driver_sql("SELECT feed_id, count(*) FROM articles GROUP BY feed_id").all()
        assert dict(map(tuple, rows)) == {1: 7, 2: 1}

    play(scene)


def test_a_feed_that_nobody_follows_any_more_is_unsubscribed(play: Play, database: Database) -> None:
    async def scene(at: Scene) -> None:
        await at.poll()
        callback = at.hub.subscribers[at.feed]["hub.callback"]
        with database.write() as tx:
            feeds.subscribe(tx, LOCAL_USER, [Subscription(at.feed, enabled=False)])
        assert (await asyncio.to_thread(send, "POST", callback, b"<rss/>"))[0] == 410
        await at.later(hours=1)
        assert at.hub.asked[-1]["hub.mode"] == "unsubscribe"
        assert at.hub.subscribers == {}
        assert at.subscription() is None

    play(scene)


def test_without_a_public_address_nothing_is_asked_and_what_was_agreed_is_forgotten(play: Play) -> None:
    async def scene(at: Scene) -> None:
        await at.poll()
        on, at.settings = at.settings, replace(at.settings, websub_address="")
        await at.later(hours=2)
        assert at.subscription() is None
        at.publish(4)
        await at.later(hours=2)
        assert (at.subscription(), len(at.hub.asked)) == (None, 1)
        at.settings = replace(on, websub_address=on.websub_address + "/")
        at.publish(5)
        await at.later(hours=2)
        assert at.known().is_live(at.clock.now)

    play(scene)


def test_another_public_address_is_told_to_the_hub(play: Play) -> None:
    async def scene(at: Scene) -> None:
        await at.poll()
        at.settings = replace(at.settings, websub_address=at.settings.websub_address.replace("127.0.0.1", "localhost"))
        await at.later(hours=2)
        assert at.hub.asked[-1]["hub.callback"].startswith("http://localhost:")
        assert len(at.hub.asked) == 2

    play(scene)


def test_a_private_feed_is_never_subscribed(play: Play, database: Database) -> None:
    async def scene(at: Scene) -> None:
        login = at.feed.replace("http://", "http://anna:secret@")
        follow(database, login, at.feed + "?token=abc", at.publisher.url("/rss/3f2a9c8d7e6b5a4f3e2d"))
        at.publish(3, at="/rss/3f2a9c8d7e6b5a4f3e2d")
        assert (await at.poll()).changed == 3
        assert (at.hub.asked, at.subscription()) == ([], None)

    play(scene)


def test_no_hub_in_a_private_network_is_asked(play: Play) -> None:
    async def scene(at: Scene) -> None:
        host = at.feed.removeprefix("http://").partition("/")[0]
        await at.poll()
        at.hub.asked.clear()
        at.settings = replace(
            at.settings,
            allow_private_networks=False,
            private_hosts=frozenset({host, at.hub.address.removeprefix("http://").partition("/")[0]}),
        )
        with at.database.write() as tx:
            hubs.set_error(tx, at.known(), "")
            tx.connection.exec_driver_sql("UPDATE hub_subscriptions SET next_attempt = 0")
        await at.poll()
        assert at.hub.asked == []
        assert "private network" in at.known().error

    play(scene)


def test_a_hub_may_send_requests_elsewhere(play: Play) -> None:
    async def scene(at: Scene) -> None:
        with running_hub() as other:
            at.hub.redirect = other.address
            await at.poll()
            assert [asked["hub.mode"] for asked in other.asked] == ["subscribe"]
            assert at.known().is_live(at.clock.now)
            at.publisher.routes["/feed"] = status(500)
            at.hub.redirect = at.hub.address
            await at.later(days=9)
            assert at.known().error == "the hub redirects more than 3 times"

    play(scene)
