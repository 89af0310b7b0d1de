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
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from benchmarks import large_database, large_server_day, query_plans
from benchmarks.large_database import PASSWORD, Size
from benchmarks.large_server_meter import Meter
from benchmarks.large_server_readers import Reader, ask_all, requests
from benchmarks.large_server_work import Workers, remove, work_for
from benchmarks.results import Cell, write
from iscore.core.data_folder import DataFolder
from iscore.web.metrics import Metrics
from storage.opening.database import open_database
from storage.records.work import Task
from tests.iscore.web.in_process import AppClient, Site, site
from tests.servers import postgresql
from tests.servers.postgresql import PostgresqlServer

LARGE = 2.5
"""Rows for each reader of a table that nothing may read from end to end."""
ASKED, WORKED, MAILED = 4, 24, 20
"""Readers who ask, for whom workers work, and who get a digest."""
OPTIONS = {"shared_buffers": "1GB", "max_wal_size": "8GB", "checkpoint_timeout": "1h"}


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
        "judging": partial(workers.do, Task.DECIDE, user),
        "digest": partial(workers.do, Task.DIGEST, user),
        "pruning": partial(workers.do, Task.PRUNE, ""),
        "metrics": metrics.text,
        "server page": partial(admin.get, "/server"),
        **{name: partial(ask, readers[0], 0) for name, ask in requests().items()},
    }
    for name, step in steps.items():
        plans.during = name
        step()


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
