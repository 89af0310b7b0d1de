"""What the reader's pages cost the server with 100,000 articles.

    python -m benchmarks.reader_pages [--articles 100000] [--repeats 15]

The real command serves a data folder with articles of 100 feeds that arrived over 33 days, 3,000 a day; each has a
score, every tenth repeats another story, and half of the last week's are read. One client opens each page again and
again. The figure is the processor time of all threads of the server for one request, as Linux counts it.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from statistics import median

from benchmarks import cpu, homes
from benchmarks.results import Cell, write
from iscore.core.data_folder import DataFolder
from iscore.web.security.credentials import CredentialStore
from storage import feeds
from storage.database import Database, open_database
from storage.records import LOCAL_USER, Subscription
from tests.iscore.web.client import Answer, Client

DAYS = 33
STEP = 5000
NOTES = (
    "Milliseconds of processor time of the server for one request, and the kilobytes of its answer. The first request "
    "of each page is not counted."
)


def main() -> None:
    """Measure and write ``benchmarks/results/reader_pages``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    count, repeats = (2000, 2) if options.quick else (options.articles, options.repeats)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        fill(home, count)
        with served(home) as (client, pid):
            rows = [measure(name, work, pid, repeats) for name, work in requests(client)]
    columns = ("page", "median (ms)", "slowest (ms)", "size (kB)")
    write("reader_pages", f"The reader's pages with {count:,} articles", columns, rows, NOTES)


def fill(path: Path, count: int) -> None:
    """Make a data folder with articles, scores and marks."""
    home = DataFolder(path)
    home.create(None)
    urls = [f"https://past{number}.example/feed" for number in range(homes.PAST_FEEDS)]
    entries = "".join(f"  - url: {url}\n    tags: [folder {n % 5}]\n" for n, url in enumerate(urls) if n % 2)
    entries += "".join(f"  - url: {url}\n" for n, url in enumerate(urls) if not n % 2)
    home.feeds.write_text(f"feeds:\n{entries}")
    open_database(home.database, create=True).close()
    with homes.opened(path) as (database, _):
        with database.write() as tx:
            tagged = [Subscription(url, tags=(f"folder {n % 5}",) if n % 2 else ()) for n, url in enumerate(urls)]
            feeds.subscribe(tx, LOCAL_USER, tagged)
        for start in range(0, count, STEP):
            numbers = range(start, min(start + STEP, count))
            homes.store(database, urls, "summary", numbers, count, timedelta(days=DAYS))
        score(database)
    CredentialStore(path).mark_set_up()  # for one user, without a password


def score(database: Database) -> None:
    """Give all articles stories and scores, and mark every other story as read."""
    with database.write() as tx:
        for statement in (
            "UPDATE articles SET story = CASE WHEN seq % 10 = 9 THEN seq - 3 ELSE seq END",
            "INSERT INTO standings (user_id, seq, score, threshold, interesting, explore, arrived, archive) "
            "SELECT 1, seq, seq * 7919 % 1000 / 100.0 - 9, 0, seq * 7919 % 1000 >= 900, seq % 500 = 0, arrived, 0 "
            "FROM articles WHERE story = seq",
            "INSERT INTO marks (user_id, story, read_at, saved_at, kept_unread) "
            "SELECT 1, seq, arrived, CASE WHEN seq % 100 = 1 THEN arrived END, 0 FROM articles "
            "WHERE story = seq AND seq % 2",
            "UPDATE users SET judged_to = (SELECT max(seq) FROM articles)",
        ):
            tx.connection.exec_driver_sql(statement)


@contextmanager
def served(home: Path) -> Iterator[tuple[Client, int]]:
    """Run ``iscore serve``; return a client and the server's process."""
    command = [cpu.program(), "--home", str(home), "serve", "--port", "0", "--pages-only", "--json"]
    environment = os.environ | {"ISCORE_NOW": homes.NOW.isoformat()}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as server:
        assert server.stdout is not None
        try:
            ready = "".join(line.decode() for line in iter(server.stdout.readline, b"}\n")) + "}"
            yield Client(json.loads(ready)["address"]), server.pid
        finally:
            server.terminate()


def requests(client: Client) -> list[tuple[str, Callable[[], Answer]]]:
    """Return what is asked for, by name."""
    paths = {
        "All": "/all",
        "All, best first": "/all?order=best",
        "All, unread": "/all?unread=1",
        "All, after 50,000": "/all?after=50000",
        "Maybe": "/maybe",
        "a feed": "/feed/7",
        "a feed, best first": "/feed/7?order=best",
        "a folder": "/folder/folder%201",
        "Saved": "/saved",
        "Search, a word of every article": "/search?q=the",
        "Search, saved by an author": "/search?q=is%3Asaved+author%3Aa",
        "all lists": "/lists",
    }
    first = client.get("/all")
    if first.status != 200:
        raise RuntimeError(f"the list of all stories was answered with {first.status}: {first.body[-500:]}")
    story = re.findall(r'<article id="a-([a-z0-9]+)"', first.body)[0]
    names = ("token", "nonce", "list", "newest")
    form = {name: html.unescape(first.hidden(name)) for name in names}
    part = {"X_Part": "story"}
    found: list[tuple[str, Callable[[], Answer]]] = [
        (name, lambda path=path: client.get(path)) for name, path in paths.items()
    ]
    found.append(("an article, after a verdict on it", lambda: client.get(f"/article/{story}?verdict=")))
    found.append(("save a story", lambda: client.post("/mark", form | {"do": f"save:{story}"}, **part)))
    found.append(("like a story", lambda: client.post("/mark", form | {"do": f"like:{story}"}, **part)))
    return found


def measure(name: str, work: Callable[[], Answer], pid: int, repeats: int) -> tuple[Cell, ...]:
    """Return the name of a request, and what it costs."""
    answer = work()
    if answer.status != 200:
        raise RuntimeError(f"{name} was answered with {answer.status}")
    spent = []
    for _ in range(repeats):
        before = processor_time(pid)
        work()
        spent.append(processor_time(pid) - before)
    row = (
        name,
        round(1000 * median(spent), 1),
        round(1000 * max(spent), 1),
        round(len(answer.body.encode()) / 1000, 1),
    )
    print(*row, flush=True)
    return row


def processor_time(pid: int) -> float:
    """Return the seconds that the threads of a process have run so far."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


if __name__ == "__main__":
    main()
