"""What is old when it arrives is stored and found, and not offered; and no source fills the first inbox."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from iscore.feeds.archive import UNDATED_NEWS, mark_archive, oldest_first
from iscore.filtering.delivery.tuning import FIRST_DAY
from iscore.services.news_filter import NewsFilter
from iscore.services.reading.reader import ListName, StoryList
from storage.log import decisions
from storage.records.articles import NewArticle
from storage.records.users import LOCAL_USER, Kind
from storage.stream import articles
from tests.servers.static_feeds import sentence

NOW = datetime(2026, 3, 9, 7, tzinfo=UTC)
DAILIES = 8
EPISODES = 40


def entry(key: str, published: datetime | None) -> NewArticle:
    return NewArticle(key, "", key, "", (), "", "en", published, 0, 0, b"")


def archived(entries: Sequence[NewArticle], *, first_fetch: bool) -> list[str]:
    return [each.key for each in mark_archive(entries, NOW, first_fetch=first_fetch) if each.archive]


def test_a_dated_entry_is_archive_after_a_week() -> None:
    ages = {"future": -1, "new": 0, "week": 7, "older": 8, "ancient": 6000}
    entries = [entry(key, NOW - timedelta(days=days)) for key, days in ages.items()]
    assert archived(entries, first_fetch=True) == archived(entries, first_fetch=False) == ["older", "ancient"]


def test_undated_entries_are_news_but_for_the_rest_of_a_first_fetch() -> None:
    entries = [entry(f"entry {number}", None) for number in range(UNDATED_NEWS + 3)]
    assert archived(entries, first_fetch=True) == [each.key for each in entries[UNDATED_NEWS:]]
    assert archived(entries, first_fetch=False) == []


def test_entries_are_numbered_from_the_oldest_and_undated_ones_as_the_feed_lists_them() -> None:
    hours = {"noon": 3, "undated": None, "late": 1, "early": 9, "also undated": None}
    entries = [entry(key, NOW - timedelta(hours=ago) if ago else None) for key, ago in hours.items()]
    twice = [*entries, entry("late", NOW)]
    assert [each.key for each in oldest_first(twice)] == ["also undated", "early", "undated", "noon", "late"]
    assert [each.key for each in oldest_first([entry(key, None) for key in "abc"])] == ["c", "b", "a"]


def document(source: str, entries: Sequence[tuple[str, datetime | None]]) -> bytes:
    """An RSS feed of entries with a name and perhaps a date; each has words of its own."""
    items = ""
    for name, published in entries:
        draw = random.Random(f"{source} {name}")
        date = f"<pubDate>{format_datetime(published)}</pubDate>" if published else ""
        items += f"<item><title>{sentence(draw)} {name}</title><guid>{source}-{name}</guid>{date}"
        words = " ".join("".join(draw.choices("bdfgklmnprstaeiou", k=7)) for _ in range(60))
        items += f"<description>{sentence(draw)} {words}</description></item>"
    return f'<rss version="2.0"><channel><title>{source}</title>{items}</channel></rss>'.encode()


@pytest.fixture
def feeds() -> Iterator[tuple[str, dict[str, bytes]]]:
    """A podcast with a year of episodes, a page without dates, and some dailies: address, and what is served."""
    served = {
        "/podcast": document("Podcast", [(f"episode {n}", NOW - timedelta(days=30 + 10 * n)) for n in range(EPISODES)]),
        "/undated": document("Undated", [(f"note {n}", None) for n in range(30)]),
    }
    for daily in range(DAILIES):
        news = [(f"news {n}", NOW - timedelta(hours=5 * n)) for n in range(4)]
        served[f"/daily{daily}"] = document(f"Daily {daily}", news)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = served[self.path]
            self.send_response(200)
            self.send_header("Content-Type", "application/rss+xml")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", served
        server.shutdown()


def assert_newest_first(news: NewsFilter, *sources: str) -> None:
    """Check the list of all stories: of each feed, the one published last is on top."""
    listed, _ = news.reader.ids(StoryList(ListName.ALL), limit=10_000)
    shown = {item.id: item for item in news.inbox(everything=True, limit=None).items}
    for source in sources:
        published = [item.published for item in map(shown.__getitem__, listed) if item.source == source]
        assert published == sorted(filter(None, published), reverse=True)


def test_a_first_inbox_has_no_archive_and_many_sources(feeds: tuple[str, dict[str, bytes]], tmp_path: Path) -> None:
    address, served = feeds
    listed = "".join(f"  - url: {address}{path}\n" for path in served)
    (tmp_path / "feeds.yaml").write_text(f"feeds:\n{listed}")
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text(
        "allow_private_networks = true\nhost_spacing = 0\nrefresh_cooldown = 0\nparse_processes = 1\n"
    )
    now = NOW
    with NewsFilter.create(home, tmp_path / "feeds.yaml", clock=lambda: now) as news:
        done = news.poll()
        assert (done.failed, done.new_articles) == (0, EPISODES + 30 + 4 * DAILIES)
        offered = 4 * DAILIES + UNDATED_NEWS
        assert done.decided == offered

        first = news.inbox()
        assert len(first.items) == FIRST_DAY
        assert all(now - (item.published or item.arrived) <= timedelta(days=7) for item in first.items)
        sources = Counter(item.source for item in first.items)
        assert len(sources) >= DAILIES  # of nine
        assert max(sources.values()) == 3  # the fair share of 20 among nine sources
        assert first.hidden == offered - FIRST_DAY
        assert first.archive == EPISODES + 20

        assert_newest_first(news, "Podcast", "Daily 0")
        everything = news.inbox(everything=True, limit=None).items
        assert len(everything) == done.new_articles
        assert sum(item.archive for item in everything) == first.archive
        dates = [item.published or item.arrived - timedelta(days=7 * item.archive) for item in everything]
        assert dates == sorted(dates, reverse=True)  # nothing is known, so all scores are equal

        archive = next(item for item in everything if item.archive)
        assert archive.id not in news.review_queue.inbox(everything=True).ids
        assert archive.id not in news.reader.ids(StoryList(ListName.HIDDEN), limit=10_000)[0]
        asked = news.current_inbox.most_informative(10_000)
        assert len(asked) == offered
        assert not any(item.archive for item in asked)

        assert {each.id for each in asked} <= {each.id for each in news.headlines.show()}

        # No rule makes news of it, and a verdict on it teaches.
        news.rules.add("always", "source", "Podcast")
        assert not any(item.archive for item in news.inbox(limit=None).items)
        assert (news.show(archive.id).interesting, news.why(archive.id).interesting) == (False, False)
        news.give(Kind.LIKE, [archive.id])
        assert news.inbox().learning.likes == 1
        status = news.status()
        assert (status.decided, status.recommended) == (offered, 0)
        with news.database.read() as tx:
            assert decisions.get(tx, LOCAL_USER, articles.find(tx, LOCAL_USER, archive.id)) == {}
        digest = news.digest()
        assert not any(each.archive for each in digest.numbered)
        assert digest.considered == offered

        # What appears in a feed later is news, dated or not.
        now += timedelta(hours=6)
        served["/undated"] = document("Undated", [(f"note {n}", None) for n in range(-15, 30)])
        served["/podcast"] = document("Podcast", [("new", now), ("found again", now - timedelta(days=4000))])
        assert news.poll(force=True).decided == 15 + 1
        assert news.inbox(everything=True, limit=None).archive == EPISODES + 20 + 1 - 1
