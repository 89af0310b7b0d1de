"""What the reader's pages cost with 100,000 articles and three accounts.

    python -m benchmarks.reader_pages [--articles 100000] [--repeats 100]

A data folder has articles of 100 feeds that arrived over 33 days, 3,000 a day. Three people follow all feeds; each has
scores of their own, every tenth article repeats another story, and half of the last week's are read.

- Pages: the web app runs in this process, and the three ask in turn. The figure is the processor time of the process
  for one request. Explanations of scores, which another process computes, are left out. A list "after a mark" is the
  first one after the person has saved a story, or saved it no longer; before the others nothing has changed.
- Start: the real command, until it accepts connections.
- Crowd: 50 readers at once, who open lists and articles of the real command, each without a pause.
- Paint: Chromium, as a phone, opens pages of the real command; it says itself when it painted first, and how long its
  main thread was blocked (the time of each task beyond 50 ms).
"""

from __future__ import annotations

import argparse
import html
import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from statistics import median, quantiles

from benchmarks import cpu, homes
from benchmarks.results import Cell, write
from iscore.core.data_folder import DataFolder
from iscore.core.passwords import hash_password
from iscore.services.people.accounts import Accounts
from iscore.web.security.credentials import CredentialStore
from storage.opening.database import Database, open_database
from storage.people import users
from storage.records.feeds import Subscription
from storage.records.users import LOCAL_USER
from storage.stream import feeds
from tests.iscore.web.client import Answer, Client
from tests.iscore.web.in_process import site
from tests.servers.chromium import PROGRAM, Page, chromium

DAYS = 33
STEP = 5000
PEOPLE = ("ada", "ben", "cleo")
PASSWORD = "a walk by the harbour"
READERS, OPENED = 50, 6
"""Readers at once, and the pages that each opens."""
LISTS = {
    "For you": "/",
    "Maybe": "/maybe",
    "Hidden": "/hidden",
    "All": "/all",
    "All, best first": "/all?order=best",
    "All, unread": "/all?unread=1",
    "All, after 50,000": "/all?after=50000",
    "a feed": "/feed/7",
    "a feed, best first": "/feed/8?order=best",
    "a folder": "/folder/folder%201",
    "a folder, best first": "/folder/folder%201?order=best",
    "Saved": "/saved",
    "Search, a word of every article": "/search?q=the",
    "Search, saved by an author": "/search?q=is%3Asaved+author%3Aa",
    "all lists": "/lists",
}
AFTER_MARK = ("For you", "Hidden", "All", "a feed, best first")
"""Lists that are also read right after a mark: what they count is adjusted, and SQLite reads its pages anew."""
PAINTED = ("/", "/all", "/lists", "ARTICLE")


