"""How many feeds a reader may follow, and how often they may be polled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from iscore.feeds.errors import SubscriptionsError
from iscore.services.news_filter import NewsFilter
from storage.stream import feeds
from tests.iscore.conftest import Archive

ADDRESSES = [f"https://news.example/{number}" for number in range(5)]


@pytest.fixture
def folder(empty_home: Path, tmp_path: Path) -> Path:
    """A server of an admin and a reader, Ben, where readers may follow three feeds."""
    archive = Archive.copied(empty_home, tmp_path / "home")
    archive.news.people.add("Ben")
    archive.database.close()
    archive.home.config.write_text("reader_feeds = 3\nreader_interval = 3600\n", "utf-8")
    return archive.home.path


@pytest.fixture
def ben(folder: Path) -> Iterator[NewsFilter]:
    with NewsFilter.open(folder, user="Ben") as news:
        yield news


def followed(news: NewsFilter) -> list[tuple[str, int | None]]:
    """The subscriptions in the database: address and interval."""
    with news.database.read() as tx:
        return [(mine.url, mine.interval) for mine, _ in feeds.followed(tx, news.context.user_id)]


def test_a_reader_is_told_before_anything_changes(ben: NewsFilter) -> None:
    ben.subscriptions.add(ADDRESSES[:2], discover=False)
    for discover in (True, False):
        with pytest.raises(SubscriptionsError, match="you can follow 3 feeds on this server; remove some first"):
            ben.subscriptions.add(ADDRESSES[2:4], discover=discover)
    with pytest.raises(SubscriptionsError, match="3 feeds"):
        ben.subscriptions.follow_packs([*ben.subscriptions.starter_packs()])
    assert [url for url, _ in followed(ben)] == ADDRESSES[:2]
    ben.subscriptions.add([ADDRESSES[0], ADDRESSES[2]], discover=False)
    ben.subscriptions.add([ADDRESSES[0]], discover=False)  # has it already
    assert [url for url, _ in followed(ben)] == ADDRESSES[:3]


def test_a_list_that_is_too_long_is_followed_as_far_as_it_may_be(ben: NewsFilter) -> None:
    outlines = "".join(f'<outline type="rss" xmlUrl="{url}" text="x"/>' for url in ADDRESSES)
    imported = ben.subscriptions.import_list(f"<opml><body>{outlines}</body></opml>".encode())
    assert (len(imported.added), imported.left_out) == (3, 2)
    longer = "feeds:\n" + "".join(f"  - url: {url}\n    interval: 10m\n" for url in ADDRESSES)
    ben.context.feeds.replace(longer, before=ben.context.feeds.read().decode())
    (warning,) = ben.subscriptions.follow()
    assert warning == "2 feeds at the end of your list are not followed: you can follow 3 on this server"
    assert followed(ben) == [(url, 3600) for url in ADDRESSES[:3]]


def test_an_admin_has_no_quota_and_a_new_one_neither(folder: Path, ben: NewsFilter) -> None:
    with NewsFilter.open(folder) as admin:
        admin.subscriptions.add(ADDRESSES, discover=False)
        assert len(followed(admin)) >= 5
        admin.people.set_role("Ben", "admin")
    ben.subscriptions.add(ADDRESSES, discover=False)
    assert len(followed(ben)) == 5
