"""What all routes share: the news filter, the background worker, the common page frame."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

from iscore.core.clock import Clock
from iscore.core.errors import ConfigError
from iscore.core.translation import gettext, gettext_noop
from iscore.presentation.html import render
from iscore.services.news_filter import NewsFilter
from iscore.services.people.accounts import Accounts
from iscore.services.reading.pictures import Pictures
from iscore.web.assets import assets
from iscore.web.background_worker import BackgroundWorker
from iscore.web.base_path import base_of
from iscore.web.list_cache import ListCache
from iscore.web.menu import Menu, menu
from iscore.web.security.access import SetupLink
from iscore.web.security.bodies import Bodies
from iscore.web.security.client_address import ClientAddress
from iscore.web.security.credentials import CredentialStore
from iscore.web.security.openid import OpenId
from iscore.web.security.passwords import LoginLimits
from iscore.web.security.sessions_and_csrf import Visit
from iscore.web.threads import Threads
from iscore.web.user_pool import UserEntry, UserPool, acting
from storage.records.users import User

HEADINGS = {
    403: gettext_noop("Not allowed"),
    404: gettext_noop("Not found"),
    408: gettext_noop("Too slow"),
    413: gettext_noop("Too large"),
    429: gettext_noop("Too many requests"),
    503: gettext_noop("Not available right now"),
}
"""Of error pages, by status."""
WENT_WRONG = gettext_noop("Something went wrong")
"""Of all others."""
REASONS_TIMEOUT = 4.0
"""Seconds that a page waits for reasons."""
SESSION = "x-session"
"""The header with the name of the session to which a page belongs: a browser deletes pages of any other."""


@dataclass(frozen=True)
class AppContext:
    """What the routes need. ``entry``, ``news``, ``worker`` and ``lists`` are those of the user whose request is
    handled."""

    users: UserPool
    accounts: Accounts
    credentials: CredentialStore
    clock: Clock
    pictures: Pictures
    setup: SetupLink
    icon: Callable[[str], bytes]
    """Returns the icon of a feed at a secret address; empty if there is none."""
    threads: Threads = field(default_factory=Threads)
    clients: ClientAddress = field(default_factory=ClientAddress)
    logins: LoginLimits = field(default_factory=LoginLimits)
    app_logins: LoginLimits = field(default_factory=LoginLimits)
    """Those of client apps."""
    bodies: Bodies = field(default_factory=Bodies)
    openid: OpenId | None = None
    """Signs in with a provider of OpenID Connect; None: there is none."""
    passwords: bool = True
    """Whether users sign in with passwords."""
    wake: Callable[[], None] | None = None
    """Has what polls and synchronises in this process check at once what is due; None: nothing here does."""
    pause_polls: Callable[[float], None] | None = None
    """Lets it begin no poll for some seconds, or until ``wake``."""

    @property
    def entry(self) -> UserEntry:
        """What is in memory for the user."""
        return acting()

    @property
    def news(self) -> NewsFilter:
        """The user's news filter."""
        return acting().news

    @property
    def worker(self) -> BackgroundWorker:
        """What learns for the user."""
        return acting().worker

    @property
    def lists(self) -> ListCache:
        """The order of the user's lists."""
        return acting().lists

    def menu(self, path: str) -> Menu:
        """Return the user's menu for the page at ``path``."""
        return menu(self.news.reader.navigation(), path, self.news.list_views.open_folders())


def page(
    template: str,
    request: Request,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **context: Any,
) -> HTMLResponse:
    """Render a page in the common frame, with the tokens of its forms."""
    visit: Visit | None = getattr(request.state, "visit", None)
    session = session_name(visit.session.id) if visit and visit.user else ""
    frame = {
        "assets": assets(),
        "path": request.url.path,
        "token": visit.token if visit else "",
        "nonce": secrets.token_urlsafe(16),
        "signed_in": bool(visit and visit.entry.by_session),
        "open": bool(visit and visit.user),
        "user": visit.user if visit else None,
        "appearance": _appearance() if visit and visit.user else "",
        "account_name": account_name(visit.user) if visit and visit.user else "",
        "icons": acting().news.icons.name() if "menu" in context and visit and visit.user else "",
    }
    if session:
        headers = {**(headers or {}), SESSION: session}
    return HTMLResponse(render("iscore.web", template, base=base_of(request), **(frame | context)), status, headers)


async def until_explained(request: Request, done: Future[None]) -> None:
    """Wait for the background worker to find reasons; after a verdict the page shows what there is."""
    if "verdict" not in request.query_params:
        await asyncio.wait([asyncio.wrap_future(done)], timeout=REASONS_TIMEOUT)


def _appearance() -> str:
    """Return the classes of a page for the colours and the size of text that its user wants; empty for none."""
    try:
        settings = acting().news.context.settings
    except (ConfigError, LookupError):  # the page of settings shows it; after an unexpected error nobody acts any more
        return ""
    chosen = (settings.theme, "system"), (settings.font_size, "normal")
    return " ".join(value for value, usual in chosen if value != usual)


def session_name(session_id: str) -> str:
    """Return the name by which a browser keeps the pages of a session; the id cannot be found from it."""
    return hashlib.sha256(f"pages of {session_id}".encode()).hexdigest()[:24]


def account_name(user: User) -> str:
    """Return the name by which a browser keeps a user's marks that could not be sent yet.

    No other account has it: neither a later one with the same number, nor one of another data folder at this address.
    """
    return hashlib.sha256(f"marks of {user.seed} {user.id} {user.created}".encode()).hexdigest()[:24]


def notice(request: Request, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> HTMLResponse:
    """Render an error page with one sentence; text in backticks is a command."""
    heading = gettext(HEADINGS.get(status, WENT_WRONG))
    return page(
        "notice.html", request, status=status, headers=headers, status_code=status, heading=heading, sentence=sentence
    )


def visit_of(request: Request) -> Visit:
    """Return the session and form that ``SessionMiddleware`` found."""
    visit: Visit = request.state.visit
    return visit


def user_of(request: Request) -> User:
    """Return the user of a request that needs one."""
    user = visit_of(request).user
    assert user is not None  # noqa: S101 -- SessionMiddleware lets nobody else in
    return user
