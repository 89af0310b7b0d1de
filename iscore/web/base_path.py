"""The app below a path of its host, as in https://example.org/iscore: what is inside knows paths of the app only."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BasePath:
    """Takes ``base`` from the paths of requests, and puts it before redirects.

    A proxy may pass the whole path or cut off the base itself. Templates get it from ``base_of``.
    """

    def __init__(self, app: ASGIApp, base: str) -> None:
        """``base``: empty, or a path that starts with a slash and ends without one."""
        self._app = app
        self._base = base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._base:
            await self._app(scope, receive, send)
            return
        path: str = scope["path"]
        if path == self._base:
            await RedirectResponse(f"{self._base}/", 308)(scope, receive, send)
            return
        Request(scope).state.base = self._base
        if path.startswith(f"{self._base}/"):
            scope["path"] = path.removeprefix(self._base)

        async def below(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                target = headers.get("location", "")
                if target.startswith("/"):
                    headers["location"] = self._base + target
            await send(message)

        await self._app(scope, receive, below)


def base_of(request: Request) -> str:
    """Return the path below which the app is; empty for the root of its host."""
    return str(getattr(request.state, "base", ""))


def base_path(address: str) -> str:
    """Return the path of a public URL without its last slash.

    >>> base_path("https://example.org/iscore/"), base_path("https://example.org"), base_path("")
    ('/iscore', '', '')
    """
    return urlsplit(address).path.rstrip("/")
