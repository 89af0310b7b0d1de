"""Data folders with a past: articles with features and decisions, and a user who has given verdicts.

Everything is made by the program's own functions in the order in which life calls them; only fetching and parsing are
left out. The texts are those of ``made_up_news``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks import made_up_news
from benchmarks.made_up_news import Length
from iscore.core.data_folder import DataFolder
from iscore.services.learning.current_scores import rescore
from iscore.services.learning.scoring import score_new
from iscore.services.news_filter import NewsFilter
from storage.log import decisions, feedback
from storage.opening.database import Database, open_database
from storage.records.articles import NewArticle
from storage.records.feeds import Subscription
from storage.records.users import LOCAL_USER, Kind, Verdict
from storage.stream import articles, feeds

NOW = datetime(2026, 3, 2, 18, tzinfo=UTC)
"""When the benchmarks take place."""
PAST_FEEDS = 100
FIRST_OF_PAST = 10_000_000
"""Number of the first article of the past, so that none comes twice."""
STEP = 5000
"""Articles stored, measured and judged together."""


@contextmanager
def opened(path: Path) -> Iterator[tuple[Database, NewsFilter]]:
    """Open a home and its news filter."""
    with open_database(DataFolder(path).database) as database:
        yield database, NewsFilter(DataFolder(path), database, lambda: NOW)


def make(path: Path, length: Length, history: int, *, days: float, verdicts: int) -> None:
    """Make a home at ``path`` whose ``history`` articles arrived evenly over the last ``days``.

    The reader has judged ``verdicts`` of them, and the model has learned them all.
    """
    home = DataFolder(path)
    home.create(None)
    home.feeds.write_text("feeds: []\n")
    open_database(home.database, create=True).close()
    with opened(path) as (database, news):
        urls = [f"https://past{number}.example/feed" for number in range(PAST_FEEDS)]
        with database.write() as tx:
            feeds.subscribe(tx, LOCAL_USER, [Subscription(url) for url in urls])
        for start in range(0, history, STEP):
            end = min(start + STEP, history)
            store(database, urls, length, range(start, end), history, timedelta(days=days))
            measure(news)
            judge(database, news)
        give(database, [1 + number * history // verdicts for number in range(verdicts)])
        learn(database, news)
        with database.write() as tx:
            feeds.subscribe(tx, LOCAL_USER, [])


def live(path: Path, length: Length, history: int, *, rounds: int, days: float, verdicts: int) -> None:
    """Make a home at ``path`` with a past: its ``history`` articles came in a number of rounds over ``days``.

    After each the reader judges what was delivered, and then the oldest of what was not, up to ``verdicts`` in all; the
    model learns them before the next.
    """
    home = DataFolder(path)
    home.create(None)
    home.feeds.write_text("feeds: []\n")
    open_database(home.database, create=True).close()
    with opened(path) as (database, news):
        urls = [f"https://past{number}.example/feed" for number in range(PAST_FEEDS)]
        with database.write() as tx:
            feeds.subscribe(tx, LOCAL_USER, [Subscription(url) for url in urls])
        for number in range(rounds):
            part = range(number * history // rounds, (number + 1) * history // rounds)
            now = NOW - timedelta(days=days) * (1 - part.stop / history)
            store(database, urls, length, part, history, timedelta(days=days))
            measure(news)
            judge(database, news, now)
            with database.read() as tx:
                shown = decisions.get(tx, LOCAL_USER, range(part.start + 1, part.stop + 1)).values()
            ordered = sorted(shown, key=lambda each: (not (each.interesting or each.explore), each.seq))
            wanted = (number + 1) * verdicts // rounds - number * verdicts // rounds
            give(database, [each.seq for each in ordered[:wanted]], now)
            learn(database, news, now)
        home.feeds.write_text("feeds:\n" + "".join(f"  - url: {url}\n" for url in urls))


def measure(news: NewsFilter) -> int:
    """Measure what waits."""
    return news.ingestion.catch_up()


def judge(database: Database, news: NewsFilter, now: datetime = NOW) -> int:
    """Judge what waits with the reader's model."""
    names = news.extractors.article_feature_names
    load = news.models.load
    return score_new(database, news.context.user, load(), names, now=now, load=load).scored


def give(database: Database, seqs: Sequence[int], at: datetime = NOW) -> None:
    """Let the reader judge these articles, truthfully and in this order."""
    with database.write(durable=True) as tx:
        given = [
            Verdict(f"benchmark {article.seq}", LOCAL_USER, article.seq, opinion(article.categories), at)
            for article in articles.get(tx, seqs)
        ]
        feedback.append(tx, given)


def learn(database: Database, news: NewsFilter, now: datetime = NOW) -> int:
    """Learn what the log holds; save the model and the current_scores; return how many articles were judged again."""
    kept = news.models.load()
    since = now - news.context.inbox_period
    current_scores = rescore(database, news.context.user, kept.model, since=since)
    with database.write() as tx:
        news.models.save(tx, kept)
        decisions.rescore(tx, LOCAL_USER, current_scores)
    return len(current_scores)


def opinion(categories: tuple[str, ...]) -> Kind:
    """What the reader says about an article of the past."""
    topic = int(categories[0].removeprefix("Topic "))
    return Kind.LIKE if made_up_news.is_liked(topic) else Kind.DISLIKE


def store(database: Database, urls: list[str], length: Length, numbers: range, history: int, span: timedelta) -> None:
    """Store articles of the past, feed by feed; the place in the past is the article's number in the database."""
    with database.write() as tx:
        ids = {each.feed.url: each.feed.id for each in feeds.overview(tx, LOCAL_USER)}
        size = 50
        for start in range(numbers.start, numbers.stop, size):
            batch = range(start, min(start + size, numbers.stop))
            url = urls[start // size % len(urls)]
            at = NOW - span * (1.0 - start / history)
            articles.store(tx, ids[url], url, [article_of_past(number, length, at) for number in batch], at)


def article_of_past(number: int, length: Length, at: datetime) -> NewArticle:
    """Return an article of the past."""
    told = made_up_news.story(FIRST_OF_PAST + number, length)
    return NewArticle(
        key=str(number),
        url=f"https://past.example/{number}",
        title=told.title,
        author=told.author,
        categories=(f"Topic {told.topic}",),
        text=" ".join(told.sentences),
        language="en",
        published=at,
        links=4,
        pictures=number % 3 == 0,
        content_hash=hashlib.blake2b(str(number).encode(), digest_size=16).digest(),
    )
