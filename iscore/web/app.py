"""The routes, and the guards around them."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from iscore.core.errors import IscoreError
from iscore.web.assets import static
from iscore.web.context import Room, notice
from iscore.web.routes_login import SignIn
from iscore.web.routes_read import Pages
from iscore.web.routes_write import Actions
from iscore.web.security.middleware import LOOPBACK, KnownHosts, SmallBodies, StrictHeaders, host_of, is_address
from iscore.web.security.session_middleware import Doorkeeper
from storage.errors import DatabaseBusy, StorageError

WORDS = {
    404: "There is no such page.",
    405: "This page cannot be asked like that.",
}


def make_application(room: Room, *, host: str, port: int, address: str, tell: Callable[[str], None]) -> ASGIApp:
    """Put the application together.

    ``host`` is what it listens on, ``address`` where browsers find it, or empty. ``tell`` takes one line on each thing
    that went wrong.
    """
    pages, actions, door = Pages(room), Actions(room), SignIn(room)

    def unable(request: Request, error: Exception) -> Response:
        tell(f"{request.method} {request.url.path}: {error}")
        headers = {"retry-after": "20"} if isinstance(error, DatabaseBusy) else None
        return notice(request, 503, str(error), headers)

    def wrong(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 400
        return notice(request, status, WORDS.get(status, "This cannot be done."))

    def unexpected(request: Request, error: Exception) -> Response:
        if os.environ.get("ISCORE_DEBUG") == "1":
            traceback.print_exception(error)
        if isinstance(error, IscoreError):  # the doorkeeper's, who stands before the handlers of the others
            tell(f"{request.method} {request.url.path}: {error}")
            return notice(request, 500, str(error))
        tell(f"{request.method} {request.url.path}: unexpected {type(error).__name__}: {error}")
        return notice(request, 500, "Something went wrong in iScore. The terminal that it runs in tells more.")

    application = Starlette(
        routes=[
            Route("/", pages.waiting),
            Route("/held-back", pages.held_back),
            Route("/said", pages.said),
            Route("/article/{article_id}", pages.article),
            Route("/verdict", actions.verdict, methods=["POST"]),
            Route("/rule", actions.rule, methods=["POST"]),
            Route("/login", door.ask),
            Route("/login", door.sign_in, methods=["POST"]),
            Route("/logout", door.sign_out, methods=["POST"]),
            Route("/static/{name}", static),
        ],
        middleware=[
            Middleware(KnownHosts, allowed=known_hosts(host, address)),
            Middleware(SmallBodies),
            Middleware(
                Doorkeeper,
                kept=room.vault.read,
                clock=room.clock,
                refuse=notice,
                secure_host=_host(address) if address.lower().startswith("https://") else "",
                # Cookies know no ports: another iScore on this machine must not take ours away.
                cookie=f"iscore-{port}",
            ),
        ],
        exception_handlers={HTTPException: wrong, StorageError: unable, IscoreError: unable, Exception: unexpected},
    )
    application.router.redirect_slashes = False
    return StrictHeaders(application)


def known_hosts(host: str, address: str) -> Callable[[str], bool]:
    """Return what tells by which names the pages may be called.

    Always those of this machine itself, and that of ``address``; addresses in digits too where others may come in,
    since no name server has a hand in these.
    """
    names = LOOPBACK | {_host(address)} - {""}
    everywhere = not is_loopback(host)
    return lambda called: called in names or (everywhere and is_address(called))


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach what listens there."""
    return host in ("127.0.0.1", "::1", "localhost")


def is_public(host: str, address: str) -> bool:
    """Tell whether others than this machine may come in, straight or through a proxy that ``address`` names."""
    return not is_loopback(host) or bool(address and _host(address) not in LOOPBACK)


def _host(address: str) -> str:
    return host_of(urlsplit(address).netloc.rpartition("@")[2])