def main() -> None:
    """Measure and write ``benchmarks/results/reader_pages``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    count, repeats = (2000, 2) if options.quick else (options.articles, options.repeats)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        fill(home, count)
        rows = pages(home, repeats)
        with served(home) as server:
            rows.append(("start of `iscore serve`", round(1000 * server.started), "", ""))
            rows += crowd(server)
            if PROGRAM:
                rows += painted(server, Path(folder) / "profile")
    columns = ("what", "median (ms)", "p99 (ms)", "size (kB)")
    notes = (__doc__ or "").partition("[--repeats 100]")[2].strip()
    write("reader_pages", f"The reader's pages with {count:,} articles and three accounts", columns, rows, notes)


def fill(path: Path, count: int) -> None:
    """Make a data folder with articles, and three accounts with scores and marks."""
    home = DataFolder(path)
    home.create(None)
    open_database(home.database, create=True).close()
    urls = [f"https://past{number}.example/feed" for number in range(homes.PAST_FEEDS)]
    tagged = [Subscription(url, tags=(f"folder {n % 5}",) if n % 2 else ()) for n, url in enumerate(urls)]
    secret = hash_password(PASSWORD)
    with homes.opened(path) as (database, news):
        with database.write() as tx:
            feeds.subscribe(tx, LOCAL_USER, tagged)
        for start in range(0, count, STEP):
            numbers = range(start, min(start + STEP, count))
            homes.store(database, urls, "summary", numbers, count, timedelta(days=DAYS))
        accounts = Accounts(database, lambda: homes.NOW)
        accounts.set_up(PEOPLE[0], secret)
        news.people.move_documents()
        for name in PEOPLE[1:]:
            with database.write() as tx:
                user = users.add(tx, name, 1, at=homes.NOW).id
                feeds.subscribe(tx, user, tagged)
            accounts.set_password(user, secret)
        score(database)
    CredentialStore(path).mark_set_up()


def score(database: Database) -> None:
    """Give all articles stories, and for each account scores and marks."""
    statements = (
        "INSERT INTO current_scores (user_id, seq, score, threshold, interesting, explore, arrived, archive, dated) "
        "SELECT users.id, seq, seq * 7919 * users.id % 1000 / 100.0 - 9, 0, seq * 7919 * users.id % 1000 >= 900, "
        "seq % 500 = 0, arrived, 0, dated FROM articles, users WHERE story = seq",
        "INSERT INTO marks (user_id, story, read_at, saved_at, kept_unread) "
        "SELECT users.id, seq, arrived, CASE WHEN seq % 100 = 1 THEN arrived END, 0 FROM articles, users "
        "WHERE story = seq AND seq % 2",
        "UPDATE users SET decided_to = (SELECT max(seq) FROM articles)",
    )
    with database.write() as tx:
        tx.connection.exec_driver_sql("UPDATE articles SET story = CASE WHEN seq % 10 = 9 THEN seq - 3 ELSE seq END")
        for statement in statements:
            tx.connection.exec_driver_sql(statement)


def pages(home: Path, repeats: int) -> list[tuple[Cell, ...]]:
    """Measure each page in this process."""
    with site(home, homes.NOW) as here:
        people = [here.signed_in(name, PASSWORD) for name in PEOPLE]
        listed = [client.get("/all") for client in people]
        stories = [re.findall(r'<article id="a-([a-z0-9]+)"', page.body) for page in listed]

        def article(turn: int) -> Answer:
            who = turn % len(people)
            return people[who].get(f"/article/{stories[who][turn // len(people) % len(stories[who])]}?verdict=")

        def mark(actions: Sequence[str], turn: int) -> Answer:
            who, action = turn % len(people), actions[turn // len(people) % len(actions)]
            story = stories[who][turn // len(people) // len(actions) % len(stories[who])]
            names = ("token", "nonce", "list", "newest")
            form = {name: html.unescape(listed[who].hidden(name)) for name in names}
            return people[who].post("/mark", form | {"do": f"{action}:{story}"}, X_Part="story")

        def show(path: str, turn: int) -> Answer:
            return people[turn % len(people)].get(path)

        asked: dict[str, Callable[[int], Answer]] = {name: partial(show, path) for name, path in LISTS.items()}
        asked["an article"] = article
        asked["save a story, or no longer"] = partial(mark, ("save", "unsave"))
        asked["like a story, or undo it"] = partial(mark, ("like", "undo"))
        rows = [measure(name, work, repeats) for name, work in asked.items()]
        for name in AFTER_MARK:
            work = partial(show, LISTS[name])
            rows.append(measure(f"{name}, after a mark", work, repeats, partial(mark, ("save", "unsave"))))
        return rows


def measure(
    name: str, work: Callable[[int], Answer], repeats: int, before_each: Callable[[int], object] = lambda _: None
) -> tuple[Cell, ...]:
    """Return the name of a request, and what it costs without what comes ``before_each``."""
    spent = []
    for turn in range(-len(PEOPLE), repeats):  # the first of each person is not counted
        number = turn if turn >= 0 else turn % len(PEOPLE)
        before_each(number)
        before = time.process_time()
        answer = work(number)
        if turn >= 0:
            spent.append(time.process_time() - before)
        if answer.status != 200:
            raise RuntimeError(f"{name} was answered with {answer.status}: {answer.body[-500:]}")
    worst = quantiles(spent, n=100, method="inclusive")[98]
    row = (name, round(1000 * median(spent), 1), round(1000 * worst, 1), round(len(answer.body.encode()) / 1000, 1))
    print(*row, flush=True)
    return row


@dataclass(frozen=True)
class Server:
    """The real command."""

    address: str
    started: float
    """Seconds of processor time until it accepted connections."""
    pid: int

    def signed_in(self, name: str) -> Client:
        """A new browser in which somebody has signed in."""
        client = Client(self.address)
        page = client.get("/login")
        answer = client.post("/login", {"token": page.hidden("token"), "name": name, "password": PASSWORD, "next": ""})
        if answer.status != 303:
            raise RuntimeError(f"signing in was answered with {answer.status}")
        return client


@contextmanager
def served(home: Path) -> Iterator[Server]:
    """Run ``iscore serve`` until the block ends."""
    command = [cpu.program(), "--home", str(home), "serve", "--port", "0", "--pages-only", "--json"]
    environment = os.environ | {"ISCORE_NOW": homes.NOW.isoformat()}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as server:
        assert server.stdout is not None
        try:
            ready = "".join(line.decode() for line in iter(server.stdout.readline, b"}\n")) + "}"
            yield Server(json.loads(ready)["address"], processor_time(server.pid), server.pid)
        finally:
            server.terminate()


def processor_time(pid: int) -> float:
    """Return the seconds that the threads of a process have run so far."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def crowd(server: Server) -> list[tuple[Cell, ...]]:
    """Let many read at once; return how long answers took, and how many were errors."""
    sessions = [server.signed_in(name).cookies for name in PEOPLE]

    def read(number: int) -> list[tuple[float, int]]:
        client = Client(server.address)
        client.cookies = dict(sessions[number % len(sessions)])
        seconds, paths = [], [*LISTS.values()]
        for turn in range(OPENED):
            before = time.perf_counter()
            answer = client.get(paths[(number + turn) % len(paths)])
            seconds.append((time.perf_counter() - before, answer.status))
        return seconds

    with ThreadPoolExecutor(READERS) as readers:
        found = [each for reader in readers.map(read, range(READERS)) for each in reader]
    waits = [1000 * seconds for seconds, _ in found]
    errors = sum(status != 200 for _, status in found)
    name = f"{READERS} readers at once: {len(found)} pages, {errors} errors; wall time"
    return [(name, round(median(waits)), round(quantiles(waits, n=100, method="inclusive")[98]), "")]


