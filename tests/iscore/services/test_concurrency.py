"""Pollers, devices and learners at once, on one database of a server: nothing is lost, doubled, or somebody else's.

Each has a connection of its own, as another process on another machine has.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Barrier

import pytest

from iscore.services.news_filter import NewsFilter
from storage.log import decisions
from storage.opening.database import ARRIVALS
from storage.records.articles import NewArticle
from storage.records.feeds import FetchRecord, Subscription
from storage.records.users import LOCAL_USER, Kind
from storage.stream import articles, feeds
from tests.iscore.conftest import START
from tests.servers.postgresql import PostgresqlServer

MINE, PRIVATE = "https://harbour.example/feed", "https://orchard.example/feed"
ANNA = LOCAL_USER + 1
BATCHES, EACH = 6, 4


@pytest.fixture(scope="session")
def server(postgresql_server: PostgresqlServer) -> PostgresqlServer:
    """A server of PostgreSQL."""
    return postgresql_server


@pytest.fixture
def home(server: PostgresqlServer, tmp_path: Path) -> Path:
    """A data folder of two people who follow different feeds, with its database on the server."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "config.toml").write_text(f'database = "{server.loopback_address(server.create())}"\n')
    with NewsFilter.create(folder, clock=lambda: START) as news:
        (folder / "feeds.yaml").write_text(f"feeds:\n  - url: {MINE}\n")
        news.people.add("Anna")
        news.for_user(ANNA).context.feeds.replace(f"feeds:\n  - url: {PRIVATE}\n", before="feeds: []\n")
        with news.database.write() as tx:
            feeds.subscribe(tx, LOCAL_USER, [Subscription(MINE)])
            feeds.subscribe(tx, ANNA, [Subscription(PRIVATE)])
    return folder


def entry(word: str, number: int) -> NewArticle:
    """Make an article about a word."""
    subject = ("wind", "senate", "violin", "glacier", "turbine")[number % 5]
    text = f"What the {word} has to say about the {subject}, {number} times. " * 3
    return NewArticle(
        key=f"{word} {number}",
        url=f"https://{word}.example/{number}",
        title=f"{word} and {subject} {'abcdefghijklmnopqrstuvwxyz'[number % 26] * 5} {number}",
        author="Ada",
        categories=(),
        text=text,
        language="en",
        published=START,
        links=0,
        pictures=0,
        content_hash=f"{word}{number}".encode().ljust(16)[:16],
    )


def store(news: NewsFilter, url: str, word: str, numbers: range) -> None:
    """Store what a poll of a feed brings."""
    with news.database.write(ARRIVALS) as tx:
        user = LOCAL_USER if url == MINE else ANNA
        feed = next(each.feed for each in feeds.overview(tx, user) if each.feed.url == url)
        known = replace(feed, etag=f"{word} {numbers}")
        feeds.record(tx, [FetchRecord(known, tuple(entry(word, number) for number in numbers), START)])


def together(*work: Callable[[], object], meanwhile: tuple[Callable[[], object], ...] = ()) -> None:
    """Do all work at once, and again and again, until that is done, what happens ``meanwhile``; then once more."""
    start = Barrier(len(work) + len(meanwhile))

    def once(do: Callable[[], object]) -> None:
        start.wait()
        do()

    def until_done(do: Callable[[], object]) -> None:
        start.wait()
        while not all(each.done() for each in done):
            do()
        do()

    with ThreadPoolExecutor(len(work) + len(meanwhile)) as threads:
        done: list[Future[None]] = [threads.submit(once, each) for each in work]
        others = [threads.submit(until_done, each) for each in meanwhile]
        for each in (*done, *others):
            each.result()


