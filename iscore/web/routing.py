"""Routes that say which of them answers a request, so that logs and metrics need no address."""

from __future__ import annotations

import starlette.routing
from starlette.types import Receive, Scope, Send

_KEY = "route"


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
