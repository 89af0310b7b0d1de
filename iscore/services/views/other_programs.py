"""What is shown of connections to other reader servers, and what client apps see: items, folders, what is unread.

None of it contains a password.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from iscore.services.views.stories import EnclosureView, StoryView
from storage.records.stories import Item


@dataclass(frozen=True, slots=True)
class ConnectionView:
    """A connection, and how it is doing."""

    kind: str
    """A value of ``ReaderKind``."""
    address: str
    name: str
    """The user's name there."""
    options: tuple[str, ...]
    connected: datetime
    synced: datetime | None
    """The last synchronisation that was finished."""
    next_due: datetime | None
    failures: int
    """Failed attempts since the last success."""
    error: str
    """Why the last attempt failed; after a success, what it left out."""
    feeds: int
    items: int
    """Known of the other server."""
    labelled: int
    """Of these, on how many iScore has set something there."""
    waiting: int
    """Tags that are still to be set or removed there."""
    refused: int
    """Tags that the other server refuses."""


@dataclass(frozen=True, slots=True)
class SyncView:
    """What one synchronisation did."""

    new: int
    """Articles that came."""
    recommended: int
    """Of these."""
    imported: int
    """Stars and likes from before the connection that are learned from now on."""
    verdicts: int
    """Likes, dislikes and undone ones that were learned."""
    read: int
    """Stories that were read there."""
    sent: int
    """Tags that were set or removed there."""
    seconds: float
    note: str
    """What was left out, and why; empty if nothing was."""


@dataclass(frozen=True, slots=True)
class RemovedView:
    """A connection that was removed."""

    address: str
    sent: int
    """Tags that were removed there."""
    left: int
    """Tags that stay there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientItem(StoryView):
    """A story as client apps see it, with the HTML of its leading article.

    ``title``, ``author`` and ``source`` are one line, ``url`` is http or https or empty. Without a text, a score and
    the other sources.
    """

    published: datetime
    """When it arrived, where the publisher's date is missing or in the future."""
    state: Item
    """The number and its feed, what it is in the app, and the user's verdict."""
    folders: tuple[str, ...]
    """Of its feed."""
    site: str
    """The web page of its feed; may be empty."""
    followed: bool
    """Whether the user follows its feed."""
    html: str
    """Sanitised."""
    enclosures: tuple[EnclosureView, ...]


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
    """The secret part of the address of its icon; empty without one."""
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
