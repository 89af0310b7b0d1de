"""The outcomes of fetching a document. Nothing here computes.

Header values are texts with one character per byte (latin-1), so that validators can be sent back as they came.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus

MAX_LINKS = 8_000


class FailureKind(StrEnum):
    """Why there is no document. ``schedule`` treats the kinds differently."""

    UNREACHABLE = "unreachable"
    """No connection: the name is unknown, no server listens, the network is down."""
    TIMEOUT = "timeout"
    """Not finished by the deadline."""
    BROKEN = "broken"
    """An answer that breaks HTTP, its own length or its own compression."""
    TOO_LARGE = "too large"
    INSECURE = "insecure"
    """The certificate does not prove the server's name."""
    REFUSED = "refused"
    """Not asked, or not followed: the URL is not allowed."""
    STATUS = "status"
    """The server answered with an error ``status``."""
    UNREADABLE = "unreadable"
    """The document came, but no feed could be read from it."""
    POSTPONED = "postponed"
    """Not asked in this poll: its host stopped answering, or the poll's time was over."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """The headers about how long an answer stays fresh; empty when not sent."""

    cache_control: str = ""
    age: str = ""
    expires: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A document, or the answer that it has not changed."""

    body: bytes | None
    """The decoded document; None when the server answered "not modified"."""
    content_type: str
    etag: str | None
    """None when the answer had none."""
    last_modified: str | None
    freshness: Freshness
    final_url: str
    """Where the document came from, after all redirects."""
    moved_to: str
    """``final_url`` if there was a redirect and every one of them was permanent (301, 308), else empty."""
    links: str = ""
    """The Link headers, separated by commas, cut after ``MAX_LINKS`` characters; empty when not sent."""


@dataclass(frozen=True, slots=True)
class FetchFailed:
    """No document, and why. A value, not an exception: a failing feed does not stop the others."""

    kind: FailureKind
    reason: str
    """One readable line, without URLs that could contain a password."""
    status: int | None = None
    retry_after: str = ""
    """The Retry-After header: seconds or an HTTP date; empty when not sent."""

    @property
    def wants_pause(self) -> bool:
        """Whether the host asks to be left alone for a while, with all that has the same login."""
        return self.status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE) and bool(
            self.retry_after.strip().strip("0")
        )
