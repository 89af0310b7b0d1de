"""The users of a server, for admins: invite them, change their roles, remove them."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.errors import ConfigError
from iscore.core.translation import gettext, gettext_noop
from iscore.presentation.wording.stored_errors import error_text
from iscore.services.people.accounts import AccountError, expires
from iscore.web.base_path import base_of
from iscore.web.context import AppContext, notice, page, user_of, visit_of
from storage.engine.errors import LastAdmin, RefusedUserName, UnknownUser
from storage.records.users import Role, User

ADMINS_ONLY = gettext_noop("Only admins manage the people of this server.")


class PeopleRoutes:
    """The pages of users. ``address`` is the server's public URL; empty if it has none."""

    def __init__(self, app: AppContext, *, address: str) -> None:
        self._app = app
        self._address = address.rstrip("/")

    async def people(self, request: Request) -> Response:
        """List users and invitations."""
        return await self._app.threads.page(self._page, request)

    async def change(self, request: Request) -> Response:
        """Do what a form of the page asks for."""
        answer = await self._app.threads.verdict(self._change, request)
        self._app.users.forget(user_of(request).id)  # the first invitation moves their settings
        return answer

    async def ask_removal(self, request: Request) -> Response:
        """Ask whether a user should be removed."""
        user = await self._app.threads.page(self._other, request)
        return user if isinstance(user, Response) else page("remove.html", request, person=user)

    async def remove(self, request: Request) -> Response:
        """Remove a user and everything of theirs."""
        app, user = self._app, await self._app.threads.page(self._other, request)
        if isinstance(user, Response):
            return user
        if visit_of(request).form.get("name", "").strip().casefold() != user.name.casefold():
            return notice(request, 400, gettext("The name was not %(name)s; nobody was removed.", name=user.name))
        try:
            await app.threads.page(app.news.people.remove, user.name)
        except LastAdmin as error:
            return notice(request, 400, error_text(error))
        app.users.forget(user.id)
        return RedirectResponse("/people", 303)

    def _change(self, request: Request) -> Response:
        actions = {"invite": self._invite, "withdraw": self._withdraw, "role": self._role}
        action = actions.get(visit_of(request).form.get("action", ""))
        if user_of(request).role is not Role.ADMIN or action is None:
            return notice(request, 403, gettext(ADMINS_ONLY if action else gettext_noop("This is not a valid form.")))
        try:
            return action(request)
        except (AccountError, ConfigError, LastAdmin, RefusedUserName) as error:
            return self._page(request, error_text(error))
        except UnknownUser:
            return notice(request, 404, gettext("This user does not exist."))
        except ValueError:
            return notice(request, 400, gettext("This is not a valid form."))

    def _invite(self, request: Request) -> Response:
        form = visit_of(request).form
        if visit_of(request).entry.alone:
            raise AccountError(gettext("set a password for yourself first, on the page of your account"))
        role = Role(form.get("role", ""))
        key = self._app.accounts.invite(user_of(request).id, form.get("name", "").strip(), role)
        moved = tuple(each.name for each in self._app.news.people.move_documents())
        return self._page(request, link=self._link(request, key), moved=moved)

    def _withdraw(self, request: Request) -> Response:
        self._app.accounts.withdraw(visit_of(request).form.get("invitation", ""))
        return RedirectResponse("/people", 303)

    def _role(self, request: Request) -> Response:
        form = visit_of(request).form
        self._app.accounts.set_role(_number(form.get("user", "")), Role(form.get("role", "")))
        return RedirectResponse("/people", 303)

    def _page(self, request: Request, error: str = "", *, link: str = "", moved: tuple[str, ...] = ()) -> Response:
        """Render the page; ``moved`` are copies of files whose content is in the database now."""
        app = self._app
        if user_of(request).role is not Role.ADMIN:
            return notice(request, 403, gettext(ADMINS_ONLY))
        invitations = [(each, expires(each)) for each in app.accounts.invitations()]
        return page(
            "people.html",
            request,
            status=400 if error else 200,
            error=error,
            link=link,
            moved=moved,
            people=app.accounts.users(),
            invitations=invitations,
            zone=app.news.context.zone,
        )

    def _other(self, request: Request) -> User | Response:
        """Return the user whom the path names, or the answer to a request for nobody."""
        if user_of(request).role is not Role.ADMIN:
            return notice(request, 403, gettext(ADMINS_ONLY))
        try:
            return self._app.accounts.get(_number(request.path_params["user_id"]))
        except (UnknownUser, ValueError):
            return notice(request, 404, gettext("This user does not exist."))

    def _link(self, request: Request, key: str) -> str:
        """Return the link of an invitation, under the address of the server or the one that the admin uses."""
        address = self._address or f"{request.url.scheme}://{request.headers['host']}{base_of(request)}"
        return f"{address}/join?key={key}"


def _number(text: str) -> int:
    """Return the number of a user. Raises ``ValueError``."""
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise ValueError(text)
    return int(text)
