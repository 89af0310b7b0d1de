"""Sign in and out. Signing in starts a new session, so a session id set by an attacker is useless."""

from __future__ import annotations

import re
from datetime import datetime

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.passwords import matches
from iscore.web.context import AppContext, notice, page, visit_of
from iscore.web.security.session_middleware import Visit
from iscore.web.security.sessions import new_session

_HERE = re.compile(r"/(?:hidden|verdicts|article/[a-z0-9]{1,64})?(?:\?(?:(?:verdict|limit)=[a-z0-9]*&?)*)?")


class LoginRoutes:
    """The login routes."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    async def ask(self, request: Request) -> Response:
        """Show the login form."""
        visit = visit_of(request)
        target = local(request.query_params.get("next", ""))
        if visit.session.signed_in or not visit.password:
            return RedirectResponse(target, 303)
        return page("login.html", request, target=target, error="")

    async def sign_in(self, request: Request) -> Response:
        """Check the password and start a session."""
        app, visit, now = self._app, visit_of(request), self._app.clock()
        target = local(visit.form.get("next", ""))
        if not visit.password:
            return RedirectResponse(target, 303)
        address = app.clients.of(request)
        wait, right = app.failed_logins.wait(address, now), False
        if not wait:
            wait, right = await app.threads.password(self._check, address, visit, now)
        if wait:
            error = f"Too many wrong passwords. Try again in {wait} s."
            if app.clients.is_untrusted_proxy(request):
                error += " This holds for everybody behind the same proxy, unless `--trusted-proxy` names it."
            headers = {"retry-after": str(wait)}
            return page("login.html", request, status=429, headers=headers, target=target, error=error)
        if not right:
            return page("login.html", request, status=403, target=target, error="Wrong password.")
        request.state.session = new_session(now, signed_in=True)
        return RedirectResponse(target, 303)

    def _check(self, address: str, visit: Visit, now: datetime) -> tuple[int, bool]:
        """Return how long to wait, if there were too many wrong passwords meanwhile, and whether this one is right."""
        wait = self._app.failed_logins.wait(address, now)
        if wait:
            return wait, False
        right = matches(visit.form.get("password", ""), visit.password)
        self._app.failed_logins.note(address, now, right=right)
        return 0, right

    async def sign_out(self, request: Request) -> Response:
        """Invalidate all sessions, in this browser and in all others."""
        if not visit_of(request).password:
            return notice(request, 404, "No password is set, so there is nothing to sign out of.")
        self._app.credentials.renew()
        request.state.session = new_session(self._app.clock(), signed_in=False)
        return RedirectResponse("/login", 303)


def local(address: str) -> str:
    """Return ``address`` if it is a path of this app, else ``/``."""
    return address if _HERE.fullmatch(address) else "/"
