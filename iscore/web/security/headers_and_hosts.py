"""ASGI middleware for every request: security headers and allowed hosts."""

from __future__ import annotations

import re
from collections.abc import Callable
from ipaddress import ip_address

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "worker-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
NOT_STORED = "no-store"
"""Pages show what the user reads and contain one-time forms: neither belongs in a cache of HTTP. What is to be read
without a connection is kept by the service worker, which deletes it at the end of the session."""

LOOPBACK = frozenset({"127.0.0.1", "[::1]", "localhost"})

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?")


class SecurityHeaders:
    """Adds security headers to every response, and ``no-store`` where a response sets no cache control.

    A response may set its own, as pictures do."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", NOT_STORED)
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)


class AllowedHosts:
    """Rejects requests with an unknown Host header.

    This stops DNS rebinding, where an attacker's domain resolves to this machine.
    """

    def __init__(self, app: ASGIApp, allowed: Callable[[str], bool]) -> None:
        self._app = app
        self._allowed = allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = [value for name, value in Headers(scope=scope).items() if name == "host"]
            if len(given) != 1 or not self._allowed(host_of(given[0])):
                refusal = PlainTextResponse(
                    "Unknown host name. Set serve_address in config.toml to the address you open in your browser.\n",
                    421,
                )
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


def host_of(authority: str) -> str:
    """Return the host of ``host:port`` in lower case; empty if it is invalid."""
    match = _HOST.fullmatch(authority.lower())
    return match[1] if match else ""


def is_address(host: str) -> bool:
    """Whether a host is an IP address, which DNS rebinding cannot use."""
    try:
        ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True
