"""ASGI middleware for every request: security headers, allowed hosts, body limit."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from ipaddress import ip_address

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from iscore.core.translation import gettext

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

LARGEST_BODY = 16_384
"""Bytes. The largest form has a few hundred, besides those with a file."""
BODY_SECONDS = 10.0
LARGEST_UPLOAD = 4_000_000
"""Bytes of a form with a file; the OPML of 10,000 feeds has about 3 MB."""
LARGEST_IMPORT = 20_000_000
"""Bytes of a form with what another program exported: 10,000 starred articles with their texts have about this."""
UPLOAD_SECONDS = 60.0
"""Seconds in which a form of ``LARGEST_UPLOAD`` has to come; larger ones may take longer."""
UPLOADS = 4
"""Forms with a file that are received at a time: anybody may send them."""
LARGEST_APP_BODY = 1_000_000
"""Bytes of a client app's request: it may name a thousand items, or every feed."""
APP_BODIES = 16
"""Large ones that are received at a time: anybody may send them, too."""
MOST_DISCARDED = 100_000_000
"""Bytes that are read of a body that is too large: browsers show the answer only when all is sent."""

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


class BodyLimit:
    """Reads the whole body first, and rejects one that is too large or too slow.

    ``uploads`` has the paths of forms with a file and their largest size; ``is_app`` says of a path whether client apps
    use it; ``refuse`` renders an error page from a status and a sentence.
    """

    def __init__(
        self,
        app: ASGIApp,
        uploads: Mapping[str, int],
        is_app: Callable[[str], bool],
        refuse: Callable[[Request, int, str], ASGIApp],
    ) -> None:
        self._app = app
        self._uploads = uploads
        self._is_app = is_app
        self._refuse = refuse
        self._receiving = asyncio.Semaphore(UPLOADS)
        self._receiving_from_apps = asyncio.Semaphore(APP_BODIES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        largest = self._uploads.get(scope["path"], 0) if scope["method"] == "POST" else 0
        try:
            async with asyncio.timeout(UPLOAD_SECONDS * largest / LARGEST_UPLOAD if largest else BODY_SECONDS):
                if largest:
                    async with self._receiving:
                        body = await _read(receive, largest, discard=True)
                elif self._is_app(scope["path"]) and _may_be_large(scope):
                    async with self._receiving_from_apps:
                        body = await _read(receive, LARGEST_APP_BODY, discard=False)
                else:
                    body = await _read(receive, LARGEST_BODY, discard=False)
        except TimeoutError:
            await PlainTextResponse("The request took too long.\n", 408)(scope, receive, send)
            return
        if body is None:
            size = largest // 1_000_000
            sentence = gettext("This file is larger than %(size)s MB, so nothing was changed.", size=size)
            page = self._refuse(Request(scope), 413, sentence) if largest else None
            await (page or PlainTextResponse("The request is too large.\n", 413))(scope, receive, send)
            return
        waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._app(scope, again, send)


def _may_be_large(scope: Scope) -> bool:
    """Whether a body is larger than ``LARGEST_BODY``, or does not say how large it is."""
    length = Headers(scope=scope).get("content-length", "")
    return scope["method"] in ("POST", "PUT") and not (length.isdigit() and int(length) <= LARGEST_BODY)


async def _read(receive: Receive, limit: int, *, discard: bool) -> bytes | None:
    """Return the body; None if it is too large. With ``discard`` what is too large is still received."""
    pieces: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        more = message.get("more_body", False)
        size += len(message.get("body", b""))
        if size <= limit:
            pieces.append(message.get("body", b""))
        elif not discard or size > MOST_DISCARDED:
            return None
        else:
            pieces.clear()
    return b"".join(pieces) if size <= limit else None
