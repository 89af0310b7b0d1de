"""Pages for those who have no account yet: set up the server, accept an invitation."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.errors import PasswordError
from iscore.core.passwords import hash_password
from iscore.core.translation import gettext, gettext_noop
from iscore.presentation.wording.stored_errors import error_text
from iscore.services.people.accounts import AccountError
from iscore.web.context import AppContext, notice, page, visit_of
from iscore.web.pages.login import start_session
from iscore.web.security.access import NOT_SET_UP, is_local
from storage.engine.errors import RefusedUserName, TakenUserName
from storage.records.users import User

REFUSED = (AccountError, PasswordError, RefusedUserName, TakenUserName)
"""What a user can put right in the form."""
NOT_VALID = gettext_noop("This invitation is not valid any more: it works once, for 7 days. Ask for another.")


class JoinRoutes:
    """Set-up and invitations. ``public``: whether other machines can connect."""

    def __init__(self, app: AppContext, *, public: bool) -> None:
        self._app = app
        self._public = public

    async def ask_set_up(self, request: Request) -> Response:
        """Show the set-up form to who has the link."""
        if visit_of(request).entry.set_up:
            return RedirectResponse("/", 303)
        key = request.query_params.get("key", "")
        if not self._app.setup.opens(key, self._app.clock()):
            return notice(request, 403, gettext(NOT_SET_UP))
        return self._set_up_page(request, key)

    async def set_up(self, request: Request) -> Response:
        """Give the first user a name, and a password unless they stay alone on this computer."""
        app, visit = self._app, visit_of(request)
        if visit.entry.set_up:
            return RedirectResponse("/", 303)
        key, alone = visit.form.get("key", ""), "alone" in visit.form
        if not app.setup.opens(key, app.clock()) or (alone and not self._may_be_alone(request)):
            return notice(request, 403, gettext(NOT_SET_UP))
        try:
            password = "" if alone else await app.threads.password(hash_password, visit.form.get("password", ""))
            name = visit.form.get("name", "")
            if alone and not name.strip():
                name = gettext("Me")
            user = await app.threads.verdict(self._set_up, name, password)
        except REFUSED as error:
            return self._set_up_page(request, key, error_text(error))
        await app.threads.verdict(app.accounts.learn_from_reading, user.id, "learn" in visit.form)
        app.users.forget(user.id)
        if not alone:
            await start_session(app, request, user)
        return RedirectResponse("/start", 303)

    async def ask_join(self, request: Request) -> Response:
        """Show an invitation's form."""
        key = request.query_params.get("key", "")
        found = await self._app.threads.session(self._app.accounts.invitation, key)
        if found is None:
            return notice(request, 403, gettext(NOT_VALID))
        return self._join_page(request, key, found.name)

    async def join(self, request: Request) -> Response:
        """Make the guest a user and sign them in."""
        app, visit = self._app, visit_of(request)
        key, name = visit.form.get("key", ""), visit.form.get("name", "")
        if not app.passwords:
            return notice(request, 403, gettext("Nobody signs in with a password here."))
        if await app.threads.session(app.accounts.invitation, key) is None:  # before a hash is computed for a stranger
            return notice(request, 403, gettext(NOT_VALID))
        try:
            password = await app.threads.password(hash_password, visit.form.get("password", ""))
            user = await app.threads.verdict(app.accounts.accept, key, name, password)
        except REFUSED as error:
            return self._join_page(request, key, name, error_text(error))
        await app.threads.verdict(app.accounts.learn_from_reading, user.id, "learn" in visit.form)
        await start_session(app, request, user)
        return RedirectResponse("/start", 303)

    def _join_page(self, request: Request, key: str, name: str, error: str = "") -> Response:
        app = self._app
        return page(
            "join.html",
            request,
            status=400 if error else 200,
            key=key,
            name=name,
            learn="learn" in visit_of(request).form,
            error=error,
            passwords=app.passwords,
            provider=app.openid.settings.shown if app.openid else "",
        )

    def _set_up(self, name: str, password: str) -> User:
        app = self._app
        user = app.accounts.set_up(name, password)
        app.credentials.mark_set_up()
        app.setup.use()
        return user

    def _may_be_alone(self, request: Request) -> bool:
        return not self._public and is_local(request)

    def _set_up_page(self, request: Request, key: str, error: str = "") -> Response:
        return page(
            "setup.html",
            request,
            status=400 if error else 200,
            key=key,
            name=visit_of(request).form.get("name", ""),
            error=error,
            alone=self._may_be_alone(request),
            learn="learn" in visit_of(request).form,
        )
