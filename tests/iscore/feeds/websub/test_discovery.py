"""Which hub a feed names, and which feeds are private."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iscore.feeds.http.outcomes import Fetched, Freshness
from iscore.feeds.parsing.jobs import FeedJob
from iscore.feeds.parsing.parse import parse
from iscore.feeds.poll_settings import PollSettings
from iscore.feeds.websub.discovery import hub_of, is_private, links
from storage.records.feeds import Hub
from tests.iscore.feeds.parsing.pooled import NOW

SETTINGS = PollSettings()
FEED = "https://news.example/feed"
HUB = "https://hub.example/"
ATOM = (
    '<feed xmlns="http://www.w3.org/2005/Atom"><id>f</id><title>News</title><link rel="hub" href="http://hub.example/"/>'
    '<link rel="self" href="https://news.example/self"/><link href="https://news.example/"/></feed>'
)
RSS = (
    '<rss version="2.0" xmlns:a="http://www.w3.org/2005/Atom"><channel><title>News</title>'
    '<a:link rel="hub" href="https://hub.example/"/><item><guid>1</guid><title>One</title></item></channel></rss>'
)
JSON = (
    '{"version": "https://jsonfeed.org/version/1.1", "title": "News", "feed_url": "https://news.example/self", '
    '"items": [], "hubs": [{"type": "rssCloud", "url": "https://no.example"}, {"type": "WebSub", "url": "https://hub.example/"}]}'
)


def found(document: str, links_: str = "", url: str = FEED) -> Hub | None:
    body = document.encode()
    fetched = Fetched(body, "", None, None, Freshness(), url, "", links_)
    return hub_of(url, fetched, parse(FeedJob(body, url, "", NOW)), SETTINGS)


@pytest.mark.parametrize(("document", "topic"), [(ATOM, FEED[:-4] + "self"), (RSS, FEED), (JSON, FEED[:-4] + "self")])
def test_a_document_names_its_hub_and_itself(document: str, topic: str) -> None:
    assert found(document) == Hub(HUB, topic, FEED)


def test_headers_come_first_and_links_without_relation_or_scheme_are_ignored() -> None:
    header = '</topic>; rel="self", <https://other.example/hub>; type=x; rel="preload Hub", <javascript:1>; rel=hub'
    assert found(ATOM, header) == Hub("https://other.example/hub", "https://news.example/topic", FEED)
    assert links("garbage, <>; rel=hub, <https://a.example", FEED) == {}
    assert found("<rss version='2.0'><channel><title>News</title></channel></rss>") is None


def test_a_hub_without_https_is_asked_by_https() -> None:
    assert found(RSS, '<http://hub.example:80/x>; rel="hub"') == Hub("https://hub.example/x", FEED, FEED)


@pytest.mark.parametrize(
    "url",
    [
        "https://www.youtube.com/feeds/videos.xml?channel_id=UCX6OQ3DkcsbYNE6H8uQQuVA",
        "http://feeds.example/GiantRobotsSmashingIntoOtherGiantRobots",
        "https://news.example/2024/annual-report-of-the-council/feed/",
        "https://www.blogger.com/feeds/7833828309523986982/posts/default",
        "https://blog.example/?feed=rss2",
        "https://medium.example/feed/@someone",
    ],
)
def test_usual_addresses_are_public(url: str) -> None:
    assert not is_private(url, SETTINGS)


@pytest.mark.parametrize(
    "url",
    [
        "https://anna:secret@news.example/feed",
        "https://news.example/feed?token=abc",
        "https://podcasts.example/rss/show?auth=qwertz",
        "https://git.example/anna.private.atom?feed_token=x",
        "https://news.example/private/3f2a9c8d7e6b5a4f3e2d.xml",
        "https://news.example/550e8400-e29b-41d4-a716-446655440000/rss",
        "https://news.example/content/eyJ0IjoicCIsImMiOiIxMjM0In0/feed.rss",
        "https://news.example/feed?k=Zm9vYmFyMTIzNDU2Nzg5",
        "http://127.0.0.1/feed",
        "http://localhost:8080/feed",
        "https://nas.lan/feed",
    ],
)
def test_logins_secrets_and_the_own_network_are_private(url: str) -> None:
    settings = replace(SETTINGS, private_hosts=frozenset({"nas.lan:443"}))
    assert is_private(url, settings)
    if "lan" not in url:
        assert found(RSS, url=url) is None
