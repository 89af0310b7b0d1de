"""A server with 10,000 readers and 30 days: its size, the plans of its queries, what pages, apps and workers cost.

    python -m benchmarks.large_server [--readers 10000] [--days 30] [--repeats 20]

The database is made of made-up rows, see ``large_database``. Then the program works on it: workers plan, claim, store,
measure, judge and look after digests; pages and the apps' APIs answer readers with the scores of all days; the server's
page and ``/metrics`` answer the admin.

- Plans: the server explains each statement before it executes it. Reading a large table, or one of its indices, from
  end to end is a fault, and the benchmark fails.
- Cost: milliseconds of processor for one request or one piece of work, of the process and of the PostgreSQL server
  together; p99 over readers and repeats, who ask in turn.
- A day: what 10,000 readers with 500 articles a day each cost, out of these figures.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlencode

from benchmarks import homes, large_database, large_server_day, query_plans
from benchmarks.large_database import PASSWORD, Size
from benchmarks.results import Cell, write
from iscore.core.data_folder import DataFolder
from iscore.jobs.scheduler.log_format import Value
from iscore.jobs.workers import tasks
from iscore.jobs.workers.lease import LEASE, DatabaseClock
from iscore.jobs.workers.plan import plan
from iscore.services.news_filter import NewsFilter
from iscore.web.metrics import Metrics
from storage import articles, feedback, hosts, imports, work
from storage.database import ARRIVALS, Database, open_database
from storage.fenced_database import check_schema
from storage.imports import NewImportedItem
from storage.records import Features, Kind, Task, Verdict
from storage.user_removal import remove_user
from tests.iscore.web.client import Answer
from tests.iscore.web.in_process import AppClient, Site, site
from tests.servers import postgresql
from tests.servers.postgresql import PostgresqlServer

LARGE = 2.5
"""Rows for each reader of a table that nothing may read from end to end."""
ASKED, WORKED, MAILED = 4, 24, 20
"""Readers who ask, for whom workers work, and who get a digest."""
IMPORTED = 500
"""Articles that the reader imported who is removed."""
OPTIONS = {"shared_buffers": "1GB", "max_wal_size": "8GB", "checkpoint_timeout": "1h"}
API = "/reader/api/0/"
ALL, READ = "user/-/state/com.google/reading-list", "user/-/state/com.google/read"
PAGES = {
    "For you": "/",
    "Maybe": "/maybe",
    "Hidden": "/hidden",
    "All": "/all",
    "All, best first": "/all?order=best",
    "All, after 5,000": "/all?after=5000",
    "a feed": "FEED",
    "a folder": "/folder/folder%201",
    "Saved": "/saved",
    "Search": "/search?q=river",
    "all lists": "/lists",
    "settings": "/settings",
}
LISTS: dict[str, list[tuple[str, object]]] = {
    "ids, everything": [("s", ALL)],
    "ids, unread": [("s", ALL), ("xt", READ)],
    "ids, a folder": [("s", "user/-/label/folder 1")],
    "ids, starred": [("s", "user/-/state/com.google/starred")],
}


@dataclass
class Meter:
    """Processor time of this process and of the server."""

    server: PostgresqlServer
    spent: list[tuple[float, float]] = field(default_factory=list)

    def __call__(self, do: Callable[[], object]) -> Any:
        """Do something, and note what it cost."""
        here, there = time.process_time(), self.server.processor_time()
        result = do()
        self.spent.append((time.process_time() - here, self.server.processor_time() - there))
        return result

    def row(self, name: str) -> tuple[Cell, ...]:
        """Return medians of process and server, and the p99 of both, in milliseconds."""
        both = [1000 * (here + there) for here, there in self.spent]
        worst = quantiles(both, n=100, method="inclusive")[98] if len(both) > 1 else both[0]
        here, there = (1000 * median(each[part] for each in self.spent) for part in (0, 1))
        row = (name, len(both), round(here, 1), round(there, 1), round(worst, 1))
        print(*row, flush=True)
        return row

    def usual(self) -> float:
        """Return the sum of both medians, in seconds."""
        return sum(median(each[part] for each in self.spent) for part in (0, 1))


class Reader:
    """A reader with a browser and an app."""

    def __init__(self, here: Site, number: int) -> None:
        self.number = number
        self.browser: AppClient = here.signed_in(f"reader {number}", PASSWORD)
        self.app: AppClient = here.client()
        name, self.password = f"reader {number}", here.context.accounts.make_app_password(number, "benchmark")
        self.form = {"Email": name, "Passwd": self.password, "output": "json"}
        token = json.loads(self.app.post("/accounts/ClientLogin", self.form).body)["Auth"]
        self.signed = {"Authorization": f"GoogleLogin auth={token}"}
        self.fever = {"api_key": hashlib.md5(f"{name}:{self.password}".encode(), usedforsecurity=False).hexdigest()}
        found = json.loads(self.api("stream/items/ids", ("s", ALL), ("n", 1000)).body)["itemRefs"]
        self.ids = [each["id"] for each in found]
        self.feed = 2 + 2 * (number * 13 % 40)

    def api(self, path: str, *pairs: tuple[str, object]) -> Answer:
        """Ask the Google Reader API."""
        return self.app.get(f"{API}{path}?{urlencode(pairs)}", **self.signed)

    def page(self, path: str) -> Answer:
        """Open a page."""
        return self.browser.get(path.replace("FEED", f"/feed/{self.feed}"))

    def article(self, turn: int) -> Answer:
        """Open an article."""
        import re

        stories = re.findall(r'<article id="a-([a-z0-9]+)"', self.page("/all").body)
        return self.page(f"/article/{stories[turn % len(stories)]}?verdict=")

    def edit(self, turn: int) -> Answer:
        """Mark 200 items as read, or as unread."""
        ids = [("i", each) for each in self.ids[:200]]
        return self.app.post(f"{API}edit-tag", urlencode([*ids, ("a" if turn % 2 else "r", READ)]), **self.signed)

    def contents(self, turn: int) -> Answer:
        """Ask for 200 items."""
        ids = [("i", each) for each in self.ids[turn % 5 * 200 :][:200]]
        return self.app.post(f"{API}stream/items/contents", urlencode(ids), **self.signed)

    def miniflux(self, path: str) -> Answer:
        """Ask the Miniflux API."""
        return self.app.get(f"/v1/{path}", X_Auth_Token=self.password)

    def fevers(self, what: str) -> Answer:
        """Ask the Fever API."""
        return self.app.post(f"/fever/?api&{what}", self.fever)


def requests() -> dict[str, Callable[[Reader, int], Answer]]:
    """Return what readers ask for."""
    found: dict[str, Callable[[Reader, int], Answer]] = {
        f"page: {name}": partial(lambda path, reader, _: reader.page(path), path) for name, path in PAGES.items()
    }
    found["page: an article"] = lambda reader, turn: reader.article(turn)
    for name, pairs in LISTS.items():
        found[f"Google Reader: {name}"] = partial(
            lambda pairs, reader, _: reader.api("stream/items/ids", *pairs, ("n", 10_000)), pairs
        )
    plain = {"feeds": "subscription/list", "folders and labels": "tag/list", "unread counts": "unread-count"}
    for name, path in plain.items():
        found[f"Google Reader: {name}"] = partial(lambda path, reader, _: reader.api(path), path)
    found["Google Reader: sign in"] = lambda reader, _: reader.app.post("/accounts/ClientLogin", reader.form)
    found["Google Reader: contents of 200"] = lambda reader, turn: reader.contents(turn)
    found["Google Reader: mark 200"] = lambda reader, turn: reader.edit(turn)
    for path in ("entries?status=unread&limit=100", "feeds", "feeds/counters", "categories?counts=true", "me"):
        found[f"Miniflux: {path}"] = partial(lambda path, reader, _: reader.miniflux(path), path)
    for what in ("items", "feeds", "groups", "unread_item_ids", "saved_item_ids"):
        found[f"Fever: {what}"] = partial(lambda what, reader, _: reader.fevers(what), what)
    return found


class Workers:
    """What a worker does, without its loop."""

    def __init__(self, home: Path, database: Database) -> None:
        self.home, self.database = home, database

    def plan(self) -> None:
        """Put what is due."""
        plan(self.database, always=True)

    def look(self) -> None:
        """Look for work when there is none: what was due a day ago is done."""
        with self.database.read() as tx:
            check_schema(self.database, tx)
            work.is_due(tx, work.now(tx) - timedelta(days=1), tuple(Task))

    def do(self, task: Task, key: str) -> None:
        """Claim a row of work that is due, do it, and finish it."""
        self.server_due(task, key)
        with self.database.write_work() as tx:
            now = work.now(tx)
            claims = work.claim(tx, now, LEASE, holder="benchmark", most={}, tasks=[task])
        place = tasks.Workplace(DataFolder(self.home), self.database, DatabaseClock(now), _log, lambda: True)
        due = tasks.TASKS[task](place, claims)
        with self.database.write_work() as tx:
            work.finish(tx, claims, work.now(tx), due)

    def server_due(self, task: Task, key: str) -> None:
        """Make a row due before all others, and no other of the task."""
        with self.database.write_work() as tx:
            clear = f"UPDATE work SET due = NULL WHERE task = '{task.value}' AND due IS NOT NULL"
            tx.connection.exec_driver_sql(clear)
            user = key or "NULL"
            tx.connection.exec_driver_sql(
                "INSERT INTO work (task, key, user_id, queue, due, holder, fence, attempts, reason) VALUES "
                f"('{task.value}', '{key}', {user}, '{task.value}', 0, '', 0, 0, '') ON CONFLICT (task, key) DO UPDATE "
                "SET due = 0, attempts = 0"
            )

    def make_digest(self, user: int) -> None:
        """Decide about a reader's new articles, and make their digest of today."""
        news = NewsFilter(DataFolder(self.home), self.database, lambda: datetime.now(UTC), user)
        news.polling.decide(ingest=False)
        news.digests.get()

    def vote(self, user: int) -> None:
        """Give three verdicts."""
        with self.database.write(user, durable=True) as tx:
            at = work.now(tx)
            query = f"SELECT seq FROM standings WHERE user_id = {user} ORDER BY arrived DESC LIMIT 3"
            seqs = list(tx.connection.exec_driver_sql(query).scalars())
            kinds = (Kind.LIKE, Kind.DISLIKE, Kind.DISLIKE)
            feedback.append(
                tx, [Verdict(f"{user} {seq} {at}", user, seq, kind, at) for seq, kind in zip(seqs, kinds, strict=True)]
            )

    def store(self, number: int) -> None:
        """Store ten new articles of a feed, as a poll does."""
        feed = 2 + number % large_database.FEEDS
        with self.database.write(ARRIVALS) as tx:
            at = work.now(tx)
            hosts.due_feeds(tx, [f"host{number}.example"], at)
            new = [homes.article_of_past(10_000_000 + number * 10 + each, "summary", at) for each in range(10)]
            articles.store(tx, feed, f"https://host{number}.example/feed", new, at)


