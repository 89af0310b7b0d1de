"""Polling against lemon24/reader: the same feeds, the same rounds, one after the other in one run.

    python -m benchmarks.poll_speed [--feeds 500] [--repeats 3] [--command]

500 feeds of 30 entries on 500 loopback addresses, served by another process. Three rounds each: everything is new;
nothing has changed (304); one entry of each feed is new. Measured is the wall clock from the call to the end, with
everything that belongs to a round, state in SQLite on both sides; what was stored is counted and must be the same.
Contenders take turns, each run in a fresh process with a fresh database; within a run both keep what they keep from
round to round (reader its session, iscore its parser processes, which the first round starts). Figures are medians.

``--command`` measures ``iscore poll`` as a command as well: the start of Python, feeds.yaml and judging included.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from tests.servers.static_feeds import ENTRIES, host_of

ROUNDS = ("cold", "nothing changed", "one new entry each")
READER_WORKERS = 2
"""Threads for reader: of 1, 2, 4, 8 and 16 the best by a few hundredths on two cores; it waits for Python's lock."""
START = datetime(2026, 3, 3, tzinfo=UTC)

Contender = Callable[[Path, list[str], Callable[[], None]], tuple[list[float], int]]


def _same(moment: datetime) -> datetime:
    return moment


def iscore(folder: Path, urls: list[str], advance: Callable[[], None]) -> tuple[list[float], int]:
    """``iscore.feeds.poll``: fetch, parse, clean, store; all manners on."""
    from iscore.feeds.parsing.parser_pool import ParserPool
    from iscore.feeds.poll import poll
    from iscore.feeds.poll_settings import PollSettings
    from storage.opening.database import Database, open_database
    from storage.records.feeds import Subscription
    from storage.records.users import LOCAL_USER
    from storage.stream import articles, feeds

    settings = PollSettings(allow_private_networks=True)
    seconds = []

    async def rounds(database: Database) -> None:
        async with ParserPool(settings.parse_processes) as pool:
            for number in range(3):
                if number == 2:
                    advance()
                now = START + timedelta(hours=2 * number)
                began = time.perf_counter()
                report = await poll(database, settings, partial(_same, now), pool=pool)
                seconds.append(time.perf_counter() - began)
                assert report.failed == 0, [outcome.error for outcome in report.outcomes if outcome.error][:3]

    with open_database(folder / "iscore.db", create=True) as database:
        with database.write() as tx:
            feeds.subscribe(tx, LOCAL_USER, [Subscription(url) for url in urls])
        asyncio.run(rounds(database))
        with database.read() as tx:
            return seconds, articles.count(tx, LOCAL_USER)


def reader(folder: Path, urls: list[str], advance: Callable[[], None]) -> tuple[list[float], int]:
    """reader with its defaults; rounds are forced, since it would wait an hour."""
    import feedparser_sgmllib

    sys.modules["sgmllib"] = feedparser_sgmllib  # the name by which reader's own copy of feedparser asks for it
    from reader import make_reader

    seconds = []
    with make_reader(str(folder / "reader.db")) as library:
        for url in urls:
            library.add_feed(url)
        for number in range(3):
            if number == 2:
                advance()
            began = time.perf_counter()
            library.update_feeds(workers=READER_WORKERS, scheduled=False)
            seconds.append(time.perf_counter() - began)
        return seconds, library.get_entry_counts().total or 0


def command(folder: Path, urls: list[str], advance: Callable[[], None]) -> tuple[list[float], int]:
    """``iscore poll`` as people run it, every time a new process; it also judges what is new."""
    home = folder / "home"
    own = folder / "feeds.yaml"
    own.write_text("feeds:\n" + "".join(f"- url: {url}\n" for url in urls))
    iscore_command = [str(Path(sys.executable).with_name("iscore")), "--home", str(home)]
    environment = os.environ | {"ISCORE_ALLOW_PRIVATE_NETWORKS": "1"}
    subprocess.run([*iscore_command, "init", "--feeds", str(own)], check=True, env=environment, capture_output=True)
    seconds, found = [], 0
    for number in range(3):
        if number == 2:
            advance()
        now = (START + timedelta(hours=2 * number)).isoformat()
        began = time.perf_counter()
        out = subprocess.run(
            [*iscore_command, "--json", "poll"], check=True, env=environment | {"ISCORE_NOW": now}, capture_output=True
        )
        seconds.append(time.perf_counter() - began)
        report = json.loads(out.stdout)
        assert report["failed"] == 0, report
        found += report["new_articles"]
    return seconds, found


CONTENDERS: dict[str, Contender] = {"iscore": iscore, "reader": reader, "iscore poll": command}


@contextmanager
def feed_server(feeds: int, kind: str) -> Iterator[int]:
    """Another process that serves; gives its port."""
    arguments = [sys.executable, "-m", "tests.servers.static_feeds", "--feeds", str(feeds), "--kind", kind]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        yield int(server.stdout.readline())
        server.stdin.close()


def one_run(name: str, port: int, run: str, feeds: int) -> None:
    """Run one contender in this process and print its seconds."""
    urls = [f"http://{host_of(feed)}:{port}/{run}/feed.xml" for feed in range(feeds)]

    def advance() -> None:
        with urllib.request.urlopen(f"http://{host_of(0)}:{port}/{run}/advance"):
            pass

    with tempfile.TemporaryDirectory() as folder:
        seconds, stored = CONTENDERS[name](Path(folder), urls, advance)
    assert stored == feeds * (ENTRIES + 1), f"{name} stored {stored}"
    print(json.dumps(seconds))


def measure(names: list[str], kind: str, feeds: int, repeats: int) -> dict[str, list[list[float]]]:
    """Seconds per contender, run and round."""
    found: dict[str, list[list[float]]] = {name: [] for name in names}
    with feed_server(feeds, kind) as port:
        for repeat in range(repeats):
            for name in names:
                run = f"{names.index(name)}-{repeat}"
                arguments = ["--contender", name, "--port", str(port), "--run", run, "--feeds", str(feeds)]
                out = subprocess.run(
                    [sys.executable, "-m", "benchmarks.poll_speed", *arguments],
                    check=True,
                    capture_output=True,
                    text=True,
                )
                found[name].append(json.loads(out.stdout))
                print(kind, name, [round(second, 3) for second in found[name][-1]], file=sys.stderr, flush=True)
    return found


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--feeds", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--command", action="store_true", help="measure the whole command as well")
    parser.add_argument("--contender", choices=CONTENDERS, help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--run", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contender:
        one_run(options.contender, options.port, options.run, options.feeds)
        return
    from benchmarks import results

    names = ["iscore", "reader"] + (["iscore poll"] if options.command else [])
    rows = []
    for kind in ("summary", "full"):
        found = measure(names, kind, options.feeds, options.repeats)
        for number, round_ in enumerate(ROUNDS):
            median = {name: statistics.median(run[number] for run in found[name]) for name in names}
            for name in names:
                rows.append(
                    (kind, round_, name, f"{median[name]:.3f}", f"{options.feeds / median[name]:.0f}",
                     f"{median['reader'] / median[name]:.1f}")
                )  # fmt: skip
    results.write(
        "poll_speed",
        f"Polling {options.feeds} feeds of {ENTRIES} entries",
        ("feeds", "round", "program", "seconds", "feeds per second", "times as fast as reader"),
        rows,
        notes=(
            f"Medians of {options.repeats} runs each, taking turns. Targets: 2.5 cold, 8 when nothing has changed, "
            f"12 with one new entry each. reader updates with {READER_WORKERS} threads."
        ),
    )


if __name__ == "__main__":
    main()
