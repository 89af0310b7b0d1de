"""Callback addresses of WebSub hubs: below ``/websub/``, a key for each feed (W3C WebSub, sections 5.3, 6 and 7).

    GET  ─► did we ask for that? ─► the challenge, or 404
    POST ─► known key, size, signature ─► stored for the next poll

Hubs do not sign in and know no pages. What has a wrong signature is thrown away, with the same answer as the rest.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from iscore.core.clock import Clock
from iscore.core.sanitizing import one_line
from iscore.feeds.websub.requests import PATH, is_signed
from iscore.web.base_path import base_path
from iscore.web.request_log import note_route
from iscore.web.security.bodies import Bodies, RequestRefusedError
from iscore.web.threads import Threads
from storage.engine.errors import StorageError
from storage.opening.database import ARRIVALS, Database
from storage.records.feeds import HubSubscription
from storage.stream import hubs

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

MOST_SECONDS = 10**9
"""Of a lease, whatever a hub says."""
USUAL_LEASE = timedelta(days=1)
"""Where a hub does not say for how long, as it must."""
LONGEST_REASON = 200
"""Characters."""
CHALLENGE = 2000
"""Characters of the longest challenge that is sent back."""


class HubCallbacks:
    """What answers hubs."""

    def __init__(self, database: Database, clock: Clock, *, address: str = "", max_body: int = 10_000_000) -> None:
        """``address``: the public URL at which hubs reach the server, or empty; ``max_body``: bytes of the largest
        contents."""
        self.address = address
        self._database = database
        self._clock = clock
        self._max_body = max_body
        self._threads = Threads()
        self._bodies = Bodies()

    async def answer(self, request: Request, key: str) -> Response:
        """Answer a request for the callback address with this key."""
        try:
            return await self._answer(request, key)
        except StorageError:
            return PlainTextResponse("Service Unavailable\n", 503, {"retry-after": "60"})

    async def _answer(self, request: Request, key: str) -> Response:
        if request.method == "GET":
            return await self._threads.session(self._verify, request, key)
        if request.method == "POST":
            return await self._receive(request, key)
        return PlainTextResponse("Method Not Allowed\n", 405, {"allow": "GET, POST"})

    def _verify(self, request: Request, key: str) -> Response:
        """Answer a hub that wants to know whether we asked, or says that it refuses."""
        given, now = request.query_params, self._clock()
        mode, topic, challenge = (given.get(f"hub.{name}", "") for name in ("mode", "topic", "challenge"))
        if mode == "denied":
            reason = one_line(given.get("hub.reason", ""))[:LONGEST_REASON]
            with self._database.write(ARRIVALS) as tx:
                hubs.deny(tx, key, topic, f"the hub refuses{f': {reason}' if reason else ''}", now)
            return PlainTextResponse("OK\n")
        agreed = False
        if mode in ("subscribe", "unsubscribe") and 0 < len(challenge) <= CHALLENGE:
            lease = _lease(given.get("hub.lease_seconds", ""))
            with self._database.write(ARRIVALS) as tx:
                agreed = hubs.verify(tx, key, topic, now, ending=mode == "unsubscribe", lease=lease)
        return PlainTextResponse(challenge) if agreed else PlainTextResponse("Not Found\n", 404)

    async def _receive(self, request: Request, key: str) -> Response:
        """Take contents."""
        known = await self._threads.session(self._subscription, key)
        if known is None or known.ending:
            return PlainTextResponse("Gone\n", 410)
        if refusal := self._refusal(request):
            return refusal
        try:
            body = await self._bodies.pushed(request, hubs.host(known.hub.address), self._max_body)
        except RequestRefusedError as refused:
            return PlainTextResponse(f"{refused}\n", refused.status, {"retry-after": "60"})
        signature, kind = (request.headers.get(name, "") for name in ("x-hub-signature", "content-type"))
        stored = await self._threads.fetch(self._store, known, signature, kind, body)
        return Response(status_code=202) if stored else PlainTextResponse("Busy\n", 503, {"retry-after": "300"})

    def _refusal(self, request: Request) -> Response | None:
        """Return why contents are not even read."""
        length = request.headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or int(length[:12]) > self._max_body:
            return PlainTextResponse("Content Too Large\n", 413)
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            return PlainTextResponse("Unsupported Media Type\n", 415)
        return None

    def _subscription(self, key: str) -> HubSubscription | None:
        with self._database.read() as tx:
            return hubs.by_key(tx, key)

    def _store(self, known: HubSubscription, signature: str, kind: str, body: bytes) -> bool:
        """Store contents; False if too much is waiting. What is not signed by the hub is thrown away."""
        if not body or not is_signed(body, signature, known.secret):
            return True
        with self._database.write(ARRIVALS) as tx:
            return hubs.push(tx, known.feed_id, self._clock(), kind, body)


class HubRequests:
    """Answers hubs, and hands all other requests on."""

    def __init__(self, app: ASGIApp, callbacks: HubCallbacks) -> None:
        self._app = app
        self._callbacks = callbacks
        self._path = base_path(callbacks.address) + PATH

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        begin = next((each for each in (PATH, self._path) if path.startswith(each)), "")
        if not begin:
            await self._app(scope, receive, send)
            return
        note_route(scope, f"{PATH}{{key}}")
        response = await self._callbacks.answer(Request(scope, receive), path.removeprefix(begin))
        await response(scope, receive, send)


def _lease(text: str) -> timedelta:
    if not (text.isascii() and text.isdigit()):
        return USUAL_LEASE
    return timedelta(seconds=min(int(text[:12]), MOST_SECONDS))
