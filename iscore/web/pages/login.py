"""Sign in and out. Signing in starts a new session, so a session id set by an attacker is useless."""

from __future__ import annotations

import re
import secrets
from datetime import datetime
from functools import cache

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.passwords import hash_password, matches
from iscore.core.translation import gettext
from iscore.web.context import AppContext, notice, page, user_of, visit_of
from iscore.web.security.sessions import new_session
from storage.records.users import User

_HERE = re.compile(r"/(?!/)(?!.*(?:\.|%2[eE]){2})[\w.~%/?&=+:@,-]*", re.ASCII)
"""Paths of this app: without a host, without a way up, and without what a browser takes for a slash."""


class LoginRoutes:
    """The login routes."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    async def ask(self, request: Request) -> Response:
        """Show the login form."""
        target = local(request.query_params.get("next", ""))
        if visit_of(request).user is not None:
            return RedirectResponse(target, 303)
        return await login_page(self._app, request, target)

    async def sign_in(self, request: Request) -> Response:
        """Check the password and start a session."""
        app, visit, now = self._app, visit_of(request), self._app.clock()
        target = local(visit.form.get("next", ""))
        if visit.user is not None:
            return RedirectResponse(target, 303)
        if not app.passwords:
            return await login_page(self._app, request, target, gettext("Nobody signs in with a password here."), 403)
        name, password = visit.form.get("name", "").strip(), visit.form.get("password", "")
        wait, user = await check_password(app, request, name, password, now)
        if wait:
            error = gettext("Too many wrong passwords. Try again in %(seconds)s s.", seconds=wait)
            if app.clients.is_untrusted_proxy(request):
                error += " " + gettext(
                    "This holds for everybody behind the same proxy, unless `--trusted-proxy` names it."
                )
            return await login_page(self._app, request, target, error, 429, wait)
        if user is None:
            error = gettext("Wrong name or password.") if name else gettext("Wrong password.")
            return await login_page(self._app, request, target, error, 403)
        await start_session(app, request, user)
        return RedirectResponse(target, 303)

    async def sign_out(self, request: Request) -> Response:
        """End the session of this browser."""
        app, visit = self._app, visit_of(request)
        if not visit.entry.by_session:
            return notice(request, 404, gettext("Nobody signed in here, so there is nothing to sign out of."))
        await app.threads.verdict(app.accounts.end_session, user_of(request).id, visit.session.id)
        request.state.session = new_session(app.clock(), signed_in=False)
        return RedirectResponse("/login", 303)


async def login_page(
    app: AppContext, request: Request, target: str, error: str = "", status: int = 200, wait: int = 0
) -> Response:
    """Return the page on which to sign in, to go to ``target`` then; ``wait``: seconds until that may be tried."""
    present = await app.threads.session(app.accounts.present)
    return page(
        "login.html",
        request,
        status=status,
        headers={"retry-after": str(wait)} if wait else None,
        target=target,
        error=error,
        several=present.only is None,
        name=visit_of(request).form.get("name", ""),
        passwords=app.passwords,
        provider=app.openid.settings.shown if app.openid else "",
    )


async def check_password(
    app: AppContext, request: Request, name: str, password: str, now: datetime
) -> tuple[int, User | None]:
    """Return the seconds to wait after too many wrong passwords, and the user if the password is theirs.

    Without a name it is that of the only user. A name that nobody has takes as long as a wrong password.
    """
    address, account = app.clients.of(request), " ".join(name.split()).casefold()

    def check() -> tuple[int, User | None]:
        wait = app.logins.wait(address, account, now)
        if wait:
            return wait, None
        unknown = _unknown()
        user, password_hash = app.accounts.password_hash(name)
        right = matches(password, password_hash or unknown) and bool(password_hash)
        app.logins.note(address, account, now, right=right)
        return 0, user if right else None

    wait = app.logins.wait(address, account, now)
    return (wait, None) if wait else await app.threads.password(check)


async def start_session(app: AppContext, request: Request, user: User) -> None:
    """Sign a user in in this browser, under a new session."""
    session = new_session(app.clock(), signed_in=True)
    agent = request.headers.get("user-agent", "")
    await app.threads.verdict(app.accounts.start_session, user.id, session.id, agent)
    request.state.session = session


def local(address: str) -> str:
    """Return ``address`` if it is a path of this app, else ``/``."""
    return address if _HERE.fullmatch(address) else "/"


@cache
def _unknown() -> str:
    """Return the hash of a password that nobody knows."""
    return hash_password(secrets.token_urlsafe(32))
