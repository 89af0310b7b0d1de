"""Whether ``iscore connect`` does what it promises inside a real FreshRSS, whatever is killed.

    python -m benchmarks.scorer [--days 14] [--feeds 60] [--times 2] [--seed 1]

Needs ``ISCORE_FRESHRSS`` (a checkout of FreshRSS), ``ISCORE_DATA``, PHP and faketime. A real FreshRSS follows real
feeds on the loopback, whose entries are dated anew so that they appear over the simulated days. Some times a day its
clock and ours go on; it fetches its feeds; a reader stars some articles, sets the label *dislike* on others, reads
some, and removes a star that is older than a synchronisation, all through the API of FreshRSS; and iScore synchronises
in a process of its own. Before each synchronisation another one is cut off at a random moment: iScore is killed one
time, the web server of FreshRSS the other.

After each synchronisation the labels that FreshRSS has are compared with the decisions in iScore's database. At the end
each star and each *dislike* must be one row of the log, and no row and no reading event may be about anything that the
reader has not touched, though iScore has marked hidden stories as read. The committed figures are of `--times 1`.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from benchmarks.results import Cell, write
from iscore.feeds.errors import NotAFeedError
from iscore.feeds.parsing.jobs import FeedJob
from iscore.feeds.parsing.parse import parse
from iscore.services.news_filter import NewsFilter
from storage.exchange import remote_items
from storage.log import reading_events
from storage.opening.database import open_database
from storage.records.articles import NewArticle
from storage.records.users import LOCAL_USER
from storage.stories import client_items
from storage.stories.client_items import Unread
from storage.stream.visibility import leads
from tests.servers.freshrss import PASSWORD, READ, STARRED, USER, App, FreshRSS, missing

START = datetime(2026, 3, 2, 6, tzinfo=UTC)
BANDS = ("iScore: best", "iScore: maybe", "iScore: hidden")
ENTRIES = 20
"""Of one feed, at most."""
LIKED_FEEDS = 5
"""The reader likes what every fifth feed has."""
DISLIKE = "user/-/label/dislike"


@dataclass(frozen=True)
class RealFeed:
    """A feed, with its entries dated anew."""

    name: str
    entries: tuple[tuple[datetime, NewArticle], ...]

    def document(self, now: datetime) -> bytes:
        """Return what the feed has at a time."""
        shown = [
            f'<item><guid isPermaLink="false">{escape(each.key)}</guid><title>{escape(each.title)}</title>'
            f"<link>{escape(each.url)}</link><pubDate>{format_datetime(at)}</pubDate>"
            f"<description>{escape(escape(each.text))}</description></item>"
            for at, each in self.entries
            if at <= now
        ]
        head = f'<rss version="2.0"><channel><title>{escape(self.name)}</title><link>https://news.example/</link>'
        return f"{head}<description/>{''.join(shown)}</channel></rss>".encode("utf-8", "replace")


class FeedHost:
    """Serves the feeds at ``now``."""

    def __init__(self, feeds: list[RealFeed]) -> None:
        self.now = START
        host = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                number = self.path.strip("/")
                known = number.isdigit() and int(number) < len(feeds)  # FreshRSS looks for icons, too
                body = feeds[int(number)].document(host.now) if known else b""
                self.send_response(200 if known else 404)
                self.send_header("Content-Type", "application/rss+xml")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 -- the base's name
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        port = self._server.server_address[1]
        self.addresses = [f"http://127.0.0.1:{port}/{number}" for number in range(len(feeds))]

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Serve until the block ends."""
        thread = threading.Thread(target=self._server.serve_forever)
        thread.start()
        try:
            yield
        finally:
            self._server.shutdown()
            thread.join()


