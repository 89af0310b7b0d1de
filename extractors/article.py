"""What an extractor may see of an article.

Times are aware and in UTC. An empty string means "unknown", ``None`` for a time likewise.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


class Metadata(Protocol):
    """An article without its text. It is kept after the text has been pruned, so reader-scope extractors see only
    this."""

    @property
    def id(self) -> str:
        """The article's public id: stable, unique, never reused."""

    @property
    def url(self) -> str:
        """The canonical address of the page, or empty."""

    @property
    def source(self) -> str:
        """The title of the article's feed."""

    @property
    def site(self) -> str:
        """The host of ``url``, without ``www.``, or empty."""

    @property
    def author(self) -> str:
        """The author as the feed names them, or empty."""

    @property
    def categories(self) -> tuple[str, ...]:
        """The feed's own categories of the entry, in the feed's order."""

    @property
    def tags(self) -> tuple[str, ...]:
        """The user's own tags on the feed, in their order; empty when there are none.

        Personal, so only reader scope may use them; document and stream features are the same for all users.
        """

    @property
    def language(self) -> str:
        """Two-letter ISO 639-1 code, or empty when unknown."""

    @property
    def published(self) -> datetime | None:
        """When the feed says it was published; may be missing or wrong."""

    @property
    def arrived(self) -> datetime:
        """When this installation first saw the article; the order that counts."""


class Document(Metadata, Protocol):
    """A whole article at its arrival."""

    @property
    def title(self) -> str:
        """Plain text, one line."""

    @property
    def text(self) -> str:
        """Plain text of the body; paragraphs are separated by blank lines. May be empty."""

    @property
    def links(self) -> int:
        """Number of links in the body's markup."""

    @property
    def pictures(self) -> int:
        """Number of pictures in the body's markup."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """A ``Document`` to make from any source.

    >>> from datetime import UTC, datetime
    >>> Article(id="1", arrived=datetime(2026, 3, 2, tzinfo=UTC), title="Ferry on time", text="").language
    ''
    """

    id: str
    arrived: datetime
    title: str
    text: str
    url: str = ""
    source: str = ""
    site: str = ""
    author: str = ""
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    language: str = ""
    published: datetime | None = None
    links: int = 0
    pictures: int = 0
