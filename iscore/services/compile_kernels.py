"""Compile everything that scoring needs, by using it: on a few articles, in a temporary data folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from iscore.services.news_filter import NewsFilter
from storage.records.articles import NewArticle
from storage.records.feeds import Subscription
from storage.records.users import Kind
from storage.stream import articles, features, feeds

NOW = datetime(2026, 3, 2, 18, tzinfo=UTC)
FEED = "https://compile.example/feed"
TOPICS = (
    "harbour ferry sail council quay captain lighthouse anchor tide crew deck island storm pilot cargo strait",
    "football cup league goal striker referee stadium coach penalty derby keeper fans title transfer pitch bench",
    "recipe rice saffron stir oven herbs butter onion garlic simmer flour taste spoon kitchen dough sauce",
)


def compile_kernels(progress: Callable[[int, int], None]) -> None:
    """Let articles arrive, vote, list and explain. ``progress`` gets ``(done, total)`` before each stage and after."""
    with TemporaryDirectory(prefix="iscore-") as folder:
        now = NOW
        with NewsFilter.create(Path(folder) / "home", clock=lambda: now) as news:
            stages: tuple[Callable[[], None], ...] = (
                lambda: _first(news),  # ``iscore.services.compilation.TO_INGEST``
                lambda: _vote(news, [0]),
                lambda: _arrive(news, 14, 24),
                lambda: _vote(news, range(1, 13)),
                lambda: _arrive(news, 24, 34),
                lambda: _look(news),
            )
            for number, stage in enumerate(stages):
                progress(number, len(stages))
                stage()
                now += timedelta(hours=1)
            progress(len(stages), len(stages))


def _first(news: NewsFilter) -> None:
    """Let articles arrive twice, list them and explain one: all that can be done before the first verdict."""
    _arrive(news, 0, 10)
    _arrive(news, 10, 14)
    _project(news)
    news.why(news.inbox(everything=True).items[0].id)


def _arrive(news: NewsFilter, start: int, end: int) -> None:
    """Store some articles, and decide about them."""
    with news.database.write() as tx:
        feeds.subscribe(tx, news.context.user_id, [Subscription(FEED)])
        (feed,) = (each.feed.id for each in feeds.overview(tx, news.context.user_id))
        found = [_article(number) for number in range(start, end)]
        articles.store(tx, feed, FEED, found, news.context.clock())
    news.polling.decide()


def _vote(news: NewsFilter, numbers: Iterable[int]) -> None:
    """Like the articles of one topic, dislike the others, and learn that."""
    items = news.inbox(everything=True, limit=None).items
    of_number = {int(item.url.rpartition("/")[2]): item.id for item in items}
    for number in numbers:
        news.give(Kind.LIKE if number % len(TOPICS) == 0 else Kind.DISLIKE, [of_number[number]])
    news.inbox()


def _look(news: NewsFilter) -> None:
    news.digest()
    news.status()
    news.why(news.inbox(everything=True).items[0].id)


def _project(news: NewsFilter) -> None:
    """Compute stream vectors, which an installation with so few articles does not have."""
    from extractors.stream import word_vectors
    from extractors.text.terms import TermBatch

    with news.database.read() as tx:
        terms = TermBatch.from_bytes([vector for _, vector in features.term_vectors(tx, 0, word_vectors.FIRST)])
    word_vectors.fit(terms, 1).project(terms)


def _article(number: int) -> NewArticle:
    topic = TOPICS[number % len(TOPICS)].split()
    words = [topic[(number * step + step // 3) % len(topic)] for step in range(1, 16)]
    title, text = " ".join(words[:5]), f'The {" ".join(words[5:10])}. "It is {words[10]}," said {" ".join(words[11:])}.'
    return NewArticle(
        key=str(number),
        url=f"https://compile.example/{number}",
        title=title.capitalize(),
        author="A. Writer",
        categories=(f"Topic {number % len(TOPICS)}",),
        text=text,
        language="en",
        published=NOW,
        links=1,
        pictures=0,
        content_hash=hashlib.blake2b(str(number).encode(), digest_size=16).digest(),
    )
