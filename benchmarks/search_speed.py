"""What search costs: a query at 100,000 articles, indexing an article, and the room of the index.

    python -m benchmarks.search_speed [--articles 100000] [--repeats 7]

The articles have the texts of ``made_up_news``, some 430 words each; half of these are English function words, so a
common word is in every article. A query is timed as ``iscore search`` runs it, words to results with their excerpts,
in a process that has the database open. Indexing is what the upgrade of a database without an index does.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks import homes, made_up_news
from benchmarks.results import Cell, write
from iscore.core.data_folder import DataFolder
from storage.opening.database import Database, open_database
from storage.records.feeds import Subscription
from storage.records.users import LOCAL_USER
from storage.stories.article_filter import ArticleFilter
from storage.stream import feeds, search_index

STEP = 5000


def main() -> None:
    """Measure and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    count, repeats = (2000, 1) if options.quick else (options.articles, options.repeats)
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(Path(folder) / "home", count, repeats)
    write("search_speed", f"Search among {count:,} articles", ["what", "found", "ms (median)"], rows, NOTES)


NOTES = "Time of one process with the database open, from words to results with excerpts; 30 results at most."


def measure(path: Path, count: int, repeats: int) -> list[tuple[Cell, ...]]:
    """Fill a home, and time indexing and queries."""
    home = DataFolder(path)
    home.create(None)
    home.feeds.write_text("feeds: []\n")
    open_database(home.database, create=True).close()
    urls = [f"https://past{number}.example/feed" for number in range(homes.PAST_FEEDS)]
    with homes.opened(path) as (database, news):
        with database.write() as tx:
            feeds.subscribe(tx, LOCAL_USER, [Subscription(url, tags=("half",) * (n % 2)) for n, url in enumerate(urls)])
        for start in range(0, count, STEP):
            homes.store(database, urls, "full", range(start, min(start + STEP, count)), count, timedelta(days=365))
        rows: list[tuple[Cell, ...]] = [indexing(database, count)]
        last = made_up_news.story(homes.FIRST_OF_PAST + count - 1, "full")
        words = sorted({word.strip(".,").lower() for word in last.sentences[0].split()}, key=len)
        month = ArticleFilter(since=homes.NOW - timedelta(days=30))
        queries: list[tuple[str, str, ArticleFilter]] = [
            ("a word of every article", "the", ArticleFilter()),
            ("two common words", "the of", ArticleFilter()),
            ("a rare word", words[-1], ArticleFilter()),
            ("a title as a phrase", f'"{last.title}"', ArticleFilter()),
            ("a common beginning", "con*", ArticleFilter()),
            ("an author", last.author, ArticleFilter()),
            ("a source", "past7.example", ArticleFilter()),
            ("nothing", "quicksilverish", ArticleFilter()),
            ("a common word, last month", "the", month),
            ("a common word, half of the feeds", "the", ArticleFilter(tag="half")),
            ("a common word, another language", "the", ArticleFilter(language="fr")),
        ]
        for what, query, only in queries:
            found = news.search.find(query, only=only)
            matches = f"{found.matches:,}+" if found.more else f"{found.matches:,}"
            spent = [timed(partial(news.search.find, query, only=only)) for _ in range(repeats)]
            rows.append((what, matches, round(1000 * median(spent), 1)))
    return rows


def indexing(database: Database, count: int) -> tuple[Cell, ...]:
    """Index everything anew; the figure is the time of one article."""
    with database.write() as tx:
        tx.connection.exec_driver_sql("INSERT INTO search (search) VALUES ('delete-all')")
        spent = timed(lambda: search_index.fill(tx))
        pages = tx.connection.exec_driver_sql("SELECT sum(length(block)) FROM search_data").scalar_one()
        texts = tx.connection.exec_driver_sql("SELECT sum(length(CAST(text AS BLOB))) FROM texts").scalar_one()
    what = f"indexing an article ({spent:.0f} s for all; {pages / 1e6:.0f} MB for {texts / 1e6:.0f} MB of texts)"
    return what, f"{count:,}", round(1000 * spent / count, 3)


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
