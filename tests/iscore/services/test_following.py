"""The database's list of subscriptions follows feeds.yaml, and is written only where it differs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from iscore.services.news_filter import NewsFilter
from storage.engine import changes
from tests.iscore.conftest import Archive

SHARED, ELSEWHERE = "https://shared.example/feed", "https://elsewhere.example/feed"


@pytest.fixture
def two(empty_home: Path, tmp_path: Path) -> Iterator[tuple[NewsFilter, NewsFilter]]:
    """Two people who follow the same feed."""
    archive = Archive.copied(empty_home, tmp_path / "home")
    archive.news.people.add("Ben")
    with archive.database:
        both = archive.news, archive.news.for_user(2)
        for news in both:
            news.subscriptions.add([SHARED], discover=False)
        yield both


def changed(news: NewsFilter) -> tuple[int, int]:
    """Return how many commits changed what all share, and what is this user's."""
    with news.database.read() as tx:
        return changes.numbers(tx, news.context.user_id).others


def follow(news: NewsFilter, *urls: str) -> tuple[bool, bool]:
    """Follow other feeds; return whether that was a change for all, and for this user."""
    before = news.context.feeds.read().decode()
    news.context.feeds.replace("feeds:\n" + "".join(f"  - url: {url}\n" for url in urls), before=before)
    shared, own = changed(news)
    news.subscriptions.follow()
    then = changed(news)
    return then[0] > shared, then[1] > own


def test_to_list_the_feeds_writes_nothing(two: tuple[NewsFilter, NewsFilter]) -> None:
    for news in two:
        before = news.database.version(), changed(news)
        assert SHARED in [each.url for each in news.subscriptions.feeds()]
        assert (news.database.version(), changed(news)) == before


def test_only_a_feed_that_nobody_followed_is_a_change_for_all(two: tuple[NewsFilter, NewsFilter]) -> None:
    _, ben = two
    assert follow(ben, SHARED, ELSEWHERE) == (True, False)
    assert follow(ben, ELSEWHERE) == (False, True)
    assert follow(ben, ELSEWHERE, SHARED) == (False, True)
    assert [each.url for each in ben.subscriptions.known().values()] == [ELSEWHERE, SHARED]
    assert follow(ben, ELSEWHERE, SHARED) == (False, False)
