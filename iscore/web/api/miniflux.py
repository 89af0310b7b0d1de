"""The part of Miniflux's API, version 1, that its clients use.

    X-Auth-Token: an app's password, or HTTP's basic authentication with a user's name and that password
    /v1/entries?status=unread&limit=100 ─► {"total": 7, "entries": […]}

Items, feeds and marks are those of the Google Reader API, by their plain numbers; ``miniflux_items`` says what becomes
what. Settings that only Miniflux has are not stored, and its answers have them as a new account of Miniflux would.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from iscore.web.api import miniflux_items as written
from iscore.web.api.miniflux_entries import EntryCalls
from iscore.web.api.miniflux_feeds import MinifluxFeeds
from iscore.web.api.miniflux_folders import CategoryCalls
from iscore.web.api.miniflux_requests import ApiError, answer, error, nothing, number_in, v1_route
from iscore.web.api.requests import Call, Parameters
from iscore.web.context import AppContext
from iscore.web.routing import Route
from iscore.web.security.app_access import AppAccess
from storage.records.accounts import AppPassword
from storage.stories.client_items import EVERYTHING

V1, HEALTH = "/v1/", "/healthcheck"
VERSION = "2.2.14"
"""The version of Miniflux whose API this is: clients look at it before they use what is newer."""


class Miniflux:
    """The calls of the API."""

    def __init__(self, app: AppContext, access: AppAccess, address: str) -> None:
        """``address``: the public URL of the server, or empty."""
        self._app = app
        self._access = access
        self._parts = (EntryCalls(app, address), MinifluxFeeds(app), CategoryCalls(app))

    def routes(self) -> list[Route]:
        """Return the routes of those who have signed in."""
        page, change = self._app.threads.page, self._app.threads.verdict
        return [
            v1_route("me", self._me, page),
            v1_route("version", self._version, page),
            v1_route("integrations/status", lambda _: answer({"has_integrations": True}), page),
            v1_route("users/{user}/mark-all-as-read", self._mark_all_read, change, "PUT"),
            *(each for part in self._parts for each in part.routes()),
        ]

    async def app_of(self, request: Request, _: Parameters) -> AppPassword | None:
        """Return the app that sends a request."""
        token = request.headers.get("x-auth-token", "").strip()
        if token:
            return await self._access.app_of_password(token)
        name, password = basic(request.headers)
        return await self._access.app_of_basic(request, name, password) if name and password else None

    def unauthorized(self) -> Response:
        """Answer an app without a password, or whose password was revoked."""
        refused = error(401, "access unauthorized")
        refused.headers["www-authenticate"] = 'Basic realm="Restricted"'
        return refused

    def _me(self, _: Call) -> Response:
        context = self._app.news.context
        zone = context.zone
        return answer(written.user(context.user, zone.key if zone else "UTC"))

    def _version(self, _: Call) -> Response:
        unknown = dict.fromkeys(("commit", "build_date", "go_version", "compiler", "arch", "os"), "")
        return answer({"version": VERSION} | unknown)

    def _mark_all_read(self, call: Call) -> Response:
        if number_in(call, "user", "user") != call.app.user_id:
            raise ApiError(403, "access forbidden")
        self._app.news.client_apps.mark_all_read(call.options, EVERYTHING)
        return nothing()


def basic(headers: Mapping[str, str]) -> tuple[str, str]:
    """Return the name and the password of HTTP's basic authentication; empty without them.

    >>> basic({"authorization": "Basic QW5uYTpzZWNyZXQ="})
    ('Anna', 'secret')
    """
    scheme, _, given = headers.get("authorization", "").partition(" ")
    try:
        text = base64.b64decode(given.strip(), validate=True).decode() if scheme.lower() == "basic" else ""
    except (binascii.Error, UnicodeDecodeError):
        text = ""
    name, _, password = text.partition(":")
    return ("", "") if "\0" in text else (name, password)  # PostgreSQL cannot look for it


async def not_found(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request for what the API does not have."""
    await error(404, "resource not found")(scope, receive, send)
