"""What measuring costs: document and stream features against feedparser, reader features after many verdicts.

    python -m benchmarks.feature_cost [--quick]

Document and stream features: all of them, tokenising and weighing included, over the entries that our parser made of
some feeds, with more and more articles seen before; ``feedparser.parse`` with its defaults reads the same feeds by
turns. Reader features: after many verdicts, over articles in batches, as they are judged and as they are learned from
("followed": each is measured, then learned); and one by one, as a program that puts its own pipeline together asks.
Rows of bytes stand in the same column. Processor time of one warm process; medians.
"""

from __future__ import annotations

import io
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from benchmarks import made_up_news, results
from benchmarks.made_up_news import ENTRIES, LENGTHS, Length, is_liked, story
from benchmarks.streams import LabelledArticle
from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.base import Verdicts
from iscore.filtering.features.computation import ArticleFeatures, ReaderFeatures
from iscore.filtering.features.factory import make_extractors
from iscore.filtering.serialization import pack

NOW = datetime(2026, 3, 1, tzinfo=UTC)
TARGETS = {"full": 0.4, "summary": 0.35}
READER_TARGET = 150
FEEDS = 20
REPEATS = 7
AHEAD = 10_000_000
"""Numbers of the articles that are measured, beyond all those of the past."""


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of a piece of work."""
    began = time.process_time()
    work()
    return time.process_time() - began


def document(number: int, length: Length) -> LabelledArticle:
    """Return a made-up article as it stands after parsing."""
    news = story(number, length)
    return LabelledArticle(
        id=str(number),
        url=f"https://site{number % 40}.example/{number}",
        source=f"Feed {number % 300}",
        site=f"site{number % 40}.example",
        author=news.author,
        categories=(f"topic {news.topic % 12}",),
        language="en",
        published=NOW,
        arrived=NOW + timedelta(seconds=20 * (number % AHEAD)),
        title=news.title,
        text=" ".join(news.sentences),
        links=3,
        pictures=1,
        labels={"reader": is_liked(news.topic)},
    )


def parsed(feeds: Sequence[bytes]) -> list[LabelledArticle]:
    """Return the articles that our own parser makes of feeds."""
    from iscore.feeds.parsing.jobs import FeedJob
    from iscore.feeds.parsing.parse import parse

    documents = []
    for number, body in enumerate(feeds):
        url = f"https://feed{number}.example/feed.xml"
        documents += [
            LabelledArticle(
                id=entry.key,
                url=entry.url,
                source=f"Feed {number}",
                site=f"feed{number}.example",
                author=entry.author,
                categories=entry.categories,
                language=entry.language,
                published=entry.published,
                arrived=NOW + timedelta(days=30),
                title=entry.title,
                text=entry.text,
                links=entry.links,
                pictures=entry.pictures,
                labels={},
            )
            for entry in parse(FeedJob(body, url, "application/xml", NOW)).entries
        ]
    return documents


def arrival_costs(length: Length, histories: Sequence[int]) -> list[list[results.Cell]]:
    """Return rows of document and stream features."""
    import feedparser

    def read() -> None:
        for body in feeds:
            feedparser.parse(io.BytesIO(body))

    feeds = [made_up_news.feed(n, length, AHEAD + n * ENTRIES) for n in range(FEEDS)]
    documents = parsed(feeds)
    arrivals = ArticleFeatures(make_extractors())
    arrivals.analyse_many(documents[:ENTRIES])
    read()
    rows: list[list[results.Cell]] = []
    seen = ENTRIES
    for history in histories:
        while seen < history:
            more = min(4000, history - seen)
            arrivals.analyse_many([document(seen + n, length) for n in range(more)])
            seen += more
        state = arrivals.state()
        turns = []
        for _ in range(REPEATS):
            turns.append((seconds(lambda: arrivals.analyse_many(documents)), seconds(read)))
            arrivals.restore(state)  # so that no turn finds the articles of the last one
        ours = statistics.median(turn[0] for turn in turns) / len(documents) * 1e6
        theirs = statistics.median(turn[1] for turn in turns) / len(documents) * 1e6
        ratio = statistics.median(own / peer for own, peer in turns)
        rows.append(
            ["document and stream", length, history, round(ours, 1), round(theirs, 1), round(ratio, 3), TARGETS[length]]
        )
        print(*rows[-1], f"state {len(pack(state)) / 1e6:.1f} MB", sep="\t", file=sys.stderr, flush=True)
    return rows


def reader_costs(verdicts: Sequence[int]) -> list[list[results.Cell]]:
    """Return rows of reader features, and the size of what is learned."""
    arrivals = ArticleFeatures(make_extractors())
    features = ReaderFeatures(make_extractors())
    rows: list[list[results.Cell]] = []
    learned = 0
    judged = arrivals.analyse_many([document(AHEAD + n, "full") for n in range(1000)])
    for many in verdicts:
        while learned < many:
            documents = [document(learned + n, "full") for n in range(min(1000, many - learned))]
            articles = arrivals.analyse_many(documents)
            for news, article in zip(documents, articles, strict=True):
                features.learn(article, news.labels["reader"], 1.0)
            learned += len(documents)
        size = len(pack(features.state()))
        for what, cost in _reader_turns(features, judged).items():
            rows.append([what, "full", many, round(cost, 1), "", "", READER_TARGET if what != "reader, learn" else ""])
        rows.append(["reader, bytes learned", "full", many, size, "", "", ""])
        for row in rows[-5:]:
            print(*row, sep="\t", file=sys.stderr, flush=True)
    return rows


def _learn_each(features: ReaderFeatures, judged: Sequence[AnalysedArticle]) -> None:
    for number, article in enumerate(judged):
        features.learn(article, number % 5 == 0, 1.0)


def _reader_turns(features: ReaderFeatures, judged: Sequence[AnalysedArticle]) -> dict[str, float]:
    """Return the microseconds per article of each way; what is learned here is forgotten."""
    state = features.state()
    batch = AnalysedBatch.of(judged)
    verdicts = Verdicts(np.arange(len(judged)) % 5 == 0, np.ones(len(judged)))
    ways: dict[str, Callable[[], object]] = {
        "reader, in a batch": lambda: features.extract_many(batch),
        "reader, followed in a batch": lambda: features.extract_and_learn(batch, verdicts),
        "reader, one by one": lambda: [features.extract(article) for article in judged],
        "reader, learn": lambda: _learn_each(features, judged),
    }
    found: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(REPEATS):
        for way, work in ways.items():
            found[way].append(seconds(work) / len(judged) * 1e6)
        features.restore(state)
    return {way: statistics.median(costs) for way, costs in found.items()}


def reader_memory(verdicts: int) -> list[list[results.Cell]]:
    """Return rows of what a reader's features hold in memory after many verdicts."""
    arrivals = ArticleFeatures(make_extractors())
    documents = [document(number, "full") for number in range(verdicts)]
    articles = arrivals.analyse_many(documents)
    tracemalloc.start()
    features = ReaderFeatures(make_extractors())
    for news, article in zip(documents, articles, strict=True):
        features.learn(article, news.labels["reader"], 1.0)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    row: list[results.Cell] = ["reader, bytes in memory", "full", verdicts, held, "", "", ""]
    print(*row, sep="\t", file=sys.stderr, flush=True)
    return [row]


def main() -> None:
    """Measure and write the results."""
    quick = "--quick" in sys.argv
    histories = [5_000] if quick else [1_000, 10_000, 50_000, 100_000]
    rows = [row for length in LENGTHS for row in arrival_costs(length, histories)]
    rows += reader_costs([1_000] if quick else [100, 1_000, 10_000, 30_000])
    rows += reader_memory(1_000 if quick else 10_000)
    columns = ("features", "texts", "seen before", "µs per article", "feedparser, µs", "times feedparser", "target")
    results.write("feature_cost", "What measuring an article costs", columns, rows, __doc__ or "")


if __name__ == "__main__":
    main()
