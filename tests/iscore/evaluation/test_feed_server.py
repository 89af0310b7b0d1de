"""The server of the demo's feeds: which address it takes. Its answers are tested with the sample news."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from iscore.evaluation.feed_server import FeedServer

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def server(host: str, port: int = 0) -> FeedServer:
    return FeedServer(lambda _: None, lambda: NOON, (host, port))


# 192.0.2.0/24 is reserved for documentation and belongs to no machine.
@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.1"])
def test_it_serves_on_the_loopback(host: str) -> None:
    with server(host) as running:
        assert running.url.startswith("http://127.0.0.1:")


def test_it_takes_the_port_that_it_prefers_and_another_if_that_is_in_use() -> None:
    with server("127.0.0.1") as first:
        port = int(first.url.rpartition(":")[2])
        with server("127.0.0.1", port) as second:
            assert second.url != first.url
    with server("127.0.0.1", port) as third:
        assert third.url == first.url


def test_closing_twice_does_nothing() -> None:
    with server("127.0.0.1") as running:
        running.close()
        running.close()