def _log(at: datetime, event: str, *, trouble: bool = False, **values: Value) -> None:
    if trouble:
        raise RuntimeError(f"{at} {event}: {values}")


def everything(
    here: Site, workers: Workers, readers: Sequence[Reader], admin: AppClient, plans: query_plans.Plans
) -> None:
    """Do each thing once, for its statements."""
    metrics = Metrics(workers.database, here.clock)
    user = str(readers[0].number)
    workers.vote(readers[0].number)
    steps: dict[str, Callable[[], object]] = {
        "planning": workers.plan,
        "looking for work": workers.look,
        "storing": partial(workers.store, 1),
        "measuring": partial(workers.do, Task.MEASURE, ""),
        "judging": partial(workers.do, Task.JUDGE, user),
        "digest": partial(workers.do, Task.DIGEST, user),
        "pruning": partial(workers.do, Task.PRUNE, ""),
        "metrics": metrics.text,
        "server page": partial(admin.get, "/server"),
        **{name: partial(ask, readers[0], 0) for name, ask in requests().items()},
    }
    for name, step in steps.items():
        plans.during = name
        step()


def ask_all(meter: Callable[[], Meter], readers: Sequence[Reader], repeats: int) -> list[tuple[Cell, ...]]:
    """Let readers ask in turn; return what each request cost."""
    rows = []
    for name, ask in requests().items():
        spent = meter()
        for turn in range(-len(readers), repeats):  # the first of each is not counted
            do = partial(ask, readers[turn % len(readers)], max(turn, 0))
            answer = spent(do) if turn >= 0 else do()
            if answer.status not in (200, 204):
                raise RuntimeError(f"{name} was answered with {answer.status}: {answer.body[-500:]}")
        rows.append(spent.row(name))
    return rows


