"""Feeds that a hub pushes, and workers: what is pushed is stored once and judged, and the feed is left alone."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest
from starlette.responses import PlainTextResponse

from iscore.evaluation.feed_server import Document, FeedServer
from iscore.jobs.workers.due import HOST_PAUSE, POLL_STEP
from iscore.web.api.hubs import HubCallbacks, HubRequests
from storage.schema.column_types import microseconds
from tests.iscore.jobs.workers.office import Office
from tests.servers.asgi import serving
from tests.servers.feed_server import rss
from tests.servers.hub import running_hub

FEED = "url LIKE 'http://127.0.2.1:%'"


@pytest.mark.long
def test_a_pushed_feed_is_stored_once_judged_and_polled_once_a_day(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    def publish(_path: str) -> Document:
        asked.append(threading.get_ident())
        return Document(published[0], "application/rss+xml", datetime.now(UTC))

    def stored() -> list[tuple[int, ...]]:
        """Return how many articles of the feed there are, and for how many a decision."""
        scored = "SELECT b.story FROM current_scores s JOIN articles b ON b.seq = s.seq WHERE s.user_id = 1"
        of_feed = f"feed_id = (SELECT id FROM feeds WHERE {FEED})"
        count = f"SELECT count(*), count(*) FILTER (WHERE story IN ({scored})) FROM articles WHERE {of_feed}"
        return office.execute(count)

    def later() -> None:
        for pause in (HOST_PAUSE, POLL_STEP):  # feeds that are due within a minute are polled together
            office.passes(pause)
            assert office.works()

    def due_in() -> timedelta:
        (at,) = office.execute(f"SELECT next_due FROM feeds WHERE {FEED}")[0]
        return timedelta(microseconds=at - microseconds(datetime.now(UTC)))

    asked: list[int] = []
    callbacks = HubCallbacks(office.news.database, lambda: datetime.now(UTC), max_body=100_000)
    publisher = FeedServer(publish, lambda: datetime.now(UTC), ("127.0.2.1", 0))
    with running_hub() as hub, serving(HubRequests(PlainTextResponse("a page"), callbacks)) as address, publisher:
        monkeypatch.setenv("ISCORE_WEBSUB_ADDRESS", address)
        topic = f"{publisher.url}/feed"
        links = f'<link rel="hub" href="{hub.address}" xmlns="http://www.w3.org/2005/Atom"/>'
        links += f'<link rel="self" href="{topic}" xmlns="http://www.w3.org/2005/Atom"/>'
        published = [rss(3, extra=links)]
        office.follow(1, topic)
        assert office.works()
        assert (stored(), len(asked)) == ([(3, 3)], 1)
        assert [each["hub.topic"] for each in hub.asked] == [topic]

        office.execute(f"UPDATE feeds SET next_due = 0 WHERE {FEED}")
        later()
        assert len(asked) == 2
        assert timedelta(hours=23) < due_in() < timedelta(hours=25)

        published[0] = rss(5, extra=links)
        for _ in range(2):  # hubs do so when they are in doubt
            assert hub.distribute(topic, published[0]) == 202
        later()
        assert (stored(), len(asked)) == ([(5, 5)], 2)
        assert due_in() > timedelta(hours=20)

        office.execute(f"UPDATE feeds SET next_due = 0 WHERE {FEED}")
        later()
        assert (stored(), len(asked)) == ([(5, 5)], 3)
    office.check()