@dataclass
class Reader:
    """Somebody who reads in FreshRSS."""

    draw: random.Random
    starred: set[str] = field(default_factory=set)
    disliked: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)
    unstarred: set[str] = field(default_factory=set)
    new_stars: set[str] = field(default_factory=set)
    """Given since the last synchronisation but one: a star that is removed so soon is undone."""

    def look(self, app: App, new: list[str], likes: dict[str, bool]) -> None:
        """Go through what iScore shows, or at first through what is new; and rate a few hidden stories, too."""
        best = list(app.numbers(f"user/-/label/{BANDS[0]}")) if BANDS[0] in app.labels() else []
        shown = [each for each in [*best, *new] if each not in self.starred | self.disliked][:25]
        liked = [each for each in shown if likes.get(each)][:4]
        disliked = [each for each in shown if not likes.get(each, True)][:4]
        opened = [each for each in shown if each not in liked][:6]
        if liked:
            app.tag(liked, STARRED)
        if disliked:
            app.tag(disliked, DISLIKE)
        if opened:
            app.tag(opened, READ)
        old = sorted(self.starred - self.new_stars)[:1]
        if old and self.draw.random() < 0.5:
            app.tag(old, STARRED, add=False)
            self.unstarred |= set(old)
            self.starred -= set(old)
        self.new_stars = set(liked)
        self.starred |= self.new_stars
        self.disliked |= set(disliked)
        self.read |= set(opened)


class Filter:
    """iScore's data folder, whose commands run in processes of their own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        (home.parent / "feeds.yaml").write_text("feeds: []\n")
        with NewsFilter.create(home, home.parent / "feeds.yaml", clock=lambda: START) as news:
            news.reading_events.switch(on=True)
        (home / "config.toml").write_text("host_spacing = 0.0\nparse_processes = 1\n")
        self.seconds = 5.0
        """What the last synchronisation took."""

    def start(self, now: datetime, *words: str) -> subprocess.Popen[bytes]:
        """Start a command."""
        command = [sys.executable, "-m", "iscore", "--home", str(self.home), "connect", *words]
        environment = {**os.environ, "ISCORE_NOW": now.isoformat(), "ISCORE_CONNECT_PASSWORD": PASSWORD}
        return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def run(self, now: datetime, *words: str) -> None:
        """Run a command to its end."""
        began = time.perf_counter()
        process = self.start(now, *words)
        _, said = process.communicate(timeout=1200)
        if process.returncode != 0:
            raise RuntimeError(f"{words}: {said.decode()[-2000:]}")
        self.seconds = time.perf_counter() - began

    def bands(self, now: datetime) -> dict[str, str]:
        """Return the label that each recent item should have, by the decisions."""
        with open_database(self.home / "iscore.db") as database, database.read() as tx:
            since = (now - timedelta(days=7)).replace(second=0, microsecond=0)
            there = remote_items.since(tx, LOCAL_USER, since)
            leading = leads(tx, LOCAL_USER, [each.seq for each in there if each.seq])
            stories = {
                each.seq: each for each in client_items.get(tx, LOCAL_USER, Unread(since), list(set(leading.values())))
            }
        found = {}
        for each in there:
            story = stories.get(leading.get(each.seq or 0, 0))
            if story and (story.best or story.maybe or story.hidden):
                found[str(each.item)] = BANDS[0 if story.best else 1 if story.maybe else 2]
        return found

    def rows(self) -> tuple[dict[str, list[str]], dict[str, int]]:
        """Return the log by item, without what the history import brought, and the items with a reading event."""
        with open_database(self.home / "iscore.db") as database, database.read() as tx:
            items = {
                seq: str(item)
                for item, seq in tx.connection.exec_driver_sql("SELECT item, seq FROM remote_items WHERE seq > 0")
            }
            leading = leads(tx, LOCAL_USER, list(items))
            of_story: dict[int, list[str]] = {}
            for seq, lead in leading.items():
                of_story.setdefault(lead, []).append(items[seq])
            log: dict[str, list[str]] = {}
            for story, kind in tx.connection.exec_driver_sql("SELECT story, kind FROM feedback ORDER BY row"):
                log.setdefault("+".join(sorted(of_story.get(story, ["?"]))), []).append(kind)
            opened = {
                "+".join(sorted(of_story.get(each.story, ["?"]))): 1
                for each in reading_events.newest(tx, LOCAL_USER, 100_000)
                if each.opened
            }
        return log, opened


def main() -> None:
    """Live through the days, and write ``benchmarks/results/scorer``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=14)
    parser.add_argument("--feeds", type=int, default=60)
    parser.add_argument("--times", type=int, default=2, help="synchronisations a day")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if reason := missing():
        sys.exit(f"left out: {reason}")
    os.environ["TZ"] = "UTC"
    draw = random.Random(options.seed)
    feeds = real_feeds(options.feeds, options.days, draw)
    with tempfile.TemporaryDirectory() as name:
        rows = live(Path(name), feeds, options.days * options.times, timedelta(days=1) / options.times, draw)
    notes = (__doc__ or "").partition("[--seed 1]")[2].strip()
    count = sum(len(each.entries) for each in feeds)
    title = f"A real FreshRSS with {len(feeds)} real feeds and {count:,} articles over {options.days} simulated days"
    write("scorer", title, ("what", "value"), rows, notes)
    if failed := [row for row in rows if str(row[0]).startswith("must be 0") and row[1]]:
        sys.exit(f"failed: {failed}")


