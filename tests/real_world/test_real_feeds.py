"""Feeds as real sites published them, from the loopback through a whole round into the database.

The feeds are not part of the project; ``ISCORE_DATA`` names the folder that holds them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest

from iscore.services.news_filter import NewsFilter
from iscore.services.views.feeds import PollView
from storage.records.articles import Article
from storage.stream import articles

pytestmark = pytest.mark.long

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)

REFERENCE = """
import feedparser, io, json, sys, warnings
warnings.simplefilter("ignore")
found, headers = {}, {"content-type": "application/xml", "content-location": "https://x.org/feeds/news"}
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        result = feedparser.parse(io.BytesIO(file.read()), response_headers=headers)
    found[path] = len({(e.get("id"), e.get("title"), e.get("link"), str(dict.get(e, "published_parsed")
                  or dict.get(e, "updated_parsed")), e.get("summary")) for e in result.entries})
json.dump(found, sys.stdout)
"""
"""Counts the entries that feedparser, as it comes, finds in each file; what is alike in all respects counts once."""


class Publisher(ThreadingHTTPServer):
    """Serves files in three manners: a third with ETag, a third with Last-Modified, a third with neither."""

    daemon_threads = False

    def __init__(self, files: list[Path]) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.files = {f"/{number}/{quote(path.name)}": path for number, path in enumerate(files)}
        self.answers: list[tuple[str, int]] = []

    def address_of(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{path}"

    def statuses(self) -> dict[str, int]:
        """Tell how each path was answered since this was last asked, each having been asked once."""
        answers, self.answers = self.answers, []
        assert len(dict(answers)) == len(answers)
        return dict(answers)


class Answers(BaseHTTPRequestHandler):
    server: Publisher
    timeout = 2.0

    def do_GET(self) -> None:
        path = self.server.files[self.path]
        validators = [("ETag", "If-None-Match", f'"{path.stat().st_size:x}"')]
        validators.append(("Last-Modified", "If-Modified-Since", "Sat, 21 Nov 2026 10:00:00 GMT"))
        manner = int(self.path.split("/")[1]) % 3
        body, status = path.read_bytes(), 200
        for _, condition, value in validators[manner : manner + 1]:
            if self.headers.get(condition) == value:
                body, status = b"", 304
        self.server.answers.append((self.path, status))
        self.send_response(status)
        for name, _, value in validators[manner : manner + 1]:
            self.send_header(name, value)
        if status == 200:
            self.send_header("Content-Type", "application/json" if path.suffix == ".json" else "application/xml")
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- http.server's name
        """Stay silent."""


def unpacked(name: str, folder: Path) -> list[Path]:
    data = os.environ.get("ISCORE_DATA")
    if not data:
        pytest.skip("ISCORE_DATA is not set")
    with tarfile.open(Path(data) / "feeds" / name) as archive:
        archive.extractall(folder, filter="data")
    return sorted(path for path in folder.rglob("*.*") if path.is_file() and path.suffix != ".tsv")


class PolledHome:
    """A home that follows all feeds of a publisher, and a clock that is set by hand."""

    def __init__(self, home: Path, publisher: Publisher) -> None:
        self.publisher = publisher
        self.now = NOW
        home.mkdir()
        (home / "config.toml").write_text("allow_private_networks = true\nhost_spacing = 0\nrefresh_cooldown = 0\n")
        listed = "".join(f"  - url: {publisher.address_of(path)}\n" for path in publisher.files)
        (home / "feeds.yaml").write_text(f"feeds:\n{listed}")
        self.filter = NewsFilter.create(home, clock=lambda: self.now)

    def poll(self) -> PollView:
        view = self.filter.poll(force=True)
        assert view.feeds == len(self.publisher.files)
        return view

    def stored(self) -> dict[str, int]:
        """Tell how many articles each path has brought."""
        start = len(self.publisher.address_of(""))
        return {feed.url[start:]: feed.articles for feed in self.filter.subscriptions.feeds()}

    def articles(self) -> list[Article]:
        with self.filter.database.read() as tx:
            return articles.get(tx, range(1, articles.last_seq(tx) + 1))


def polled_home(name: str, folder: Path) -> Iterator[PolledHome]:
    files = unpacked(name, folder / "files")
    with Publisher(files) as publisher:
        thread = threading.Thread(target=publisher.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        made = PolledHome(folder / "home", publisher)
        try:
            yield made
        finally:
            made.filter.close()
            publisher.shutdown()
            thread.join()


@pytest.fixture
def real(tmp_path: Path) -> Iterator[PolledHome]:
    yield from polled_home("real.tar.xz", tmp_path)


@pytest.fixture
def odd(tmp_path: Path) -> Iterator[PolledHome]:
    yield from polled_home("odd.tar.xz", tmp_path)


@pytest.fixture
def expected(real: PolledHome) -> dict[str, int]:
    """Count each path's entries by an independent reading."""
    paths = {str(file): path for path, file in real.publisher.files.items()}
    command = [sys.executable, "-c", REFERENCE, *(file for file in paths if not file.endswith(".json"))]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    counts = {paths[file]: count for file, count in found.items()}
    return counts | {
        path: len(json.loads(file.read_bytes())["items"])
        for path, file in real.publisher.files.items()
        if file.suffix == ".json"
    }


def test_every_entry_is_stored_once_and_later_rounds_add_nothing(real: PolledHome, expected: dict[str, int]) -> None:
    assert len(expected) == 119
    first = real.poll()
    assert (first.changed, first.unchanged, first.failed) == (119, 0, 0), first.problems
    assert real.stored() == expected
    assert first.new_articles == sum(expected.values()) > 2900
    assert set(real.publisher.statuses().values()) == {200}
    stored = real.articles()
    assert len(stored) == first.new_articles
    assert len({article.id for article in stored}) == len(stored)
    assert all(article.story is not None for article in stored)
    leaders = sum(article.story == article.seq for article in stored)
    assert first.decided == sum(article.story == article.seq and not article.archive for article in stored) > 0
    # Few of these feeds tell each other's stories, and none is swallowed because all its entries link to one page.
    assert leaders > 0.97 * len(stored)

    real.now += timedelta(hours=2)
    second = real.poll()
    assert (second.changed, second.unchanged, second.failed) == (0, 119, 0)
    assert (second.new_articles, second.updated_articles, second.decided) == (0, 0, 0)
    assert real.stored() == expected
    assert real.articles() == stored
    # Who gave a validator gets it back and answers 304; of the others the bytes are compared.
    manners = Counter((int(path.split("/")[1]) % 3, code) for path, code in real.publisher.statuses().items())
    assert manners == {(0, 304): 40, (1, 304): 40, (2, 200): 39}


def test_odd_feeds_break_neither_the_round_nor_their_neighbours(odd: PolledHome) -> None:
    view = odd.poll()
    assert view.feeds == view.changed + view.failed > 400
    # Many can be read for all that; the rest says in a line why not.
    assert view.new_articles > 150
    assert 0 < view.failed < 0.5 * view.feeds
    assert len(view.problems) == view.failed
    assert all(problem.error and "\n" not in problem.error for problem in view.problems)
    assert not [problem for problem in view.problems if "unexpected" in problem.error]
    assert all(article.story is not None for article in odd.articles())
    odd.now += timedelta(hours=2)
    again = odd.poll()
    assert (again.changed, again.failed, again.new_articles) == (0, view.failed, 0)
