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
from tests.iscore.feeds.websub.conftest import Scene
from tests.servers.feed_server import status
from tests.servers.hub import running_hub, send


async def test_only_what_was_asked_is_verified(scene: Scene) -> None:
    scene.hub.verifies = False
    await scene.poll()
    known, callback = scene.known(), scene.hub.asked[0]["hub.callback"]
    assert not known.is_live(scene.clock.now)

    async def verify(callback: str, mode: str, topic: str, **other: str) -> int:
        return (await asyncio.to_thread(scene.hub.verify, callback, mode, topic, **other))[0]

    assert await verify(callback + "x", "subscribe", scene.feed, lease_seconds="9999") == 404
    assert await verify(callback, "subscribe", scene.feed + "x", lease_seconds="9999") == 404
    assert await verify(callback, "unsubscribe", scene.feed) == 404
    assert await verify(callback, "subscribe", scene.feed, challenge="", lease_seconds="9999") == 404
    assert scene.known() == known
    assert await verify(callback, "subscribe", scene.feed, lease_seconds="7200") == 200
    assert scene.known().lease_until == scene.clock.now + timedelta(hours=2)
    scene.clock.later(days=2)
    assert await verify(callback, "subscribe", scene.feed, lease_seconds="7200") == 404


async def test_the_lease_is_renewed_before_it_ends_and_without_the_hub_polls_are_as_usual(scene: Scene) -> None:
    scene.hub.lease = 36_000
    await scene.poll()
    await scene.later(hours=2)
    assert timedelta(hours=5.9) < scene.due_in() <= timedelta(hours=6)  # 8 hours after the hub has agreed
    await scene.later(hours=6)
    assert [asked["hub.mode"] for asked in scene.hub.asked] == ["subscribe"] * 2
    assert scene.hub.asked[0]["hub.callback"] == scene.hub.asked[1]["hub.callback"]
    assert scene.known().lease_until == scene.clock.now + timedelta(hours=10)

    scene.hub.status = 500
    for _ in range(24):
        await scene.later(hours=1)
    assert scene.known().error == "the hub answered 500"
    assert not scene.known().is_live(scene.clock.now)
    assert scene.due_in() < timedelta(hours=1.2)
    assert 5 <= len(scene.hub.asked) <= 8
    scene.hub.status = 202
    for _ in range(24):
        await scene.later(hours=1)
    assert scene.known().is_live(scene.clock.now)
    assert scene.known().error == ""


async def test_a_hub_that_refuses_or_pushes_nothing_is_not_relied_upon(scene: Scene) -> None:
    await scene.poll()
    await scene.later(hours=2)
    scene.publish(5)
    assert (await scene.later(hours=26)).new_articles == 2  # the hub has not said so
    assert scene.known().missed == scene.clock.now
    assert scene.due_in() < timedelta(hours=1.2)
    await scene.distribute(scene.publish(6))
    assert (await scene.later(minutes=40)).new_articles == 1
    assert scene.known().missed is None
    assert scene.due_in() < timedelta(minutes=30)  # what is pushed puts no poll off
    await scene.later(days=1)
    assert scene.due_in() >= timedelta(hours=24)

    callback = scene.hub.subscribers[scene.feed]["hub.callback"]
    query = {"topic": scene.feed, "reason": "no\nmore"}
    denial = "&".join(f"hub.{name}={value}".replace("\n", "%0A") for name, value in query.items())
    assert (await asyncio.to_thread(send, "GET", f"{callback}?hub.mode=denied&{denial}"))[0] == 200
    assert scene.known().error == "the hub refuses: no more"
    assert (await scene.later(minutes=1)).feeds == 1
    assert scene.due_in() < timedelta(hours=1.2)


async def test_a_feed_that_nobody_follows_any_more_is_unsubscribed(database: Database, scene: Scene) -> None:
    await scene.poll()
    callback = scene.hub.subscribers[scene.feed]["hub.callback"]
    with database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [Subscription(scene.feed, enabled=False)])
    assert (await asyncio.to_thread(send, "POST", callback, b"<rss/>"))[0] == 410
    await scene.later(hours=1)
    assert scene.hub.asked[-1]["hub.mode"] == "unsubscribe"
    assert scene.hub.subscribers == {}
    assert scene.subscription() is None


async def test_without_a_public_address_nothing_is_asked_and_what_was_agreed_is_forgotten(scene: Scene) -> None:
    await scene.poll()
    on, scene.settings = scene.settings, replace(scene.settings, websub_address="")
    await scene.later(hours=2)
    assert scene.subscription() is None
    scene.publish(4)
    await scene.later(hours=2)
    assert (scene.subscription(), len(scene.hub.asked)) == (None, 1)
    scene.settings = replace(on, websub_address=on.websub_address + "/")
    scene.publish(5)
    await scene.later(hours=2)
    assert scene.known().is_live(scene.clock.now)


async def test_the_hub_learns_of_another_public_address(scene: Scene) -> None:
    await scene.poll()
    scene.settings = replace(
        scene.settings, websub_address=scene.settings.websub_address.replace("127.0.0.1", "localhost")
    )
    await scene.later(hours=2)
    assert scene.hub.asked[-1]["hub.callback"].startswith("http://localhost:")
    assert len(scene.hub.asked) == 2


async def test_a_private_feed_is_never_subscribed(database: Database, scene: Scene) -> None:
    login = scene.feed.replace("http://", "http://anna:secret@")
    follow(database, login, scene.feed + "?token=abc", scene.publisher.url("/rss/3f2a9c8d7e6b5a4f3e2d"))
    scene.publish(3, at="/rss/3f2a9c8d7e6b5a4f3e2d")
    assert (await scene.poll()).changed == 3
    assert (scene.hub.asked, scene.subscription()) == ([], None)


async def test_no_hub_in_a_private_network_is_asked(scene: Scene) -> None:
    host = scene.feed.removeprefix("http://").partition("/")[0]
    await scene.poll()
    scene.hub.asked.clear()
    scene.settings = replace(
        scene.settings,
        allow_private_networks=False,
        private_hosts=frozenset({host, scene.hub.address.removeprefix("http://").partition("/")[0]}),
    )
    with scene.database.write() as tx:
        hubs.set_error(tx, scene.known(), "")
        tx.connection.exec_driver_sql("UPDATE hub_subscriptions SET next_attempt = 0")
    await scene.poll()
    assert scene.hub.asked == []
    assert "private network" in scene.known().error


async def test_a_hub_may_send_requests_elsewhere(scene: Scene) -> None:
    with running_hub() as other:
        scene.hub.redirect = other.address
        await scene.poll()
        assert [asked["hub.mode"] for asked in other.asked] == ["subscribe"]
        assert scene.known().is_live(scene.clock.now)
        scene.publisher.routes["/feed"] = status(500)
        scene.hub.redirect = scene.hub.address
        await scene.later(days=9)
        assert scene.known().error == "the hub redirects more than 3 times"
