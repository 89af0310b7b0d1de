"""The app for client apps: its routes are apart from the pages, and know no sessions.

    /accounts/ClientLogin, /reader/… and the same below /api/greader.php ─► GoogleReader
    /fever/ ─► Fever
    /v1/… ─► Miniflux
    /personal/…, /story/… ─► PersonalRoutes: secret addresses
    /icon/… ─► IconRoutes: the icon of a feed, at a secret address

Apps sign in with passwords of their own, and act for the user who made it.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from iscore.core.errors import IscoreError
from iscore.web.api import fever
from iscore.web.api.google_reader import GoogleReader
from iscore.web.api.miniflux import HEALTH, V1, Miniflux
from iscore.web.api.miniflux import not_found as miniflux_not_found
from iscore.web.api.miniflux_requests import error as miniflux_error
from iscore.web.api.personal_feeds import PersonalRoutes, is_personal, shown
from iscore.web.api.requests import SignedIn, ok
from iscore.web.context import AppContext
from iscore.web.pages.icons import ICON, IconRoutes
from iscore.web.request_log import Route
from iscore.web.security.app_access import AppAccess
from iscore.web.security.bodies import RequestRefusedError
from storage.engine.errors import StorageError

CORS = {"access-control-allow-origin": "*"}
"""Pages of any origin may read answers: these need a token, which no browser adds by itself as it does a cookie."""
PREFLIGHT = CORS | {
    "access-control-allow-methods": "GET, POST, PUT, DELETE",
    "access-control-allow-headers": "Accept, Authorization, Content-Type, X-Auth-Token",
    "access-control-max-age": "86400",
}
FRESHRSS = "/api/greader.php"
"""Where apps look that say they speak to FreshRSS."""
SIGN_IN = "/accounts/ClientLogin"


def path_of(path: str) -> str | None:
    """Return the path of a client app's request without the prefix that it may have; None for all other requests.

    >>> path_of("/api/greader.php/reader/api/0/token"), path_of("//reader/atom/feed/7"), path_of("/account")
    ('/reader/api/0/token', '/reader/atom/feed/7', None)
    """
    if path.startswith("//"):  # some join an address that ends with a slash and a path that begins with one
        path = "/" + path.lstrip("/")
    if path.startswith(f"{FRESHRSS}/"):
        rest = path.removeprefix(FRESHRSS)
        return path if is_personal(rest) else rest  # no reader of feeds has that prefix
    if path == FRESHRSS:
        return "/"
    known = path in (SIGN_IN, HEALTH, *fever.PATHS) or path.startswith(("/reader/", V1, ICON)) or is_personal(path)
    return path if known else None


def make_api(context: AppContext, log: Callable[[str], None], address: str) -> Starlette:
    """Build the app. ``log`` gets one line for each error; ``address`` is the public URL of the server, or empty."""
    access = AppAccess(
        context.accounts, context.credentials, context.threads, context.clients, context.clock, context.app_logins
    )
    reader = GoogleReader(context, access, address)
    calls = Router(reader.routes(), redirect_slashes=False, default=_not_found)
    acting = context.users.acting
    by_token = SignedIn(
        calls, find=reader.app_of, refuse=reader.unauthorized, acting=acting, bodies=context.bodies, in_forms=True
    )
    fever_api = fever.Fever(context, access, address)
    fever_calls = Router(fever_api.routes(), redirect_slashes=False)
    by_key = SignedIn(
        fever_calls,
        find=fever_api.app_of,
        refuse=fever_api.refused,
        acting=acting,
        bodies=context.bodies,
        in_forms=True,
    )

    miniflux = Miniflux(context, access, address)
    v1_calls = Router(miniflux.routes(), redirect_slashes=False, default=miniflux_not_found)
    by_password = SignedIn(
        v1_calls, find=miniflux.app_of, refuse=miniflux.unauthorized, acting=acting, bodies=context.bodies
    )

    async def root(_: Request) -> Response:
        return ok()

    def unavailable(request: Request, error: Exception) -> Response:
        log(f"{request.method} {shown(request.url.path)}: {error}")
        answer = refused(request, 503)
        answer.headers["retry-after"] = "20"
        return answer

    def http_error(request: Request, error: Exception) -> Response:
        return refused(request, error.status_code if isinstance(error, HTTPException) else 400)

    def body_refused(request: Request, error: Exception) -> Response:
        return refused(request, error.status if isinstance(error, RequestRefusedError) else 400)

    def unexpected(request: Request, _: Exception) -> Response:
        return refused(request, 500)  # the app of all pages logs it

    def refused(request: Request, status: int) -> Response:
        words = HTTPStatus(status).phrase
        if request.url.path.startswith(V1):
            return miniflux_error(status, words.lower())
        return PlainTextResponse(f"{words}\n", status)

    application = Starlette(
        routes=[
            Route("/", root),
            Route(SIGN_IN, reader.sign_in, methods=["GET", "POST"]),
            Route("/reader/{rest:text}", by_token),
            *(Route(path, by_key) for path in fever.PATHS),
            Route(HEALTH, root),
            Route(V1 + "{rest:text}", by_password),
            Route(ICON + "{key}.png", IconRoutes(context).icon),
            *PersonalRoutes(context, acting, address).routes(),
        ],
        exception_handlers={
            RequestRefusedError: body_refused,
            HTTPException: http_error,
            StorageError: unavailable,
            IscoreError: unavailable,
            Exception: unexpected,
        },
    )
    application.router.redirect_slashes = False
    return application


async def _not_found(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("Not Found\n", 404)(scope, receive, send)


class ClientRequests:
    """Hands requests of client apps to ``api``, past the sessions of pages; apps may be pages of another origin."""

    def __init__(self, app: ASGIApp, api: ASGIApp) -> None:
        self._app = app
        self._api = api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = path_of(scope["path"]) if scope["type"] == "http" else None
        if path is None:
            await self._app(scope, receive, send)
        elif is_personal(path):
            await self._api({**scope, "path": path}, receive, send)
        elif scope["method"] == "OPTIONS" and "access-control-request-method" in Headers(scope=scope):
            await Response(status_code=204, headers=PREFLIGHT)(scope, receive, send)
        else:
            await self._api({**scope, "path": path}, receive, _readable_anywhere(send))


def _readable_anywhere(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(CORS)
        await send(message)

    return with_headers
