"""The state of the server, for admins; what was set aside can be tried again."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore import __version__
from iscore.core.translation import gettext, gettext_noop
from iscore.services.insight.server_overview import ServerOverview
from iscore.web.context import AppContext, notice, page, user_of, visit_of
from iscore.web.pages.server_page import MOST_ROWS, server_page
from storage.records.users import Role

ADMINS_ONLY = gettext_noop("Only admins see the state of this server.")


class ServerRoutes:
    """The page of the server's state."""

    def __init__(self, app: AppContext, overview: ServerOverview) -> None:
        self._app = app
        self._overview = overview

    async def server(self, request: Request) -> Response:
        """Show how the server is doing."""
        return await self._app.threads.page(self._page, request)

    async def try_again(self, request: Request) -> Response:
        """Let workers do again what was set aside."""
        return await self._app.threads.page(self._try_again, request)

    def _page(self, request: Request) -> Response:
        if user_of(request).role is not Role.ADMIN:
            return notice(request, 403, gettext(ADMINS_ONLY))
        shown = server_page(self._overview.view(), __version__, self._app.clock(), self._app.news.context.zone)
        people = self._app.news.people.list(MOST_ROWS)
        return page("server.html", request, state=shown, people=people, zone=self._app.news.context.zone)

    def _try_again(self, request: Request) -> Response:
        if user_of(request).role is not Role.ADMIN:
            return notice(request, 403, gettext(ADMINS_ONLY))
        form = visit_of(request).form
        try:
            self._overview.try_again(form.get("task", ""), form.get("key", ""))
        except ValueError:
            return notice(request, 400, gettext("This is not a valid form."))
        return RedirectResponse("/server", 303)
