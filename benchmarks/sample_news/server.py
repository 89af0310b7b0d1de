"""The sample feeds over HTTP on the loopback, as they are at a simulated time.

Each source has an address of its own where the system allows it (127.0.1.1, 127.0.1.2, …; everywhere on Linux), so
that a poller which spaces its requests per host is not slowed down by twelve sources on one host. Elsewhere all share
127.0.0.1.
"""

from __future__ import annotations

from contextlib import ExitStack
from datetime import datetime
from types import TracebackType
from typing import Self

from benchmarks.sample_news.news import News
from iscore.evaluation.feed_server import Document, FeedServer


class NewsServer:
    """Serves ``/<source>.xml`` and ``/<source>.json`` while its context is open."""

    def __init__(self, news: News, *, at: datetime | None = None, port: int = 0) -> None:
        """``port`` 0 takes free ports; with another one articles get the same IDs in every run."""
        self.news = news
        self._port = port
        self.at = at or news.start
        """The simulated time. Assignment is atomic: a request sees the old or the new."""
        self.urls: dict[str, str] = {}
        """Source key to feed address, filled on entering the context."""
        self._sources = {source.path: source for source in news.sources}
        self._servers = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as servers:
            for number, source in enumerate(self.news.sources, start=1):
                server = servers.enter_context(
                    FeedServer(self._document, lambda: self.at, (f"127.0.1.{number}", self._port))
                )
                self.urls[source.key] = server.url + source.path
            self._servers = servers.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop answering and free the ports; a second call does nothing."""
        self._servers.close()

    def _document(self, path: str) -> Document | None:
        source = self._sources.get(path)
        if source is None:
            return None
        entries = self.news.entries(source, self.at)
        body, content_type = self.news.feed_document(source, self.at)
        return Document(body, content_type, entries[0].published if entries else self.news.start)
