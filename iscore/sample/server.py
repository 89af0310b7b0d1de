"""The sample feeds over real HTTP on the loopback, as they stand at a simulated time.

Each source has an address of its own where the system allows it (127.0.1.1, 127.0.1.2, …; everywhere on Linux), so
that a poller which spaces its requests per host is not slowed down by twelve sources on one host. Elsewhere all share
127.0.0.1.
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from hashlib import blake2b
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from iscore.sample.news import News
from iscore.sample.sources import Source


class NewsServer:
    """Serves ``/<source>.xml`` and ``/<source>.json`` while its context is open.

    Answers carry ETag and Last-Modified; conditional requests get 304. Ports are free ones chosen by the system.
    """

    def __init__(self, news: News, *, at: datetime | None = None) -> None:
        self.news = news
        self.at = at or news.start
        """The simulated time; set it whenever it moves on. Assignment is atomic, requests see the old or the new."""
        self.urls: dict[str, str] = {}
        """Source key to feed address, filled on entering the context."""
        self._servers: list[ThreadingHTTPServer] = []
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"site": self, "paths": {s.path: s for s in self.news.sources}})
        try:
            for number, source in enumerate(self.news.sources, start=1):
                server = _listen(f"127.0.1.{number}", handler)
                self._servers.append(server)
                host, port = server.server_address[:2]
                self.urls[source.key] = f"http://{host!s}:{port}{source.path}"
                # A short poll keeps closing quick.
                thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
                thread.start()
                self._threads.append(thread)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop answering and free the ports; done twice it does nothing."""
        for server, thread in zip(self._servers, self._threads, strict=False):
            server.shutdown()
            thread.join()
        for server in self._servers:
            server.server_close()
        self._servers.clear()
        self._threads.clear()


def _listen(address: str, handler: type[BaseHTTPRequestHandler]) -> ThreadingHTTPServer:
    try:
        return _Server((address, 0), handler)
    except OSError:
        return _Server(("127.0.0.1", 0), handler)


class _Server(ThreadingHTTPServer):
    # Closing waits for answers under way; a silent client is dropped by the handler's timeout.
    daemon_threads = False

    def server_bind(self) -> None:
        """Bind without the reverse look-up of the host name that the parent does."""
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]


class _Handler(BaseHTTPRequestHandler):
    site: NewsServer
    paths: dict[str, Source]
    timeout = 2.0

    def do_GET(self) -> None:
        """Answer with the feed, or that it has not changed, or that there is none."""
        source = self.paths.get(self.path)
        if source is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        at = self.site.at
        body, content_type = self.site.news.feed_document(source, at)
        entries = self.site.news.entries(source, at)
        modified = (entries[0].published if entries else self.site.news.start).astimezone(UTC)
        etag = f'"{blake2b(body, digest_size=8).hexdigest()}"'
        unchanged = self._is_current(etag, modified)
        self.send_response(HTTPStatus.NOT_MODIFIED if unchanged else HTTPStatus.OK)
        self.send_header("ETag", etag)
        self.send_header("Last-Modified", format_datetime(modified, usegmt=True))
        if not unchanged:
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not unchanged:
            self.wfile.write(body)

    def _is_current(self, etag: str, modified: datetime) -> bool:
        """Whether the client has this version; the ETag decides where both validators are sent (RFC 9110, 13.2.2)."""
        if "If-None-Match" in self.headers:
            return etag in [tag.strip() for tag in self.headers["If-None-Match"].split(",")]
        if "If-Modified-Since" in self.headers:
            try:
                since = parsedate_to_datetime(self.headers["If-Modified-Since"])
            except ValueError:
                return False
            return since.tzinfo is not None and modified.replace(microsecond=0) <= since
        return False

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Stay silent: the demo's terminal belongs to the demo."""

    def date_time_string(self, timestamp: float | None = None) -> str:
        """The Date header in simulated time; the world has no other clock."""
        if timestamp is not None:
            return super().date_time_string(timestamp)
        return format_datetime(self.site.at.astimezone(UTC), usegmt=True)