def live(
    folder: Path, feeds: list[RealFeed], turns: int, step: timedelta, draw: random.Random
) -> list[tuple[Cell, ...]]:
    """Synchronise several times, a ``step`` apart; return what was found."""
    host, reader, counts = FeedHost(feeds), Reader(draw), Counter[str]()
    with host.serving():
        host.now = START
        server = FreshRSS(folder / "freshrss", START)
        ours = Filter(folder / "home")
        with server:
            server.follow(host.addresses, folder)
            likes: dict[str, bool] = {}
            known: set[str] = set()
            wrong = 0
            for turn in range(1, turns + 1):
                now = START + turn * step
                host.now = server.now = now
                server.kill()
                server.start()
                server.refresh()
                app = server.app()
                new = [each for each in app.numbers() if each not in known]
                known |= set(new)
                for item in app.items(new):
                    liked = int(item["origin"]["streamId"].rpartition("/")[2]) % LIKED_FEEDS == 0
                    likes[str(int(item["id"].rpartition("/")[2], 16))] = liked
                reader.look(app, new, likes)
                if turn == 1:
                    ours.run(now, "freshrss", server.address, "--login", USER, "--hidden", "read")
                else:
                    kill_something(turn, server, ours, now, draw, counts)
                    ours.run(now, "sync", "--now")
                app = server.app()
                labelled = {band: app.labelled(band) for band in BANDS}
                wanted = ours.bands(now)
                wrong += sum(item not in labelled[band] for item, band in wanted.items())
                wrong += sum(
                    item in labelled[other] for item, band in wanted.items() for other in BANDS if other != band
                )
                best = [item for item in labelled[BANDS[0]] if item in wanted]
                print(
                    f"{now:%d %H:%M} new {len(new)}, labelled {len(wanted)}, wrong so far {wrong}, best "
                    f"{len(best)} of which liked {sum(likes.get(each, False) for each in best)}",
                    flush=True,
                )
                counts["labels compared"] += len(wanted)
            found = judged(ours, reader)
            shown = [item for item in server.app().labelled(BANDS[0]) if item in ours.bands(now)]
            marked = set(server.app().numbers()) - set(
                server.app().numbers("user/-/state/com.google/reading-list", ("xt", READ))
            )
            ours.run(now, "remove")
            left = sum(len(server.app().labelled(band)) for band in BANDS)
    return [
        ("articles that arrived", len(known)),
        ("synchronisations that ended", turns),
        ("iScore killed while it synchronised", counts["ours"]),
        ("FreshRSS killed while iScore synchronised", counts["theirs"]),
        ("labels compared", counts["labels compared"]),
        ("must be 0: labels that differ from the decision", wrong),
        ("stars, and labels dislike", f"{len(reader.starred | reader.unstarred)}, {len(reader.disliked)}"),
        *found,
        ("stories there that iScore marked as read", len(marked - reader.read)),
        ("must be 0: labels of iScore left after it was disconnected", left),
        ("labelled best at the end, and of these liked by the reader", f"{len(shown)}, {liked_share(shown, likes)}"),
    ]


