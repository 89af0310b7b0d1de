"""The demo's news: four weeks of articles from twelve feeds, and which of them the simulated user likes.

The file beside this module is written by ``python -m benchmarks.sample_news``, which also explains the news and the
user. Every word of it is made up, so it is no evidence of how well real news is filtered.
"""

from __future__ import annotations

import json
import lzma
from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import Any, Self
from urllib.parse import urlsplit

from iscore.evaluation.feed_server import Document

FILE = "sample_news.json.xz"


@dataclass(frozen=True, slots=True)
class SampleFeed:
    """A feed over the whole time; a document is ``head``, some of ``entries``, newest first, and ``tail``."""

    content_type: str
    encoding: str
    head: str
    """``{updated}`` in it is replaced by the time of the newest entry, as in ``updated``."""
    tail: str
    separator: str
    """Between two entries."""
    published: tuple[datetime, ...]
    """In ascending order; of each entry."""
    updated: tuple[str, ...]
    """The same times in the format of the feed."""
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SampleNews:
    """Feeds by path, such as ``/northwire.xml``, and the taste of the simulated user."""

    start: datetime
    days: int
    entries_per_feed: int
    feeds: dict[str, SampleFeed]
    liked: frozenset[str]
    """Paths of the articles' addresses. All other articles are disliked."""
    change_after_day: int
    """The user's taste changes after so many days."""

    @classmethod
    def load(cls) -> Self:
        """Read the news that come with iScore."""
        packed = files("iscore.evaluation").joinpath(FILE).read_bytes()
        return cls.from_json(json.loads(lzma.decompress(packed)))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the news that ``python -m benchmarks.sample_news`` writes."""
        feeds = {path: _feed(**feed) for path, feed in data["feeds"].items()}
        start = datetime.fromisoformat(data["start"])
        return cls(
            start, data["days"], data["entries_per_feed"], feeds, frozenset(data["liked"]), data["change_after_day"]
        )

    def document(self, path: str, at: datetime) -> Document | None:
        """Return a feed as it is at ``at``: the last entries that are published by then, newest first."""
        feed = self.feeds.get(path)
        if feed is None:
            return None
        last = bisect_right(feed.published, at)
        shown = slice(max(0, last - self.entries_per_feed), last)
        entries = feed.separator.join(reversed(feed.entries[shown]))
        head = feed.head.replace("{updated}", feed.updated[last - 1] if last else "", 1)
        # A character that the encoding lacks becomes a reference.
        body = (head + entries + feed.tail).encode(feed.encoding, "xmlcharrefreplace")
        return Document(body, feed.content_type, feed.published[last - 1] if last else self.start)

    def likes(self, url: str) -> bool:
        """Return whether the user likes the article at ``url``, whatever its query is."""
        return urlsplit(url).path in self.liked


def _feed(published: list[str], updated: list[str], entries: list[str], **rest: str) -> SampleFeed:
    times = tuple(datetime.fromisoformat(time) for time in published)
    return SampleFeed(**rest, published=times, updated=tuple(updated), entries=tuple(entries))
