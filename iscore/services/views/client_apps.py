"""What client apps see: items, folders, labels, and how much is unread; and what pages show beside texts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from storage.records.users import Kind


@dataclass(frozen=True, slots=True)
class EnclosureView:
    url: str
    type: str
    """Media type, or empty."""
    length: int | None
    """Bytes by the publisher's word."""


@dataclass(frozen=True, slots=True)
class ContentView:
    html: str
    """Sanitised, its pictures as the page asked for them; empty if the paragraphs of the text are all there is."""
    picture: str
    """What a page loads above a text without pictures of its own; empty if there is none or pictures are off."""
    icon: str
    """What a page loads as the icon of the article's feed; empty likewise."""
    enclosures: tuple[EnclosureView, ...]


@dataclass(frozen=True, slots=True)
class ClientItem:
    """A story as client apps see it: its leading article, with the user's marks."""

    number: int
    """Of the article; it never changes."""
    id: str
    """The article's public id."""
    feed: int
    """The number of its feed."""
    feed_name: str
    folders: tuple[str, ...]
    title: str
    """One line."""
    url: str
    """http or https; may be empty."""
    author: str
    published: datetime
    """When it arrived, where the publisher's date is missing or in the future."""
    arrived: datetime
    html: str
    """Sanitised."""
    enclosures: tuple[EnclosureView, ...]
    read: bool
    saved: bool
    kept_unread: bool
    best: bool
    maybe: bool
    hidden: bool
    verdict: Kind | None
    labels: tuple[str, ...]
    changed: datetime
    """When it arrived, was read last, or was saved, whichever is the latest."""
    language: str
    """Such as ``en``; empty if it is not known."""


@dataclass(frozen=True, slots=True)
class ClientFeed:
    """A feed that the user follows."""

    number: int
    name: str
    url: str
    """Without password."""
    site: str
    """The web page that it belongs to; may be empty."""
    icon: str
    """Address of its icon, http or https; may be empty."""
    updated: datetime | None
    """When it was fetched last; None before the first time."""
    folders: tuple[str, ...]
    asked: datetime | None
    """When it was asked last, successfully or not; None before the first time."""
    due: datetime | None
    """When it will be asked again; None: now."""
    failures: int
    """In a row."""
    error: str
    """Why the last attempt failed; empty after a success."""
    paused: bool
    fulltext: bool
    """Whether full texts are fetched from articles' pages."""


@dataclass(frozen=True, slots=True)
class ClientFolder:
    """A folder, by which client apps group feeds that can be in one only: the first of their tags."""

    number: int
    name: str
    """Empty for feeds without any."""
    feeds: tuple[ClientFeed, ...]


@dataclass(frozen=True, slots=True)
class UnreadCount:
    """How many items of a list are unread."""

    count: int
    newest: datetime
    """When the newest of them arrived."""
