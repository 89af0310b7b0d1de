"""A user's own account: password, where they are signed in, passwords of client apps."""

from __future__ import annotations

from zoneinfo import ZoneInfo, available_timezones

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.errors import PasswordError
from iscore.core.passwords import hash_password
from iscore.core.translation import gettext, gettext_noop
from iscore.filtering.delivery.tuning import MIN_VERDICTS
from iscore.services.people.accounts import AccountError, digest
from iscore.web.base_path import base_of
from iscore.web.context import AppContext, notice, page, user_of, visit_of
from iscore.web.pages.login import check_password, start_session
from iscore.web.security.sessions import new_session
from iscore.web.security.signed_addresses import PersonalLinks
from storage.records.users import AppOption

APP_OPTIONS = {
    AppOption.STAR_ONLY_SAVES: gettext_noop("A star only saves; it is not a like"),
    AppOption.UNSTAR_UNDOES: gettext_noop("Removing a star undoes its like, however old"),
    AppOption.BROADCAST_DISLIKES: gettext_noop("Sharing is a dislike"),
    AppOption.HIDDEN_UNREAD: gettext_noop("Hidden stories are unread, too"),
    AppOption.LEARN_READING: gettext_noop("What I read there counts as reading here"),
    AppOption.RATING_LINKS: gettext_noop("Stories end with links to rate them, if you have addresses for feed readers"),
}
"""What can be chosen for each app, in words."""