def painted(server: Server, profile: Path) -> list[tuple[Cell, ...]]:
    """Return when Chromium paints first, and how long its main thread is blocked."""
    client = server.signed_in(PEOPLE[0])
    story = re.findall(r'<article id="a-([a-z0-9]+)"', client.get("/all").body)[0]
    rows: list[tuple[Cell, ...]] = []
    with chromium(profile) as browser:
        page = browser.page(width=390, height=844)
        for name, value in client.cookies.items():
            page.ask("Network.setCookie", name=name, value=value, url=server.address, sameSite="Strict")
        for path in PAINTED:
            address = server.address + path.replace("ARTICLE", f"/article/{story}").lstrip("/")
            paints, blocked = zip(*(paint(page, address) for _ in range(9)), strict=True)
            what = "an article" if path == "ARTICLE" else path
            rows.append((f"{what}: first paint, wall time", round(median(paints)), round(max(paints)), ""))
            rows.append((f"{what}: blocked", round(median(blocked)), round(max(blocked)), ""))
            print(*rows[-2:], flush=True)
    return rows


def paint(page: Page, address: str) -> tuple[float, float]:
    """Open a page; return the milliseconds to its first paint with content, and those that it was blocked."""
    page.go(address)
    page.wait_for("performance.getEntriesByName('first-contentful-paint').length > 0")
    first, blocked = page.evaluate(
        """new Promise((done) => {
          const tasks = [];
          const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries()));
          observer.observe({type: "longtask", buffered: true});
          const first = performance.getEntriesByName("first-contentful-paint")[0].startTime;
          setTimeout(() => done([first, tasks.reduce((sum, each) => sum + Math.max(0, each.duration - 50), 0)]), 100);
        })"""
    )
    return float(first), float(blocked)


if __name__ == "__main__":
    main()
