"""The page of the connection to another reader server, such as FreshRSS: make it, watch it, end it.

    form ─► sign in there ─► connection, due at once ─► what polls synchronises it (``wake``) ─► the page shows how far

No page shows a password. Only admins may name a server in a private network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.errors import IscoreError
from iscore.core.file_access import LockedError
from iscore.core.sanitizing import line
from iscore.core.translation import gettext, gettext_noop, ngettext
from iscore.feeds.errors import UrlError
from iscore.presentation.wording.stored_errors import server_error_text
from iscore.presentation.wording.times import ago, clock_time
from iscore.services.connections.passwords import ConnectError, Secret
from iscore.services.views.other_programs import ConnectionView, RemovedView
from iscore.web.context import AppContext, notice, page, user_of, visit_of
from iscore.web.long_work import LongWork
from storage.records.connections import ConnectionOption, ReaderKind
from storage.records.users import Role

CONNECT_PATH = "/settings/connect"
LONGEST_VALUE = 500
"""Characters of a name or a password."""
KINDS = {
    ReaderKind.FRESHRSS: "FreshRSS",
    ReaderKind.MINIFLUX: "Miniflux",
    ReaderKind.GREADER: gettext_noop("Another one with the Google Reader API"),
}
OPTIONS = {
    ConnectionOption.HIDDEN_READ: gettext_noop("Mark hidden stories as read there, too"),
    ConnectionOption.STAR_ONLY_SAVES: gettext_noop("A star there only saves; it is not a like"),
    ConnectionOption.UNSTAR_UNDOES: gettext_noop("Removing a star undoes its like, however old it is"),
}
"""Those that the form has."""


class ConnectRoutes:
    """The page of the connection, its forms, and the question before it ends."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    async def connection(self, request: Request) -> Response:
        """Show the connection; without one, or to change it, the form."""
        return await self._app.threads.page(self._page, request)

    async def change(self, request: Request) -> Response:
        """Connect, change options or password, or synchronise now."""
        app, action = self._app, visit_of(request).form.get("action", "")
        if action not in ("connect", "change", "sync"):
            return notice(request, 400, gettext("This is not a valid form."))
        if action == "sync":
            error = await app.threads.page(self._make_due)
        else:
            error = await app.threads.fetch(self._connect, request)
        if error:
            return await app.threads.page(self._page, request, gettext("Nothing was changed: %(error)s.", error=error))
        app.entry.disconnecting = None
        if app.wake is not None:
            app.wake()
        return RedirectResponse(CONNECT_PATH, 303)

    async def ask_removal(self, request: Request) -> Response:
        """Ask whether to disconnect."""
        return await self._app.threads.page(self._removal_page, request)

    async def remove(self, request: Request) -> Response:
        """Disconnect. That goes on when it takes longer than somebody waits for a page."""
        entry, form = self._app.entry, visit_of(request).form
        if form.get("action") != "disconnect":
            return notice(request, 400, gettext("This is not a valid form."))
        if entry.disconnecting is None or not entry.disconnecting.goes_on:
            remove, leave = entry.news.connections.remove, bool(form.get("leave-labels"))
            entry.disconnecting = LongWork.begin(
                lambda report: remove(leave_labels=leave, progress=report), "disconnection"
            )
        await entry.disconnecting.wait()
        return RedirectResponse(f"{CONNECT_PATH}#outcome", 303)

    def _make_due(self) -> str:
        try:
            self._app.news.connections.make_due()
        except ConnectError:
            return gettext("no other server is connected")
        return ""

    def _connect(self, request: Request) -> str:
        """Connect as the form says; return what is wrong with it."""
        form, connections = visit_of(request).form, self._app.news.connections
        name, password = form.get("login", "").strip()[:LONGEST_VALUE], form.get("password", "")[:LONGEST_VALUE]
        try:
            found = connections.find()
            options = chosen(form)
            is_limited = found is None or ConnectionOption.PUBLIC_ONLY.value in found.options
            if user_of(request).role is not Role.ADMIN and is_limited:
                options = (*options, ConnectionOption.PUBLIC_ONLY)
            if form.get("action") == "change" and found is not None:
                secret = Secret(password) if password else None
                connections.connect(ReaderKind(found.kind), found.address, found.name, secret, options)
            elif not (name and password):
                return gettext("name and password are needed")
            else:
                kind, address = ReaderKind(form.get("kind", "")), form.get("address", "").strip()
                connections.connect(kind, address, name, Secret(password), options)
        except LockedError:
            return gettext("another server is being synchronised right now; try again in a minute")
        except UrlError as error:
            return str(error)
        except IscoreError as error:
            return server_error_text(str(error).rstrip("."))
        except ValueError:
            return gettext("this kind of server is not known")
        return ""

    def _page(self, request: Request, error: str = "") -> Response:
        app, view, removal = self._app, self._app.news.connections.find(), self._app.entry.disconnecting
        removing, done = removal is not None and removal.goes_on, ""
        if removal is not None and not removing:
            try:
                done = disconnected(removal.result.result())
            except LockedError:
                error = error or gettext("Another server is being synchronised right now. Try again in a minute.")
            except IscoreError as problem:
                words = server_error_text(str(problem).rstrip("."))
                error = error or gettext("Not disconnected: %(error)s.", error=words)
        form = visit_of(request).form if error and request.method == "POST" else {}
        return page(
            "connect.html",
            request,
            status=400 if error and request.method == "POST" else 200,
            menu=app.menu("/settings"),
            state=None if view is None else state(view, app.clock(), app.news.context.zone),
            changing=view is not None and ("change" in request.query_params or form.get("action") == "change"),
            polls=app.wake is not None,
            removing=removal if removing else None,
            done=done if view is None else "",
            error=error,
            kinds=[(each.value, gettext(words)) for each, words in KINDS.items()],
            options=self._options(view, form),
            form=form,
        )

    def _options(self, view: ConnectionView | None, form: dict[str, str]) -> list[tuple[str, str, bool]]:
        """Return name, words and whether it is chosen, of each option of the form."""
        chosen = {name for name, given in form.items() if given} if form else set(view.options if view else ())
        return [(each.value, gettext(words), each.value in chosen) for each, words in OPTIONS.items()]

    def _removal_page(self, request: Request) -> Response:
        app, view = self._app, self._app.news.connections.find()
        if view is None:
            return RedirectResponse(CONNECT_PATH, 303)
        shown = state(view, app.clock(), app.news.context.zone)
        return page("disconnect.html", request, state=shown)