@pytest.mark.long
def test_what_two_pollers_bring_is_decided_about_once_for_all_who_may_see_it(home: Path) -> None:
    """Articles that are committed late, beside those who judge, are judged later, and nobody sees another's feed."""
    seen: set[str] = set()

    def poll(url: str, word: str, first: int) -> None:
        with NewsFilter.open(home, clock=lambda: START) as news:
            for batch in range(first, first + BATCHES):
                store(news, url, word, range(batch * EACH, (batch + 1) * EACH))
                store(news, url, word, range(100, 102))  # both bring these

    def judge(user_id: int, word: str) -> None:
        with NewsFilter.open(home, clock=lambda: START) as news:
            own = news.for_user(user_id)
            own.polling.decide()
            seen.update(f"{word}: {each.source}" for each in own.inbox(limit=1000).items)

    together(
        *(
            lambda place=place, first=first: poll(*place, first)  # type: ignore[misc]
            for place in ((MINE, "harbour"), (PRIVATE, "orchard"))
            for first in (0, BATCHES)
        ),
        meanwhile=(lambda: judge(LOCAL_USER, "harbour"), lambda: judge(ANNA, "orchard")),
    )
    assert seen == {"harbour: harbour.example", "orchard: orchard.example"}
    with NewsFilter.open(home) as news, news.database.read() as tx:
        stored = articles.get(tx, range(1, articles.last_seq(tx) + 1))
        assert len(stored) == 2 * (2 * BATCHES * EACH + 2)
        assert all(each.story is not None for each in stored)
        for user_id, word in ((LOCAL_USER, "harbour"), (ANNA, "orchard")):
            assert decisions.unscored(tx, user_id, 100) == []
            query = "SELECT count(*), min(url), max(url) FROM decisions JOIN articles USING (seq) WHERE user_id = %s"
            count, first, last = tx.connection.exec_driver_sql(query, (user_id,)).one()
            leaders = sum(each.story == each.seq and word in each.url for each in stored)
            assert (count, word in first, word in last) == (leaders, True, True)


@pytest.mark.long
def test_verdicts_of_two_devices_are_all_learned_while_somebody_learns(home: Path) -> None:
    """A verdict that is committed late, beside a device that learns: the model equals a replay afterwards."""
    with NewsFilter.open(home, clock=lambda: START) as news:
        store(news, MINE, "harbour", range(24))
        store(news, PRIVATE, "orchard", range(24))
        news.polling.decide()
        news.for_user(ANNA).polling.decide()
        with news.database.read() as tx:
            stored = articles.get(tx, range(1, 49))
    ids = {word: [each.id for each in stored if word in each.url] for word in ("harbour", "orchard")}

    def device(user_id: int, word: str, first: int) -> None:
        with NewsFilter.open(home, clock=lambda: START + timedelta(hours=first)) as news:
            mine = news.for_user(user_id)
            for number, name in enumerate(ids[word][first::2]):
                mine.give((Kind.LIKE, Kind.DISLIKE)[number % 2], [name], request=f"{word} {first} {number}")
                mine.give(Kind.SKIP, ids[word][:1], request=f"{word} the same {number}")

    def learn(user_id: int) -> None:
        with NewsFilter.open(home, clock=lambda: START) as news:
            news.for_user(user_id).models.current()

    together(
        *(
            lambda who=who, first=first: device(*who, first)  # type: ignore[misc]
            for who in ((LOCAL_USER, "harbour"), (ANNA, "orchard"))
            for first in (0, 1)
        ),
        meanwhile=(lambda: learn(LOCAL_USER), lambda: learn(ANNA)),
    )
    with NewsFilter.open(home) as news:
        for user_id in (LOCAL_USER, ANNA):
            assert news.for_user(user_id).models.unlearned() == 0  # only a skip may be behind the snapshot
            assert news.for_user(user_id).models.rebuild(check=True).equal
            with news.database.read() as tx:
                query = "SELECT count(*) FROM feedback WHERE user_id = %s"
                assert tx.connection.exec_driver_sql(query, (user_id,)).scalar_one() == 24 + 12


def test_each_feed_is_claimed_by_one_of_many_pollers(home: Path) -> None:
    with NewsFilter.open(home) as news, news.database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [Subscription(f"https://{number}.example/feed") for number in range(40)])
    claimed: list[int] = []

    def poll() -> None:
        with NewsFilter.open(home) as news, news.database.write(ARRIVALS) as tx:
            found = feeds.claim_due(tx, START, START + timedelta(minutes=5))
        claimed.extend(each.id for each in found)

    together(*[poll] * 4)
    assert len(claimed) == len(set(claimed)) == 41