def work_for(
    meter: Callable[[], Meter], workers: Workers, users: Sequence[int], mailed: Sequence[int]
) -> tuple[list[Any], dict[str, float]]:
    """Let workers work for some readers, and make digests for others.

    Returns what each piece cost, and its usual seconds by name.
    """
    rows, usual = [], {}
    for number in range(2):  # compiles, and fills what is cached
        workers.store(number)
        workers.do(Task.MEASURE, "")
        workers.do(Task.JUDGE, str(users[number]))

    workers.plan()  # for all of whom nothing is planned now

    def measured(
        name: str, do: Callable[[int], object], times: Sequence[int], before: Callable[[int], object] | None = None
    ) -> None:
        spent = meter()
        for each in times:
            if before:
                before(each)
            spent(partial(do, each))
        rows.append(spent.row(name))
        usual[name] = spent.usual()

    measured("work: planning", lambda _: workers.plan(), range(5))
    measured("work: looking for work", lambda _: workers.look(), range(20))
    measured("work: store 10 articles", workers.store, range(10, 30))
    measured("work: measure 200 articles", lambda _: workers.do(Task.MEASURE, ""), [0])
    some = users[2:]
    measured("work: judge", lambda user: workers.do(Task.JUDGE, str(user)), some)
    measured("work: judge, nothing new", lambda user: workers.do(Task.JUDGE, str(user)), some[:10])
    measured("work: learn three verdicts", lambda user: workers.do(Task.JUDGE, str(user)), some[:20], workers.vote)
    measured("work: look after a digest", lambda user: workers.do(Task.DIGEST, str(user)), some[:20])
    measured("work: decide and make a digest", workers.make_digest, mailed)
    return rows, usual


