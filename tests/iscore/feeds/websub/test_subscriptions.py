"""Agreements with hubs: asked for, verified, renewed, given up."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

from storage.opening.database import Database
from storage.records.feeds import Subscription
from storage.records.users import LOCAL_USER
from storage.stream import feeds, hubs
from tests.iscore.feeds.polled import follow
from tests.iscore.feeds.websub.conftest import Play, Scene
from tests.servers.feed_server import status
from tests.servers.hub import running_hub, send


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


def test_the_hub_learns_of_another_public_address(play: Play) -> None:
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
