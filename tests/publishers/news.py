"""A publisher on the loopback with the files of ``cases``, and homes that have polled them."""

from __future__ import annotations

import json
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.iscore.cli.person import Person

FILES = Path(__file__).parent / "cases"
NOW = datetime(2026, 11, 28, 8, 0, tzinfo=UTC)
TEASER = "What the council decided."
RSS = "application/rss+xml"
FULL_TEXTS = {"fulltext-media.html": 1, "fulltext-consent.html": 4}
"""Pages → how many entries of a feed with full texts have that page."""

_STORED = """
SELECT title, url, author, language, published, text, html, thumbnail, enclosures, categories
FROM articles JOIN texts USING (seq) LEFT JOIN contents USING (seq)
WHERE feed_id = (SELECT id FROM feeds WHERE feeds.url = ?) ORDER BY articles.seq DESC
"""


@dataclass(frozen=True)
class Stored:
    """An article as the database has it."""

    title: str
    url: str
    author: str
    language: str
    published: datetime | None
    text: str
    html: str
    thumbnail: str
    enclosures: tuple[str, ...]
    """Addresses."""
    categories: tuple[str, ...]


class Reader(Person):
    """A user who has polled all files at the address ``at``."""

    at: str

    def stored(self, file: str) -> list[Stored]:
        """List what came from a file, in the order of the document."""
        path = f"teasers/{file}" if file in FULL_TEXTS else file
        with closing(sqlite3.connect(f"file:{self.home / 'iscore.db'}?mode=ro", uri=True)) as database:
            rows = database.execute(_STORED, (f"{self.at}/{path}",)).fetchall()
        return [
            Stored(
                *row[:4],
                None if row[4] is None else datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=row[4]),
                row[5],
                zlib.decompress(row[6]).decode() if row[6] else "",
                row[7] or "",
                tuple(each[0] for each in json.loads(row[8] or "[]")),
                tuple(json.loads(row[9])),
            )
            for row in rows
        ]


@contextmanager
def publisher(served: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Serve files with these headers, and the feeds of ``FULL_TEXTS`` with their pages; yield the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.removeprefix("/")
            page = name.partition("/")[2]
            if name in served:
                self._answer(served[name], (FILES / name).read_bytes())
            elif name.startswith("teasers/"):
                self._answer({"Content-Type": RSS}, _teasers(at, page))
            elif page in FULL_TEXTS:
                self._answer({"Content-Type": "text/html"}, (FILES / page).read_bytes())
            else:
                self.send_error(404)

        def _answer(self, headers: Mapping[str, str], body: bytes) -> None:
            self.send_response(200)
            for field, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(field, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 -- its name there
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        at = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            yield at
        finally:
            server.shutdown()


def _teasers(at: str, page: str) -> bytes:
    items = "".join(
        f"<item><title>Story {n}</title><link>{at}/{n}/{page}</link><description>{TEASER}</description></item>"
        for n in range(FULL_TEXTS[page])
    )
    return f'<rss version="2.0"><channel><title>Teasers</title>{items}</channel></rss>'.encode()


def polled(home: Path, at: str, files: Iterable[str], pages: Iterable[str] = ()) -> Reader:
    """Make a home that follows these files, always shows what they have, and polls them.

    It also follows a feed of each of ``pages``, with full texts.
    """
    feeds = [f"  - url: {at}/{file}\n    priority: always\n" for file in files]
    feeds += [f"  - url: {at}/teasers/{page}\n    fulltext: true\n" for page in pages]
    reader = Reader(home, "feeds:\n" + "".join(feeds))
    reader.at, reader.now = at, NOW
    reader.types("poll")
    return reader
