from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from io import BytesIO

import feedparser
import pytest

from benchmarks.sample_news import News, Source
from benchmarks.sample_news.sources import SOURCES

XML = [source for source in SOURCES if source.format != "json"]
JSON = [source for source in SOURCES if source.format == "json"]
MOMENTS = [timedelta(hours=20), timedelta(days=5), timedelta(days=28)]


@pytest.mark.parametrize("source", XML, ids=lambda source: source.key)
def test_feedparser_finds_every_entry_as_it_was_written(news: News, source: Source) -> None:
    for moment in MOMENTS:
        body, content_type = news.feed_document(source, news.start + moment)
        found = feedparser.parse(BytesIO(body), response_headers={"content-type": content_type})
        expected = news.entries(source, news.start + moment)
        assert not found.bozo
        assert found.encoding == source.encoding
        assert found.version == {"rss": "rss20", "atom": "atom10"}[source.format]
        assert [entry.title for entry in found.entries] == [article.title for article in expected]
        assert [entry.link for entry in found.entries] == [article.url for article in expected]
        assert [entry.get("author", "") for entry in found.entries] == [article.author for article in expected]
        assert len({entry.id for entry in found.entries}) == len(expected)
        assert all(("content" in entry) == source.full for entry in found.entries)


@pytest.mark.parametrize("source", JSON, ids=lambda source: source.key)
def test_json_feeds_have_the_members_that_the_format_demands(news: News, source: Source) -> None:
    for moment in MOMENTS:
        body, content_type = news.feed_document(source, news.start + moment)
        document = json.loads(body)
        expected = news.entries(source, news.start + moment)
        assert content_type == "application/feed+json"
        assert document["version"] == "https://jsonfeed.org/version/1.1"
        assert [item["id"] for item in document["items"]] == [article.id for article in expected]
        assert [item["url"] for item in document["items"]] == [article.url for article in expected]
        assert [item["content_html"] for item in document["items"]] == [article.html for article in expected]


def test_a_feed_holds_the_last_thirty_entries_and_nothing_from_the_future(news: News) -> None:
    for source in news.sources:
        assert news.entries(source, news.start - timedelta(seconds=1)) == []
        for days in (1, 7, 28):
            at = news.start + timedelta(days=days)
            entries = news.entries(source, at)
            past = [a for a in news.articles if a.source == source.key and a.published <= at]
            assert entries == past[::-1][:30]


def test_the_bytes_change_only_when_an_entry_appears(news: News) -> None:
    source = news.sources[0]
    third, fourth = [article.published for article in news.articles if article.source == source.key][2:4]
    before = news.feed_document(source, third)
    assert news.feed_document(source, fourth - timedelta(seconds=1)) == before
    assert news.feed_document(source, fourth) != before


def test_a_feed_without_entries_is_still_a_feed(news: News) -> None:
    for source in XML:
        body, _ = news.feed_document(source, datetime(2000, 1, 1, tzinfo=UTC))
        found = feedparser.parse(BytesIO(body))
        assert (found.bozo, found.feed.title, found.entries) == (False, source.title, [])


def test_some_entries_have_no_date_and_the_rest_tell_the_truth(news: News) -> None:
    source = next(source for source in news.sources if source.key == "civic-gazette")
    at = news.start + timedelta(days=9)
    entries = feedparser.parse(BytesIO(news.feed_document(source, at)[0])).entries
    dates = [entry.get("published_parsed") for entry in entries]
    assert 0 < dates.count(None) < len(dates)
    for date, article in zip(dates, news.entries(source, at), strict=True):
        assert (date is None) != article.dated
        assert date is None or date == article.published.utctimetuple()
