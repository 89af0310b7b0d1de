"""What becomes of each request, for logs and metrics: its route instead of its address, which may contain secrets."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass

import starlette.routing
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from iscore.web.security.client_address import ClientAddress

_KEY = "route"
HEADER = "x-request-id"
"""Of the answer; of the request if a trusted proxy sends it."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"})
"""A client may invent others."""
ABORTED = 499
"""The status of a request that was not answered: its client had gone. As nginx has it."""

_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
_current: ContextVar[str] = ContextVar("request_id", default="")


class Route(starlette.routing.Route):
    """A route that notes its path with the request; one inside another notes it last."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope.setdefault("state", {})[_KEY] = self.path
        await super().handle(scope, receive, send)


def note_route(scope: Scope, path: str) -> None:
    """Note the path of what answers a request outside the routes."""
    scope.setdefault("state", {})[_KEY] = path


def route_of(scope: Scope) -> str:
    """Return the path of the route that answered a request, such as ``/article/{article_id}``; empty if none did."""
    return str(scope.get("state", {}).get(_KEY, ""))


@dataclass(frozen=True, slots=True)
class HandledRequest:
    """One request after its answer."""

    id: str
    method: str
    """Upper case; ``other`` for what no client of ours sends."""
    route: str
    """The path of the route, such as ``/article/{article_id}``; empty if the request reached none."""
    status: int
    seconds: float
    """From the first byte of the request's headers being read to the last byte of the answer being written."""


class RequestObserver:
    """Gives each request an id, and calls ``observe`` when it has been answered."""

    def __init__(self, app: ASGIApp, clients: ClientAddress, observe: Callable[[HandledRequest], None]) -> None:
        self._app = app
        self._clients = clients
        self._observe = observe

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope.setdefault("state", {})  # copies of the scope share it
        request_id, status, started = self._id(Request(scope)), ABORTED, time.perf_counter()

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        token = _current.set(request_id)
        try:
            await self._app(scope, receive, noted)
        finally:
            _current.reset(token)
            method = scope["method"] if scope["method"] in METHODS else "other"
            seconds = time.perf_counter() - started
            self._observe(HandledRequest(request_id, method, route_of(scope), status, seconds))

    def _id(self, request: Request) -> str:
        given = request.headers.get(HEADER, "")
        if _ID.fullmatch(given) and self._clients.is_trusted_proxy(request):
            return given
        return secrets.token_hex(8)


def current_request() -> str:
    """Return the id of the request that is being answered; empty outside one."""
    return _current.get()
