"""What a hub pushes arrives like a poll, or not at all."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from storage.opening.database import Database
from storage.stream import hubs
from tests.iscore.feeds.polled import counts, follow, states, titles
from tests.iscore.feeds.websub.conftest import Scene
from tests.servers.feed_server import document
from tests.servers.hub import send


async def test_what_a_hub_pushes_is_stored_as_a_poll_would_and_the_feed_is_polled_once_a_day(
    database: Database, scene: Scene
) -> None:
    assert (await scene.poll()).new_articles == 3
    (asked,) = scene.hub.asked
    assert (asked["hub.mode"], asked["hub.topic"], asked["hub.lease_seconds"]) == ("subscribe", scene.feed, "864000")
    assert asked["hub.callback"] == f"{scene.settings.websub_address}/websub/{scene.known().key}"
    assert len(asked["hub.secret"]) >= 32
    assert scene.hub.answers == [(200, "a b&c")]
    assert scene.known().is_live(scene.clock.now)

    assert counts(await scene.later(hours=2)) == (1, 0, 1, 0)
    assert timedelta(hours=24) <= scene.due_in() < timedelta(hours=25)
    assert (await scene.later(hours=3)).feeds == 0

    body, requests = scene.publish(5), len(scene.publisher.asked("/feed"))
    for method in ("sha1", "sha256", "sha384", "sha512"):
        assert await scene.distribute(body, method=method) == 202
    report = await scene.later(minutes=1)
    assert (counts(report), report.new_articles) == ((1, 1, 0, 0), 2)
    assert sorted(titles(database)) == [f"Story number {n}" for n in range(5)]
    assert len(scene.publisher.asked("/feed")) == requests
    assert timedelta(hours=20) < scene.due_in() < timedelta(hours=22)
    assert scene.known().pushed == scene.clock.now

    report = await scene.later(hours=22)  # the same articles, fetched: none is stored twice
    assert (len(scene.publisher.asked("/feed")), report.new_articles) == (requests + 1, 0)
    assert scene.known().missed is None


async def test_pushed_and_polled_articles_are_the_same(database: Database, scene: Scene) -> None:
    await scene.poll()
    await scene.distribute(scene.publish(4).replace(b"https://news.example/3", b"/3"))  # relative, as in the feed
    await scene.later(minutes=1)
    with database.read() as tx:
        pushed = tx.connection.exec_driver_sql("SELECT key, url, title FROM articles ORDER BY seq").all()
    assert len(pushed) == 4
    scene.publisher.routes["/feed"] = document(scene.publish(4).replace(b"https://news.example/3", b"/3"))
    assert (await scene.later(days=2)).new_articles == 0
    with database.read() as tx:
        assert tx.connection.exec_driver_sql("SELECT key, url, title FROM articles ORDER BY seq").all() == pushed


@pytest.mark.parametrize("wrong", ["secret", "method", "none", "cut"])
async def test_what_is_not_signed_by_the_hub_is_thrown_away(wrong: str, database: Database, scene: Scene) -> None:
    await scene.poll()
    body = scene.publish(5)
    if wrong == "secret":
        assert await scene.distribute(body, secret="another") == 202
    else:
        header = {"method": "md5=abc", "none": "", "cut": "sha256=abc"}[wrong]
        headers = {"X-Hub-Signature": header} if header else {}
        callback = scene.hub.subscribers[scene.feed]["hub.callback"]
        assert (await asyncio.to_thread(send, "POST", callback, body, headers))[0] == 202
    with database.read() as tx:
        assert hubs.with_documents(tx, [1]) == set()
    assert (await scene.later(minutes=1)).feeds == 0
    assert len(titles(database)) == 3


async def test_contents_that_are_no_feed_too_large_or_too_many_are_not_stored(database: Database, scene: Scene) -> None:
    await scene.poll()
    assert await scene.distribute(b"x" * 100_001) == 413
    assert await scene.distribute(b"<html>no feed</html>") == 202
    report = await scene.later(minutes=1)
    assert (report.failed, report.new_articles) == (0, 0)
    assert states(database)[0].error == ""
    assert scene.known().pushed is None
    body = scene.publish(4)
    assert [await scene.distribute(body) for _ in range(hubs.MOST_WAITING + 1)] == [202] * hubs.MOST_WAITING + [503]
    assert (await scene.later(minutes=1)).new_articles == 1


async def test_what_a_hub_pushes_belongs_to_its_own_feed(database: Database, scene: Scene) -> None:
    other = scene.publisher.url("/other")
    scene.publish(1, at="/other")
    follow(database, scene.feed, other)
    await scene.poll()
    assert len({asked["hub.callback"] for asked in scene.hub.asked}) == 2
    assert len({asked["hub.secret"] for asked in scene.hub.asked}) == 2
    secret = scene.hub.subscribers[other]["hub.secret"]
    assert await scene.distribute(scene.publish(9), secret=secret) == 202  # signed for the other feed
    assert (await scene.later(minutes=1)).feeds == 0
    await scene.distribute(scene.publish(7, at="/other"))  # whatever it is, it came for this feed
    requests = len(scene.publisher.requests)
    await scene.later(minutes=1)
    assert len(scene.publisher.requests) == requests
    with database.read() as tx:
        rows = tx.connection.exec_driver_sql("SELECT feed_id, count(*) FROM articles GROUP BY feed_id").all()
    assert dict(map(tuple, rows)) == {1: 7, 2: 1}
