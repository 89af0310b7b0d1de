"""A user's connection to another reader server, and what is known of its items."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class ReaderKind(StrEnum):
    """What the other server is. Stored: never rename one."""

    FRESHRSS = "freshrss"
    MINIFLUX = "miniflux"
    """The items have no labels."""
    GREADER = "greader"
    """Any other server that speaks the Google Reader API."""


class ConnectionOption(StrEnum):
    """What the user has chosen for their connection. Stored: never rename one."""

    HIDDEN_READ = "hidden-read"
    """Stories below the threshold are marked as read there."""
    STAR_ONLY_SAVES = "star-only-saves"
    """A star is no like."""
    UNSTAR_UNDOES = "unstar-undoes"
    """Removing a star undoes its like at any time, not only soon after."""
    PUBLIC_ONLY = "public-only"
    """The server is asked only while its address is public: a user who is no admin has given it on a page."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A connection to another reader server."""

    user_id: int
    kind: ReaderKind
    address: str
    """Where the Google Reader API begins, without a slash at the end."""
    name: str
    """The user's name there."""
    options: tuple[str, ...]
    """Values of ``ConnectionOption`` that are switched on."""
    connected: datetime
    synced: datetime | None = None
    """The last synchronisation that was finished."""
    newest: datetime | None = None
    """Arrival of the newest item, by the other server's clock."""
    next_due: datetime | None = None
    """None: at once."""
    failures: int = 0
    """Failed attempts since the last success."""
    error: str = ""
    """Why the last attempt failed; after a success, what it left out."""


@dataclass(frozen=True, slots=True)
class RemoteFeed:
    """A feed that the user follows on the other server."""

    stream: str
    """What the other server calls it, such as ``feed/7``."""
    title: str
    site_url: str
    folders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RemoteItem:
    """An item of the other server."""

    item: int
    """The other server's number, 64 bits, signed."""
    seq: int | None
    """The article; None for history that was imported."""
    starred: bool = False
    liked: bool = False
    disliked: bool = False
    read: bool = False
    """These four are what the user has set there, as it was seen last."""
    ours: tuple[str, ...] = ()
    """Tags that iScore has set there, or may have."""


@dataclass(frozen=True, slots=True)
class RemoteTag:
    """How a tag of an item should be on the other server, which does not know it yet."""

    item: int
    tag: str
    wanted: bool
    """Whether the item should have it."""
    refused: int = 0
    """How often the other server has refused it."""
