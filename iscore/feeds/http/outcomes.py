"""What came back from asking for a feed: the nouns between fetching and scheduling. Nothing here computes.

Header values are kept as text, byte for byte (latin-1), so that validators can be sent back exactly as they
came.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FailureKind(StrEnum):
    """Why there is no document. Scheduling treats the kinds differently."""

    UNREACHABLE = "unreachable"
    """No connection: the name is unknown, nobody listens, the network is down."""
    TIMEOUT = "timeout"
    """Not finished by the deadline."""
    BROKEN = "broken"
    """An answer that breaks HTTP, its own length or its own compression."""
    TOO_LARGE = "too large"
    INSECURE = "insecure"
    """The certificate does not prove the server's name."""
    REFUSED = "refused"
    """Not asked, or not followed: the address must not be visited."""
    STATUS = "status"
    """The server said no, with ``status``."""
    UNREADABLE = "unreadable"
    """The document came, but no feed could be read from it."""
    POSTPONED = "postponed"
    """Not asked in this round: its host stopped answering, or the round's time was up."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """The headers that say how long an answer stays fresh; empty when not sent."""

    cache_control: str = ""
    age: str = ""
    expires: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A document, or the news that it has not changed."""

    body: bytes | None
    """The decoded document; None when the server said "not modified"."""
    content_type: str
    etag: str | None
    """None when the answer had none."""
    last_modified: str | None
    freshness: Freshness
    final_url: str
    """Where the document came from, after all redirects."""
    moved_to: str
    """``final_url`` if there was a redirect and every one of them was permanent (301, 308), else empty."""


@dataclass(frozen=True, slots=True)
class FetchFailed:
    """No document, and why. A value, not an exception: one failing feed stops nobody else."""

    kind: FailureKind
    reason: str
    """One readable line, without addresses that could hold a password."""
    status: int | None = None
    retry_after: str = ""
    """The Retry-After header: seconds or an HTTP date; empty when not sent."""