def liked_share(items: list[str], likes: dict[str, bool]) -> str:
    """Return how many of these are liked."""
    return f"{sum(likes.get(each, False) for each in items)} ({sum(likes.values())} of all {len(likes)} articles)"


def kill_something(
    turn: int, server: FreshRSS, ours: Filter, now: datetime, draw: random.Random, counts: Counter[str]
) -> None:
    """Start a synchronisation, and kill one side at a random moment."""
    process = ours.start(now - timedelta(minutes=30), "sync", "--now")
    delay = draw.uniform(0.2, 1.0) * ours.seconds
    try:
        process.communicate(timeout=delay)
    except subprocess.TimeoutExpired:
        if turn % 2:
            process.kill()
            counts["ours"] += 1
        else:
            server.kill()
            counts["theirs"] += 1
        process.communicate(timeout=1200)
        if not turn % 2:
            server.start()


def judged(ours: Filter, reader: Reader) -> list[tuple[Cell, ...]]:
    """Compare the log and the reading events with what the reader did."""
    log, opened = ours.rows()
    stars, dislikes = reader.starred | reader.unstarred, reader.disliked

    def of(items: set[str], story: str) -> bool:
        return not items.isdisjoint(story.split("+"))

    learned = Counter(kind for kinds in log.values() for kind in kinds)
    once = sum(kinds == ["like"] for story, kinds in log.items() if of(stars, story))
    covered = {item for story in log for item in story.split("+")}
    return [
        ("rows of the log", ", ".join(f"{count} {kind}" for kind, count in sorted(learned.items()))),
        ("stories with a star whose only row is one like", once),
        ("must be 0: stars that are not learned", len(stars - covered)),
        ("must be 0: dislikes that are not learned", len(dislikes - covered)),
        (
            "must be 0: stories with more than one row, but for those that were starred and disliked",
            sum(len(kinds) > 1 for story, kinds in log.items() if not (of(stars, story) and of(dislikes, story))),
        ),
        ("must be 0: rows about stories that the reader has not rated", sum(not of(stars | dislikes, s) for s in log)),
        ("reading events", len(opened)),
        (
            "must be 0: reading events on stories that the reader has not read",
            sum(not of(reader.read, s) for s in opened),
        ),
    ]


def real_feeds(count: int, days: int, draw: random.Random, start: datetime = START) -> list[RealFeed]:
    """Return real feeds that have texts, each with its entries spread over the days from ``start`` on."""
    found = []
    with tarfile.open(Path(os.environ["ISCORE_DATA"]) / "feeds" / "real.tar.xz") as archive:
        for member in sorted(archive.getmembers(), key=lambda each: each.name):
            file = archive.extractfile(member) if member.isfile() and not member.name.endswith(".tsv") else None
            if file is None:
                continue
            try:
                parsed = parse(FeedJob(file.read(), "https://news.example/", "", start))
            except NotAFeedError:
                continue
            texts = {
                hashlib.sha256(each.text.encode()).digest(): each for each in parsed.entries if len(each.text) > 80
            }
            if len(texts) < 5:
                continue
            entries = [(start + draw.random() * timedelta(days=days), each) for each in list(texts.values())[:ENTRIES]]
            name = parsed.title or Path(member.name).stem
            found.append(RealFeed(name, tuple(sorted(entries, key=lambda each: each[0], reverse=True))))
            if len(found) == count:
                break
    return found


if __name__ == "__main__":
    main()