@dataclass(frozen=True, slots=True)
class ConnectionState:
    """A connection, as it is shown."""

    address: str
    known: str
    """How much of it is known."""
    facts: Sequence[tuple[str, str]]
    """Names and values."""
    error: str
    """Why the last attempt failed; empty if it did not."""
    note: str
    """What the last attempt left out, in English."""
    is_due: bool
    """Whether it is being synchronised, or will be in a moment."""
    is_plain: bool
    """Whether the password is sent without HTTPS."""
    has_labels: bool
    """Whether iScore labels stories there."""
    labelled: int
    """Items on which iScore has set something."""


def chosen(form: Mapping[str, str]) -> tuple[ConnectionOption, ...]:
    """Return the options that a form has switched on."""
    return tuple(option for option in OPTIONS if form.get(option.value))


def state(view: ConnectionView, now: datetime, zone: tzinfo | None) -> ConnectionState:
    """Return a connection as it is shown."""
    is_due = view.next_due is None or view.next_due <= now
    options = [gettext(words) for option, words in OPTIONS.items() if option.value in view.options]
    feeds = ngettext("%(count)s feed", "%(count)s feeds", view.feeds)
    articles = ngettext("%(count)s article", "%(count)s articles", view.items)
    known = f"{feeds}, {articles}"
    changes = [ngettext("%(count)s change", "%(count)s changes", view.waiting)] if view.waiting else []
    if view.refused:
        changes.append(
            ngettext("the server refuses %(count)s change", "the server refuses %(count)s changes", view.refused)
        )
    facts = [
        (gettext("Server"), gettext(KINDS[ReaderKind(view.kind)])),
        (gettext("Your name there"), line(view.name)),
        *((gettext("Chosen"), each) for each in options),
        (gettext("Last synchronised"), ago(view.synced, now) if view.synced else gettext("not yet")),
        *([] if is_due else [(gettext("Known of it"), known)]),
        *([(gettext("Still to be changed there"), " · ".join(changes))] if changes else []),
        *([(gettext("Next"), clock_time(view.next_due, now, zone))] if view.next_due and not is_due else []),
    ]
    error = server_error_text(line(view.error).rstrip(".")) if view.failures else ""
    note = "" if view.failures else view.error
    is_plain = view.address.lower().startswith("http://")
    has_labels = view.kind != ReaderKind.MINIFLUX
    return ConnectionState(line(view.address), known, facts, error, note, is_due, is_plain, has_labels, view.labelled)


def disconnected(view: RemovedView) -> str:
    """Say what a disconnection did."""
    words = gettext("Disconnected %(address)s.", address=line(view.address))
    if view.left:
        labels = ngettext("%(count)s label stays there.", "%(count)s labels stay there.", view.left)
    else:
        labels = ngettext("%(count)s label was removed there.", "%(count)s labels were removed there.", view.sent)
    return f"{words} {labels}"
