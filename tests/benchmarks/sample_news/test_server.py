from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import urlsplit

import pytest

from benchmarks.sample_news import News, NewsServer

Answer = tuple[int, dict[str, str], bytes]


def get(url: str, **headers: str) -> Answer:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=5)
    try:
        connection.request("GET", parts.path, headers={name.replace("_", "-"): text for name, text in headers.items()})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


@pytest.fixture(scope="module")
def server(news: News) -> Iterator[NewsServer]:
    with NewsServer(news, at=news.start + timedelta(days=2)) as running:
        yield running


def test_every_source_is_served_as_it_stands(news: News, server: NewsServer) -> None:
    assert set(server.urls) == {source.key for source in news.sources}
    for source in news.sources:
        status, headers, body = get(server.urls[source.key])
        expected, content_type = news.feed_document(source, server.at)
        assert (status, headers["Content-Type"], body) == (200, content_type, expected)
        assert headers["ETag"].startswith('"')


def test_conditional_requests_get_304_until_time_brings_something_new(
    server: NewsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.urls["northwire"]
    _, headers, old = get(url)
    etag, modified = headers["ETag"], headers["Last-Modified"]
    status, again, body = get(url, If_None_Match=etag, If_Modified_Since=modified)
    assert (status, again["ETag"], body) == (304, etag, b"")
    assert get(url, If_Modified_Since=modified)[0] == 304
    assert get(url, If_None_Match='"other"', If_Modified_Since=modified)[0] == 200
    monkeypatch.setattr(server, "at", server.at + timedelta(days=1))
    status, headers, new = get(url, If_None_Match=etag, If_Modified_Since=modified)
    assert status == 200
    assert new != old
    assert headers["ETag"] != etag
    assert headers["Last-Modified"] != modified


def test_a_senseless_date_gets_the_whole_feed(server: NewsServer) -> None:
    assert get(server.urls["northwire"], If_Modified_Since="yesterday")[0] == 200


def test_unknown_paths_are_not_found(server: NewsServer) -> None:
    url = server.urls["northwire"].replace("northwire.xml", "nothing.xml")
    assert get(url)[0] == 404


def test_the_date_header_is_in_simulated_time(news: News, server: NewsServer) -> None:
    _, headers, _ = get(server.urls["molo"])
    assert headers["Date"] == "Wed, 05 Mar 2025 00:00:00 GMT"


def test_leaving_the_context_frees_the_ports(news: News) -> None:
    with NewsServer(news) as server:
        url = server.urls["longview"]
        assert get(url)[0] == 200
    parts = urlsplit(url)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((parts.hostname, parts.port), timeout=2)
    server.close()
