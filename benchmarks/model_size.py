"""What one reader's model costs: its saved size, loading and saving it, and the memory that it takes.

    python -m benchmarks.model_size [--quick]

- *saved*: kilobytes of the snapshot in the database;
- *load*, *save*: milliseconds of processor time in a process that is warm, medians;
- *memory*: megabytes by which the process grows with each of ten models that are loaded and kept.

Each row is measured in a process of its own.

Targets at 500 verdicts: 300 kB, 10 ms, 20 ms, 8 MB.
"""

from __future__ import annotations

import argparse
import gc
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median

from benchmarks import homes
from benchmarks.made_up_news import Length
from benchmarks.results import Cell, write
from iscore.services.news_filter import NewsFilter
from storage.log import snapshots
from storage.opening.database import Database
from storage.records.users import LOCAL_USER

LENGTHS: tuple[Length, ...] = ("summary", "full")
VERDICTS = 100, 500, 2000
ARTICLES_A_VERDICT = 3
REPEATS, KEPT = 15, 10


def milliseconds(work: Callable[[], object], repeats: int) -> float:
    """Return the median of the processor time of some work."""
    spent = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        spent.append(1000 * (time.process_time() - started))
    return round(median(spent), 1)


def megabytes() -> float:
    """Return how much memory this process has now; Linux only."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def row(home: Path, length: Length, verdicts: int) -> tuple[Cell, ...]:
    """Make a home with a number of verdicts on such texts, and measure its model."""
    homes.make(home, length, ARTICLES_A_VERDICT * verdicts, days=3, verdicts=verdicts)
    with homes.opened(home) as (database, news):
        return length, verdicts, *measured(database, news)


def measured(database: Database, news: NewsFilter) -> tuple[float, float, float, float]:
    """Return the size of the newest snapshot, the time of loading and of saving, and the memory of a model."""

    def load() -> object:
        return news.for_user(LOCAL_USER).models.load()  # none was loaded before

    def save() -> None:
        with database.write(LOCAL_USER) as tx:
            news.models.save(tx, loaded)

    loaded = news.models.load()
    assert loaded.learned == 0, "it is not saved"
    with database.read() as tx:
        found = snapshots.newest(tx, LOCAL_USER, fingerprint=news.models.fingerprint)
    assert found is not None
    times = milliseconds(load, REPEATS), milliseconds(save, REPEATS)
    gc.collect()
    before = megabytes()
    kept = [load() for _ in range(KEPT)]
    gc.collect()
    return round(len(found.state) / 1000), *times, round((megabytes() - before) / len(kept), 1)


def main() -> None:
    """Measure and write ``benchmarks/results/model_size.*``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    rows: list[tuple[Cell, ...]] = []
    with tempfile.TemporaryDirectory() as folder:
        for length in LENGTHS:
            for verdicts in VERDICTS[:1] if options.quick else VERDICTS:
                with ProcessPoolExecutor(1, get_context("spawn")) as pool:
                    home = Path(folder) / f"{length} {verdicts}"
                    rows.append(pool.submit(row, home, length, verdicts).result())
                print(*rows[-1], flush=True)
    columns = ("texts", "verdicts", "saved, kB", "load, ms", "save, ms", "memory, MB")
    write("model_size", "What one reader's model costs", columns, rows, (__doc__ or "").partition("--quick]\n\n")[2])


if __name__ == "__main__":
    main()
