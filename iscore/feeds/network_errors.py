"""The boundary at which aiohttp's exceptions become ``FetchFailed`` values with a reason that people understand."""

from __future__ import annotations

import errno
import ssl

import aiohttp

from iscore.feeds.address import PrivateAddressError
from iscore.feeds.content_coding import CodingError, TooLargeError
from iscore.feeds.errors import AddressError
from iscore.feeds.outcomes import FailureKind, FetchFailed

NETWORK_ERRORS = (aiohttp.ClientError, OSError, ValueError, CodingError, AddressError)
"""Everything that fetching may raise for a cause outside the program. ``ValueError`` is what yarl and the codecs raise for
addresses and headers that cannot be."""

_REASONS = {
    errno.ECONNREFUSED: "nobody answers there (connection refused)",
    errno.ECONNRESET: "the server broke off the connection",
    errno.EHOSTUNREACH: "the server cannot be reached (no route)",
    errno.ENETUNREACH: "the network cannot be reached",
    errno.ETIMEDOUT: "the server did not answer",
}


def explain(error: Exception) -> FetchFailed:
    """Translate one of ``NETWORK_ERRORS``."""
    match error:
        case TooLargeError():
            return FetchFailed(FailureKind.TOO_LARGE, f"the document {error}")
        case CodingError():
            return FetchFailed(FailureKind.BROKEN, f"the answer {error}")
        case AddressError():
            return FetchFailed(FailureKind.REFUSED, f"it leads to an address that {error.problem}")
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientConnectorSSLError():
            return FetchFailed(FailureKind.INSECURE, _certificate(error.__cause__ or error))
        case aiohttp.ClientConnectorDNSError():
            return FetchFailed(FailureKind.UNREACHABLE, "there is no server of that name")
        case aiohttp.ClientConnectorError():
            return _connection(error.os_error)
        case aiohttp.ClientPayloadError():
            return FetchFailed(FailureKind.BROKEN, "the answer broke off before its end")
        case aiohttp.ServerDisconnectedError():
            return FetchFailed(FailureKind.BROKEN, "the server broke off the connection without an answer")
        case aiohttp.InvalidURL():
            return FetchFailed(FailureKind.REFUSED, "the address cannot be understood")
        case aiohttp.ClientResponseError():
            return FetchFailed(FailureKind.BROKEN, "the server does not answer in HTTP")
        case OSError():
            return _connection(error)
    return FetchFailed(FailureKind.BROKEN, "the address or the answer cannot be understood")


def _connection(error: OSError) -> FetchFailed:
    if isinstance(error, PrivateAddressError):
        return FetchFailed(
            FailureKind.REFUSED,
            "it leads into a private network; `allow_private_networks = true` in config.toml permits that",
        )
    reason = _REASONS.get(error.errno or 0, "the server cannot be reached")
    return FetchFailed(FailureKind.UNREACHABLE, reason)


def _certificate(error: BaseException) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the server's certificate is not valid ({error.verify_message})"
    return "no secure connection could be made"
