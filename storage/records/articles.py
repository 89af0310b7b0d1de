"""Articles: what a page shows of them, and what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file that a publisher attaches to an article, such as an episode of a podcast."""

    url: str
    """http or https."""
    type: str
    """The media type as the publisher gives it, such as ``audio/mpeg``; may be empty."""
    length: int | None
    """The bytes by the publisher's word; None without one."""


@dataclass(frozen=True, slots=True)
class Content:
    """The parts of an article that nothing is learned from."""

    html: str = ""
    """Sanitised HTML; empty if the paragraphs of the text show all there is."""
    enclosures: tuple[Enclosure, ...] = ()
    thumbnail: str = ""
    """Address of a picture that stands for the article, http or https; may be empty."""


NO_CONTENT = Content()
NEWS = timedelta(days=7)
"""Longest time between publication and arrival of news."""


def dated(published: datetime | None, arrived: datetime, *, archive: bool) -> datetime:
    """Return when an article counts as published in lists: never after its arrival, and without a date then.

    Archive without a date counts as just too old to be news, so that it is not on top of lists.

    >>> dated(None, datetime(2026, 3, 9, 7), archive=True)
    datetime.datetime(2026, 3, 2, 7, 0)
    """
    if published is None:
        return arrived - NEWS if archive else arrived
    return min(published, arrived)


@dataclass(frozen=True, slots=True)
class NewArticle:
    """One entry of a feed, cleaned and ready to be stored."""

    key: str
    """The entry's identity within its feed."""
    url: str
    title: str
    author: str
    categories: tuple[str, ...]
    text: str
    language: str
    published: datetime | None
    links: int
    pictures: int
    content_hash: bytes
    """16 bytes over all fields above as the feed had them: they change when the entry changes. The text may since have
    been replaced by that of the article's page.
    """
    archive: bool = False
    """Whether it is too old to be news at its arrival; a later change of the entry does not change it."""
    content: Content = NO_CONTENT
    """Not part of ``content_hash``."""


@dataclass(frozen=True, slots=True)
class Article:
    """An article as stored. It satisfies ``extractors.article.Document``."""

    seq: int
    id: str
    """Public id: short, lower-case letters and digits, stable."""
    feed_id: int
    source: str
    """The title of its feed (the feed's own, else its address)."""
    url: str
    site: str
    title: str
    author: str
    categories: tuple[str, ...]
    text: str
    language: str
    published: datetime | None
    arrived: datetime
    links: int
    pictures: int
    story: int | None
    """``seq`` of the first article of its story, mostly itself; None before ingestion; 0 for an imported item, which is
    in no story.
    """
    archive: bool = False
    """Whether it was too old to be news when it arrived."""

    @property
    def tags(self) -> tuple[str, ...]:
        """Always empty: articles are shared, tags are one user's. ``IngestedArticle`` has them."""
        return ()


@dataclass(frozen=True, slots=True)
class StorySource:
    """One feed's telling of a story."""

    source: str
    title: str
    """As lists show it: without one the first sentence of the text."""
    url: str


@dataclass(frozen=True, slots=True)
class Features:
    """An article's document and stream features, frozen at arrival."""

    seq: int
    story: int
    simhash: int
    """64 bits, signed."""
    names: tuple[str, ...]
    """Names of the values; stored once per distinct set, not per article."""
    values: bytes
    """float64, little-endian, one per name; NaN is missing."""
    terms: bytes
    """``extractors.text.terms.TermVector.to_bytes``."""
    pairs: bytes
    """Buckets of its different pairs of neighbouring terms, ascending; int32, little-endian."""
    meaning: bytes = b""
    """``extractors.text.meaning``: a byte for each dimension; empty without an encoder."""
    encoder: str = ""
    """What made the meaning."""


@dataclass(frozen=True, slots=True)
class StoredBasis:
    """A basis of the stream's vectors."""

    number: int
    """1, 2, 3 …; some may be missing, since only the newest that is due is learned."""
    articles: int
    """How many articles had been ingested when it became due."""
    sequence: int
    """``seq`` of the last of them."""
    state: bytes
    """``extractors.stream.word_vectors.Basis.to_bytes``."""


class IngestedArticle(NamedTuple):
    """An ingested article for one user: metadata, frozen features and tags, without the text.

    It satisfies ``extractors.article.Metadata``. A tuple, since thousands are made before an inbox is shown.
    """

    seq: int
    id: str
    story: int
    url: str
    source: str
    site: str
    author: str
    categories: tuple[str, ...]
    language: str
    published: datetime | None
    arrived: datetime
    names: tuple[str, ...]
    values: bytes
    terms: bytes
    pairs: bytes
    """Empty for what arrived before pairs were kept."""
    tags: tuple[str, ...]
    """The user's tags on its feed now; empty without a subscription. All other fields are frozen."""
    archive: bool = False
    """Whether it was too old to be news when it arrived: then nothing is decided about it."""
