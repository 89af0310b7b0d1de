"""Contents of articles for pages, and the pictures that belong to them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from iscore.core.errors import UnknownArticleError
from iscore.services.news_filter import NewsFilter
from iscore.services.reading.contents import PictureSource, Size, picture_name
from storage.records.articles import Content, Enclosure, NewArticle
from storage.records.feeds import FetchRecord, Subscription
from storage.records.users import LOCAL_USER
from storage.stream import feeds

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
FEED = "http://nas.home:8080/feed"
PICTURE = "http://nas.home:8080/p.png"
CONTENT = Content(
    f'<p>a</p><img alt="" src="{PICTURE}"><script>alert(1)</script><img alt="" src="javascript:alert(1)">',
    (Enclosure("https://c.example/a.mp3", "audio/mpeg", 5), Enclosure("javascript:alert(1)", "x", None)),
    "https://c.example/t.jpg",
)


def entry(key: str, content: Content) -> NewArticle:
    return NewArticle(key, "", key, "", (), "Words.", "", None, 0, 0, b"", content=content)


@pytest.fixture
def news(tmp_path: Path) -> Iterator[NewsFilter]:
    (tmp_path / "feeds.yaml").write_text("feeds: []\n")
    with NewsFilter.create(tmp_path / "home", tmp_path / "feeds.yaml", clock=lambda: NOW) as opened:
        with opened.database.write() as tx:
            feeds.subscribe(tx, LOCAL_USER, [Subscription(FEED)])
            feed = feeds.overview(tx, LOCAL_USER)[0].feed
            plain = entry("plain", Content("", (), "https://c.example/t.jpg"))
            feeds.record(tx, [FetchRecord(feed, (entry("whole", CONTENT), plain), NOW)])
        yield opened


def ids(news: NewsFilter) -> list[str]:
    with news.database.read() as tx:
        return list(tx.connection.exec_driver_sql("SELECT id FROM articles ORDER BY seq").scalars())


def test_pages_get_clean_html_with_their_own_addresses(news: NewsFilter) -> None:
    """Whatever is stored: nothing relies on that it was cleaned before."""
    view = news.contents.view(ids(news)[0], lambda name: f"/own/{name}")
    assert view.html == f'<p>a</p><img alt="" src="/own/{picture_name(PICTURE)}">'
    assert view.picture == ""
    assert [each.url for each in view.enclosures] == ["https://c.example/a.mp3"]
    plain = news.contents.view(ids(news)[1], lambda name: f"/own/{name}")
    assert (plain.html, plain.picture) == ("", f"/own/{picture_name('https://c.example/t.jpg')}")
    assert news.contents.thumbnails([*ids(news), "unknown"], lambda each: f"/t/{each}") == {
        each: f"/t/{each}" for each in ids(news)
    }


def test_a_name_leads_to_a_picture_of_the_article_only(news: NewsFilter) -> None:
    whole, plain = ids(news)
    assert news.contents.picture(whole, picture_name(PICTURE)) == PictureSource(PICTURE, True, Size.WHOLE)
    assert news.contents.picture(plain, picture_name(PICTURE)) is None
    assert news.contents.picture(plain, "thumbnail") == PictureSource("https://c.example/t.jpg", False, Size.THUMBNAIL)
    for name in ("", "x", PICTURE, picture_name("javascript:alert(1)")):
        assert news.contents.picture(whole, name) is None


def test_a_private_network_is_open_only_beside_the_feed(news: NewsFilter) -> None:
    whole = ids(news)[0]
    assert news.contents.picture(whole, picture_name(PICTURE)) == PictureSource(PICTURE, True, Size.WHOLE)
    assert news.contents.picture(whole, "thumbnail") == PictureSource("https://c.example/t.jpg", False, Size.THUMBNAIL)


def test_without_pictures_there_are_none(news: NewsFilter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISCORE_PICTURES", "false")
    whole = ids(news)[0]
    view = news.contents.view(whole, lambda name: f"/own/{name}")
    assert (view.html, view.picture) == ("<p>a</p>", "")
    assert news.contents.picture(whole, "thumbnail") is None
    assert news.contents.thumbnails([whole], str) == {}


def test_who_may_not_see_an_article_gets_nothing_of_it(news: NewsFilter) -> None:
    whole = ids(news)[0]
    with news.database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [])
    with pytest.raises(UnknownArticleError):
        news.contents.view(whole, str)
    with pytest.raises(UnknownArticleError):
        news.contents.picture(whole, "thumbnail")
    assert news.contents.thumbnails([whole], str) == {}