class AccountRoutes:
    """The account page and its forms. ``address``: the public URL of the server, or empty."""

    def __init__(self, app: AppContext, *, address: str) -> None:
        self._app = app
        self._address = address.rstrip("/")

    async def account(self, request: Request) -> Response:
        """Show the account."""
        return await self._app.threads.page(self._page, request)

    async def change(self, request: Request) -> Response:
        """Do what a form of the page asks for."""
        actions = {
            "password": self._password,
            "reading": self._reading,
            "sign-out-everywhere": self._sign_out_everywhere,
            "unlink": self._unlink,
            "make-app-password": self._make_app_password,
            "revoke-app-password": self._revoke_app_password,
            "app-options": self._app_options,
            "renew-feeds": self._renew_feeds,
            "end-feeds": self._end_feeds,
        }
        action = actions.get(visit_of(request).form.get("action", ""))
        if action is None:
            return notice(request, 400, gettext("This is not a valid form."))
        return await action(request)

    async def _password(self, request: Request) -> Response:
        app, user, form = self._app, user_of(request), visit_of(request).form
        refused = await self._another_password(request)
        if refused is not None:
            return refused
        try:
            password = await app.threads.password(hash_password, form.get("password", ""))
        except PasswordError as error:
            return self._page(request, str(error), status=400)
        await app.threads.verdict(app.accounts.set_password, user.id, password, programs="programs" in form)
        await start_session(app, request, user)
        return RedirectResponse("/account", 303)

    async def _another_password(self, request: Request) -> Response | None:
        """Return the answer to a form without the user's current password; None if it is right, or there is none.

        Somebody who finds a browser signed in cannot make a password that outlives the session.
        """
        app, user = self._app, user_of(request)
        if not (user.has_password and app.passwords):
            return None
        current = visit_of(request).form.get("current", "")
        wait, found = await check_password(app, request, user.name, current, app.clock())
        if wait:
            error = gettext("Too many wrong passwords. Try again in %(seconds)s s.", seconds=wait)
            return self._page(request, error, status=429)
        if found is None or found.id != user.id:
            error = gettext("Your current password is another one; nothing was changed.")
            return self._page(request, error, status=403)
        return None

    async def _reading(self, request: Request) -> Response:
        app, user = self._app, user_of(request)
        on = "learn" in visit_of(request).form
        await app.threads.verdict(app.accounts.learn_from_reading, user.id, on)
        app.users.forget(user.id)
        return RedirectResponse("/account", 303)

    async def _sign_out_everywhere(self, request: Request) -> Response:
        app, programs = self._app, "programs" in visit_of(request).form
        await app.threads.verdict(app.accounts.end_sessions, user_of(request).id, programs=programs)
        request.state.session = new_session(app.clock(), signed_in=False)
        return RedirectResponse("/login", 303)

    async def _unlink(self, request: Request) -> Response:
        openid, user = self._app.openid, user_of(request)
        if openid is not None:
            try:
                if not self._app.passwords:
                    raise AccountError(gettext("you could not sign in any more: nobody uses a password here"))
                await self._app.threads.verdict(openid.identities.unlink, user.id, openid.settings.issuer)
            except AccountError as error:
                return self._page(request, str(error), status=400)
        return RedirectResponse("/account#openid-heading", 303)

    async def _make_app_password(self, request: Request) -> Response:
        app, name = self._app, visit_of(request).form.get("app", "")
        refused = await self._another_password(request)
        if refused is not None:
            return refused
        options = [each for each in (AppOption.HIDDEN_UNREAD,) if each.value in visit_of(request).form]
        try:
            password = await app.threads.verdict(app.accounts.make_app_password, user_of(request).id, name, options)
        except AccountError as error:
            return self._page(request, str(error), status=400)
        return await app.threads.page(self._page, request, made=(" ".join(name.split()), password))

    async def _revoke_app_password(self, request: Request) -> Response:
        app, name = self._app, visit_of(request).form.get("app", "")
        if not await app.threads.verdict(app.accounts.revoke_app_password, user_of(request).id, name):
            return notice(request, 404, gettext("This app has no password."))
        return RedirectResponse("/account", 303)

    async def _app_options(self, request: Request) -> Response:
        app, form = self._app, visit_of(request).form
        wanted = [option for option in AppOption if option.value in form]
        if not await app.threads.verdict(
            app.accounts.set_app_options, user_of(request).id, form.get("app", ""), wanted
        ):
            return notice(request, 404, gettext("This app has no password."))
        return RedirectResponse("/account#apps-heading", 303)

    async def _renew_feeds(self, _: Request) -> Response:
        await self._app.threads.verdict(self._app.news.personal_feeds.renew)
        return RedirectResponse("/account#feeds-heading", 303)

    async def _end_feeds(self, _: Request) -> Response:
        await self._app.threads.verdict(self._app.news.personal_feeds.end)
        return RedirectResponse("/account#feeds-heading", 303)

    def _feeds(self, request: Request) -> str:
        """Return the beginning of the addresses of the user's feeds; empty without any."""
        user, key = user_of(request), self._app.news.personal_feeds.key()
        root = self._address or f"{request.url.scheme}://{request.headers['host']}{base_of(request)}"
        secret = PersonalLinks(visit_of(request).secret).feeds(user.id, key)
        return f"{root}/personal/{secret}/" if key else ""

    def _page(
        self, request: Request, error: str = "", *, made: tuple[str, str] | None = None, status: int = 200
    ) -> Response:
        """Render the page; ``made`` are an app and its new password."""
        app, visit, user = self._app, visit_of(request), user_of(request)
        openid = app.openid
        zone = ZoneInfo(user.time_zone) if user.time_zone in available_timezones() else None
        return page(
            "account.html",
            request,
            status=status,
            error=error,
            made=made,
            account=user,
            zone=zone,
            here=digest(visit.session.id),
            sessions=app.accounts.sessions(user.id),
            passwords=app.passwords,
            provider=openid.settings.shown if openid else "",
            linked=openid.identities.of_user(user.id, openid.settings.issuer) if openid else None,
            feeds=self._feeds(request),
            apps=app.accounts.app_passwords(user.id),
            hidden_unread=AppOption.HIDDEN_UNREAD.value,
            learning_until=MIN_VERDICTS,
            app_options=[(option.value, gettext(words)) for option, words in APP_OPTIONS.items()],
        )
