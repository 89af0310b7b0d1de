"""Translates aiohttp's exceptions into ``FetchFailed`` values with a readable reason."""

from __future__ import annotations

import errno
import ssl

import aiohttp

from iscore.feeds.errors import UrlError
from iscore.feeds.http.decompression import CodingError, TooLargeError
from iscore.feeds.http.outcomes import FailureKind, FetchFailed
from iscore.feeds.http.private_networks import PrivateAddressError

NETWORK_ERRORS = (aiohttp.ClientError, OSError, ValueError, CodingError, UrlError)
"""Everything that fetching may raise for a cause outside the program. yarl and the codecs raise ``ValueError`` for
invalid URLs and headers."""

NO_SUCH_HOST = "no such host"

_REASONS = {
    errno.ECONNREFUSED: "connection refused",
    errno.ECONNRESET: "the server closed the connection",
    errno.EHOSTUNREACH: "no route to the server",
    errno.ENETUNREACH: "the network cannot be reached",
    errno.ETIMEDOUT: "the server did not answer",
}

_BY_TYPE: tuple[tuple[type[Exception], FailureKind, str], ...] = (
    (aiohttp.ClientConnectorDNSError, FailureKind.UNREACHABLE, NO_SUCH_HOST),
    (aiohttp.ClientPayloadError, FailureKind.BROKEN, "the response was cut off"),
    (aiohttp.ServerDisconnectedError, FailureKind.BROKEN, "the server closed the connection without a response"),
    (aiohttp.InvalidURL, FailureKind.REFUSED, "not a valid address"),
    (aiohttp.ClientResponseError, FailureKind.BROKEN, "the server does not speak HTTP"),
)
"""In order: the first type that fits."""


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