def remove(meter: Callable[[], Meter], database: Database, user: int) -> tuple[Cell, ...]:
    """Remove a reader, who has imported 500 articles; return what that cost."""
    frozen = Features(0, 0, 5, ("length", "age"), b"v" * 16, b"terms", b"pair")
    with database.write() as tx:
        at = work.now(tx)
        items = [
            NewImportedItem(homes.article_of_past(20_000_000 + number, "summary", at), frozen, "title", 0.5)
            for number in range(IMPORTED)
        ]
        imports.add_import(tx, user, "an import", items, [], at, interest="imported")
    spent = meter()
    with database.write() as tx:
        spent(partial(remove_user, tx, user))
    return spent.row(f"removing a reader with {IMPORTED} imported articles")


def tables(server: PostgresqlServer, name: str, size: Size) -> list[tuple[Cell, ...]]:
    """Return rows and megabytes of each table, also after 30 days for readers who all have all scores."""
    query = (
        "SELECT c.relname, c.reltuples::bigint, pg_table_size(c.oid), pg_indexes_size(c.oid) FROM pg_class AS c "
        "WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.reltuples > 0 ORDER BY c.relname"
    )
    rows: list[tuple[Cell, ...]] = []
    for table, count, own, indices in server.execute(query, name):
        whole = size.whole(table, count)
        more = size.readers / len(size.full_readers()) if table == "snapshots" else whole / count
        gigabytes = round((own + indices) * more / 1e9, 2)
        rows.append((table, count, round(own / 1e6, 1), round(indices / 1e6, 1), whole, gigabytes))
    rows.sort(key=lambda row: -float(row[5]))
    numbers = [sum(float(row[each]) for row in rows) for each in range(2, 6)]
    return [
        *rows,
        (
            "all",
            sum(int(row[1]) for row in rows),
            *(round(each, 1) for each in numbers[:2]),
            round(numbers[2]),
            round(numbers[3], 1),
        ),
    ]


