"""The real streams lived through with the product: verdicts a day late, and only for what was delivered.

The twin of ``real_streams``, whose reader judges everything at once. Here articles of one day are stored in a real
database, and ``NewsFilter.poll`` measures, learns, judges and explores; a day later the reader says what they think of
what was recommended or explored, and of nothing else. Every article counts in F0.5, delivered or not; explored ones
count as delivered.

    python -m benchmarks.delivered_stream [PROXY …]
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from itertools import groupby
from pathlib import Path

import numpy as np

from benchmarks import results
from benchmarks.streams import LabelledArticle, italian_reader, reuters
from iscore.core.data_folder import DataFolder
from iscore.filtering.metrics import count
from iscore.services.news_filter import NewsFilter
from storage.opening.database import open_database
from storage.records.articles import NewArticle
from storage.records.feeds import FetchRecord, Subscription
from storage.records.users import Kind
from storage.stream import feeds

PROXIES = ("acq", "crude", "trade", "ship", "coffee", "earn∧canada")


def days_of(documents: Sequence[LabelledArticle]) -> list[tuple[datetime, list[LabelledArticle]]]:
    """Group a stream into days; the Italian one, whose times of arrival are not known, into 40 articles a day."""
    if documents[0].language == "it":
        first = documents[0].arrived
        chunks = [list(documents[start : start + 40]) for start in range(0, len(documents), 40)]
        return [(first + timedelta(days=number), chunk) for number, chunk in enumerate(chunks)]
    return [
        (max(document.arrived for document in chunk), chunk)
        for chunk in (list(group) for _, group in groupby(documents, key=lambda document: document.arrived.date()))
    ]


def live_through(documents: Sequence[LabelledArticle], proxy: str, folder: Path) -> tuple[float, float, int]:
    """Return F0.5 of what was recommended and of what was delivered, and the number of verdicts."""
    now = documents[0].arrived
    home = DataFolder(folder)
    home.path.mkdir(parents=True)
    home.feeds.write_text("feeds: []\n")
    decided: list[tuple[bool, bool, bool]] = []  # recommended, delivered, liked
    verdicts = 0
    late: list[tuple[Kind, str]] = []
    with NewsFilter.create(folder, clock=lambda: now) as news:
        for arrival, articles in days_of(documents):
            now = arrival
            _store(home.database, articles, now)
            for kind in (Kind.LIKE, Kind.DISLIKE):
                ids = [article_id for each, article_id in late if each is kind]
                if ids:
                    news.give(kind, ids)
            verdicts += len(late)
            late = []
            news.poll()
            labels = {document.title + document.text: document.labels.get(proxy) for document in articles}
            for item in news.inbox(everything=True, limit=None).items:
                if item.arrived != now:
                    continue
                liked = labels.get(item.title + news.show(item.id).text)
                if liked is None:
                    continue
                decided.append((bool(item.interesting), bool(item.interesting or item.explore), liked))
                if item.interesting or item.explore:
                    late.append((Kind.LIKE if liked else Kind.DISLIKE, item.id))
    recommended, delivered, liked_ones = np.array(decided, dtype=np.bool_).T
    return count(recommended, liked_ones).f_beta() or 0.0, count(delivered, liked_ones).f_beta() or 0.0, verdicts


def _store(database: Path, articles: Sequence[LabelledArticle], now: datetime) -> None:
    by_source: dict[str, list[NewArticle]] = {}
    for document in articles:
        by_source.setdefault(document.source, []).append(
            NewArticle(
                key=document.id,
                url=document.url,
                title=document.title,
                author=document.author,
                categories=document.categories,
                text=document.text,
                language=document.language,
                published=document.published,
                links=document.links,
                pictures=document.pictures,
                content_hash=blake2b((document.title + document.text).encode(), digest_size=16).digest(),
            )
        )
    opened = open_database(database)
    with opened.write() as tx:
        known = {overview.feed.title: overview.feed for overview in feeds.overview(tx, 1)}
        wanted = [Subscription(f"https://stream.example/{source}", title=source) for source in {*known, *by_source}]
        feeds.subscribe(tx, 1, wanted)
        rows = {row.subscription.title: row.feed for row in feeds.overview(tx, 1)}
        feeds.record(tx, [FetchRecord(rows[source], tuple(entries), now) for source, entries in by_source.items()])
        feeds.subscribe(tx, 1, [])
    opened.close()


def main() -> None:
    """Live through the streams and write ``benchmarks/results/delivered_stream``."""
    chosen = tuple(sys.argv[1:]) or PROXIES
    table: list[list[results.Cell]] = []
    runs = [("Reuters", reuters(), chosen), ("Italian reader", italian_reader(), ("reader",))]
    with tempfile.TemporaryDirectory() as folder:
        for stream, documents, proxies in runs:
            for number, proxy in enumerate(proxies):
                start = time.perf_counter()
                recommended, delivered, verdicts = live_through(documents, proxy, Path(folder) / f"{stream}{number}")
                table.append(
                    [
                        stream,
                        proxy,
                        len(documents),
                        verdicts,
                        round(recommended, 3),
                        round(delivered, 3),
                        round(time.perf_counter() - start, 1),
                    ]
                )
                print(*table[-1], sep="\t", file=sys.stderr)
    columns = ["stream", "reader", "articles", "verdicts", "F0.5 recommended", "F0.5 delivered", "seconds"]
    results.write("delivered_stream", "Late verdicts on what was delivered", columns, table, __doc__ or "")


if __name__ == "__main__":
    main()
