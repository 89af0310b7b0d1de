"""The outcomes of fetching a document, and the translation of exceptions into them.

Header values are texts with one character per byte (latin-1), so that validators can be sent back unchanged.
"""

from __future__ import annotations

import errno
import ssl
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus

import aiohttp

from iscore.feeds.errors import UrlError
from iscore.feeds.http.decompression import CodingError, TooLargeError
from iscore.feeds.http.private_networks import PrivateAddressError

MAX_LINKS = 8_000
"""Characters of the Link headers that are kept."""
NETWORK_ERRORS = (aiohttp.ClientError, OSError, ValueError, CodingError, UrlError)
"""All that fetching may raise for a cause outside the program. yarl and the codecs raise ``ValueError`` for
invalid URLs and headers."""

NO_SUCH_HOST = "no such host"

_REASONS = {
    errno.ECONNREFUSED: "connection refused",
    errno.ECONNRESET: "the server closed the connection",
    errno.EHOSTUNREACH: "no route to the server",
    errno.ENETUNREACH: "the network cannot be reached",
    errno.ETIMEDOUT: "the server did not answer",
}


class FailureKind(StrEnum):
    """Why there is no document. ``schedule`` treats the kinds differently."""

    UNREACHABLE = "unreachable"
    """No connection: the name is unknown, no server listens, the network is down."""
    TIMEOUT = "timeout"
    """Not finished by the deadline."""
    BROKEN = "broken"
    """An answer that violates HTTP, or does not match its own length or compression."""
    TOO_LARGE = "too large"
    INSECURE = "insecure"
    """The certificate does not prove the server's name."""
    REFUSED = "refused"
    """Not requested, or a redirect not followed: the URL is not allowed."""
    STATUS = "status"
    """The server answered with an error ``status``."""
    UNREADABLE = "unreadable"
    """The document arrived, but no feed could be read from it."""
    POSTPONED = "postponed"
    """Not requested in this poll: its host stopped answering, or the poll ran out of time."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """The headers that say how long an answer stays fresh; empty when not sent."""

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
        """Whether the host asks for a pause, for all requests with the same login."""
        return self.status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE) and bool(
            self.retry_after.strip().strip("0")
        )


_BY_TYPE: tuple[tuple[type[Exception], FailureKind, str], ...] = (
    (aiohttp.ClientConnectorDNSError, FailureKind.UNREACHABLE, NO_SUCH_HOST),
    (aiohttp.ClientPayloadError, FailureKind.BROKEN, "the response was cut off"),
    (aiohttp.ServerDisconnectedError, FailureKind.BROKEN, "the server closed the connection without a response"),
    (aiohttp.InvalidURL, FailureKind.REFUSED, "not a valid address"),
    (aiohttp.ClientResponseError, FailureKind.BROKEN, "the server does not speak HTTP"),
)
"""The first matching type counts."""


def explain(error: Exception) -> FetchFailed:
    """Translate one of ``NETWORK_ERRORS``."""
    for type_, kind, reason in _BY_TYPE:
        if isinstance(error, type_):
            return FetchFailed(kind, reason)
    match error:
        case TooLargeError():
            return FetchFailed(FailureKind.TOO_LARGE, f"the document {error}")
        case CodingError():
            return FetchFailed(FailureKind.BROKEN, f"the response {error}")
        case UrlError():
            return FetchFailed(FailureKind.REFUSED, f"it leads to an address that {error.problem}")
        case OSError():
            return _connection(error)
    return FetchFailed(FailureKind.BROKEN, "the address or the response is not valid")


def status_phrase(status: int) -> str:
    """Return the standard's phrase for a status. The server's own may contain a password."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _connection(error: OSError) -> FetchFailed:
    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientConnectorSSLError):
        return FetchFailed(FailureKind.INSECURE, _certificate(error.__cause__))
    if isinstance(error, aiohttp.ClientConnectorError):
        error = error.os_error
    if isinstance(error, PrivateAddressError):
        return FetchFailed(
            FailureKind.REFUSED,
            "it is on a private network; `private_hosts` in config.toml can allow its host",
        )
    reason = _REASONS.get(error.errno or 0, "the server cannot be reached")
    return FetchFailed(FailureKind.UNREACHABLE, reason)


def _certificate(error: BaseException | None) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the server's certificate is not valid ({error.verify_message})"
    return "cannot make a secure connection"