def main() -> int:
    """Measure and write ``benchmarks/results/large_server*``; return 1 if a large table was read from end to end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readers", type=int, default=10_000)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--repeats", type=int, default=20)
    options = parser.parse_args()
    if reason := postgresql.missing():
        print(reason, file=sys.stderr)
        return 1
    size = Size(options.readers, options.days)
    with tempfile.TemporaryDirectory() as folder, postgresql.running(options=OPTIONS) as server:
        home, now = Path(folder) / "home", datetime.now(UTC)
        began = time.perf_counter(), server.processor_time()
        name = large_database.make(home, server, size, now)
        made = f"made in {time.perf_counter() - began[0]:.0f} s"
        return measure(home, server, name, size, now, made, options.repeats)


def measure(home: Path, server: PostgresqlServer, name: str, size: Size, now: datetime, made: str, repeats: int) -> int:
    """Measure on a database that is there; return 1 if a large table was read from end to end."""
    whole = tables(server, name, size)
    counts = {str(row[0]): int(row[1]) for row in whole[:-1]}
    large = {table for table, count in counts.items() if count >= LARGE * size.readers}
    columns: Sequence[str] = (
        "table",
        "rows",
        "MB",
        "MB of indices",
        "rows, 30 days, all scores",
        "GB, 30 days, all scores",
    )
    notes = (large_database.__doc__ or "").partition("\n\n")[
        2
    ] + f"\n{size.readers:,} readers, {size.days} days; {made}."
    write("large_server_tables", "The tables of a server with many readers", columns, whole, notes)
    meter = partial(Meter, server)
    full = size.full_readers()
    with site(home, now) as here, open_database(DataFolder(home).database_place) as database:
        workers = Workers(home, database)
        readers = [Reader(here, number) for number in full[:ASKED]]
        admin = here.signed_in("reader 1", PASSWORD)
        with query_plans.observed() as plans:
            everything(here, workers, readers, admin, plans)
        scans = plans.scans(large)
        rows = ask_all(meter, readers, repeats)
        spent = meter()
        for _ in range(repeats):
            spent(partial(admin.get, "/server"))
        rows.append(spent.row("page: server, for the admin"))
        working, mailed, gone = full[ASKED:][:WORKED], full[ASKED + WORKED :][:MAILED], full[-1:]
        worked, seconds = work_for(meter, workers, working, mailed)
        removed = [remove(meter, database, number) for number in gone]
    columns = ("during", "table", "how", "cost", "statement")
    found = [
        (each.during, each.table, each.how, round(each.cost), " ".join(each.statement.split())[:300]) for each in scans
    ]
    notes = f"{len(plans.found)} statements; tables with {LARGE} rows a reader or more: {', '.join(sorted(large))}."
    write("large_server_plans", "Statements that read a large table from end to end", columns, found, notes)
    columns = ("request or work", "times", "process (ms)", "PostgreSQL (ms)", "p99 of both (ms)")
    write(
        "large_server_costs",
        "What pages, apps and workers cost on a server with many readers",
        columns,
        rows + worked + removed,
        (__doc__ or "").partition("20]\n\n")[2],
    )
    columns = ("work", "times a day", "ms each", "core-hours a day", "%")
    write(
        "large_server_day",
        "A day of 10,000 readers with 500 articles each",
        columns,
        large_server_day.rows(seconds, 10_000),
        large_server_day.__doc__ or "",
    )
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
