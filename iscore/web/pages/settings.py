"""The page of settings: how much, the digest, looks, the user's data, the end of the account."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from iscore.core.errors import ConfigError, IscoreError
from iscore.core.translation import LANGUAGES, decimal, gettext, gettext_noop
from iscore.presentation.wording.times import clock_time
from iscore.services.export import export_lines
from iscore.services.views.people import SettingView
from iscore.web.context import AppContext, notice, page, user_of, visit_of
from iscore.web.pages.login import check_password
from iscore.web.security.sessions import new_session
from storage.engine.errors import LastAdmin, StorageError

EXPECTED_TIMEOUT = 4.0
"""Seconds that the page waits for the expected stories a day."""

ONLY_USER = gettext_noop("You are the only user of this server. To delete everything, delete its data folder.")
NAMES = {
    0.25: gettext_noop("Fewest"),
    0.35: gettext_noop("Fewer"),
    0.5: gettext_noop("Usual"),
    0.7: gettext_noop("Some more"),
    1.0: gettext_noop("More"),
    1.4: gettext_noop("Many more"),
    2.0: gettext_noop("Most"),
}
"""The steps between fewer and more."""
BETAS = tuple(NAMES)
LANGUAGE_CHOICES = (("automatic", gettext_noop("Match the browser")), *LANGUAGES.items())
THEMES = (
    ("system", gettext_noop("Match the browser")),
    ("light", gettext_noop("Light")),
    ("dark", gettext_noop("Dark")),
    ("sepia", gettext_noop("Sepia")),
)
FONT_SIZES = (
    ("small", gettext_noop("Small")),
    ("normal", gettext_noop("Normal")),
    ("large", gettext_noop("Large")),
    ("largest", gettext_noop("Largest")),
)
SWITCHES = ("digest_interests", "mail_empty", "pictures")
"""Settings that are on or off: browsers send nothing for what is off."""
FIELDS = ("beta", "digest_at", "mail_to", *SWITCHES, "theme", "font_size", "language", "time_zone")
"""Settings on the page."""


class SettingsRoutes:
    """The page of settings and its forms."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    async def settings(self, request: Request) -> Response:
        """Show the settings."""
        return await self._shown(request)

    async def change(self, request: Request) -> Response:
        """Change settings."""
        error = await self._app.threads.page(self._change, request)
        if error:
            return await self._shown(request, error, 400)
        self._app.users.forget(user_of(request).id)
        self._wake()
        return RedirectResponse("/settings?saved=1", 303)

    async def confirm(self, request: Request) -> Response:
        """Confirm the address for the digest by its code, or have another code sent.

        A link in the mail could not do that: programs that check mails open links.
        """
        error = await self._app.threads.page(self._confirm, visit_of(request).form)
        if error:
            return await self._shown(request, error, 400)
        self._wake()
        return RedirectResponse("/settings#digest-heading", 303)

    async def export(self, request: Request) -> Response:  # noqa: ARG002 -- a route
        """Everything of the user's, as a file."""
        return await self._app.threads.file(self._export)

    async def ask_removal(self, request: Request) -> Response:
        """Ask whether the account should be deleted."""
        return await self._app.threads.page(self._removal_page, request)

    async def remove(self, request: Request) -> Response:
        """Delete the account, after the password was checked."""
        app, user, form = self._app, user_of(request), visit_of(request).form
        if user.has_password:
            wait, found = await check_password(app, request, user.name, form.get("password", ""), app.clock())
            if wait:
                return self._removal_page(
                    request, gettext("Too many wrong passwords. Try again in %(seconds)s s.", seconds=wait), 429
                )
            if found is None or found.id != user.id:
                return self._removal_page(request, gettext("This is not your password; nothing was deleted."), 403)
        elif form.get("name", "").strip().casefold() != user.name.casefold():
            return self._removal_page(request, gettext("This is not your name; nothing was deleted."), 400)
        try:
            await app.threads.page(app.news.people.remove, user.name)
        except LastAdmin:
            words = gettext("You are the only admin. Make somebody else an admin first, or delete the data folder.")
            return self._removal_page(request, words, 400)
        app.users.forget(user.id)
        request.state.session = new_session(app.clock(), signed_in=False)
        return RedirectResponse("/login", 303)

    def _wake(self) -> None:
        if self._app.wake is not None:
            self._app.wake()

    def _confirm(self, form: Mapping[str, str]) -> str:
        """Do what the form asks for; return what is wrong."""
        address = self._app.news.mail_address
        try:
            if form.get("action") == "again":
                return "" if address.ask() else gettext("No code can be sent now: there is a limit for each day.")
            if not address.enter(form.get("code", "")):
                return gettext("This is not the code, or it is not valid any more.")
        except ConfigError as error:
            return str(error)
        return ""

    async def _shown(self, request: Request, error: str = "", status: int = 200) -> Response:
        settings, problem = await self._app.threads.page(self._list)
        beta = next((each.value for each in settings if each.name == "beta"), 0.5)
        wanted = asyncio.wrap_future(self._app.worker.recommendations_a_day(betas(float(beta))))
        await asyncio.wait([wanted], timeout=EXPECTED_TIMEOUT)
        known = wanted.done() and not wanted.cancelled() and wanted.exception() is None
        a_day = wanted.result() if known else ()
        return await self._app.threads.page(self._page, request, settings, float(beta), a_day, error or problem, status)

    def _list(self) -> tuple[list[SettingView], str]:
        try:
            return self._app.news.settings.list(), ""
        except ConfigError as error:
            return [], str(error)

    def _page(
        self,
        request: Request,
        settings: Sequence[SettingView],
        beta: float,
        a_day: Sequence[float],
        error: str,
        status: int,
    ) -> Response:
        news = self._app.news
        mail = news.mail_address.state() if settings else None
        later = mail.ask_from if mail else None
        return page(
            "settings.html",
            request,
            status=status,
            menu=self._app.menu("/settings"),
            settings={each.name: each for each in settings},
            steps=steps(beta, a_day),
            themes=THEMES,
            font_sizes=FONT_SIZES,
            languages=LANGUAGE_CHOICES,
            mail=mail,
            code_from=clock_time(later, self._app.clock(), news.context.zone) if later else "",
            saved="saved" in request.query_params,
            error=error,
        )

    def _change(self, request: Request) -> str:
        """Change what the form changes; return what is wrong with it."""
        try:
            wanted = changes(visit_of(request).form, self._app.news.settings.list())
            if wanted:
                self._app.news.settings.change(wanted)
        except IscoreError as error:
            return gettext("Nothing was changed: %(error)s.", error=error)
        return ""

    def _export(self) -> Response:
        app = self._app
        handle, name = tempfile.mkstemp(suffix=".jsonl")
        file = Path(name)
        try:
            with os.fdopen(handle, "wb") as out:
                for _, line in export_lines(app.news.database, app.news.context, app.clock()):
                    out.write(line)
        except (IscoreError, StorageError, OSError):
            file.unlink(missing_ok=True)
            raise
        return FileResponse(
            file,
            media_type="application/jsonl",
            filename=f"iscore-{app.news.context.today().isoformat()}.jsonl",
            headers={"cache-control": "no-store"},
            background=BackgroundTask(file.unlink, missing_ok=True),
        )

    def _removal_page(self, request: Request, error: str = "", status: int = 200) -> Response:
        people = self._app.news.people.names()
        if len(people) == 1:
            return notice(request, 400, gettext(ONLY_USER))
        return page("delete_account.html", request, status=status, account=user_of(request), error=error)


@dataclass(frozen=True, slots=True)
class Step:
    """A step between fewer and more."""

    value: str
    name: str
    chosen: bool
    words: str
    """Stories a day; empty if that is not known."""


def betas(current: float) -> tuple[float, ...]:
    """Return the steps to choose from, with the current one among them."""
    return tuple(sorted({*BETAS, current}))


def steps(current: float, a_day: Sequence[float]) -> tuple[Step, ...]:
    """Build the steps; ``a_day`` are stories a day for each, or nothing."""
    values = betas(current)
    known = len(a_day) == len(values) and any(a_day)
    words = [_a_day(each) for each in a_day] if known else [""] * len(values)
    return tuple(
        Step(f"{value:g}", gettext(NAMES[value]) if value in NAMES else decimal(f"{value:g}"), value == current, text)
        for value, text in zip(values, words, strict=True)
    )


def changes(form: Mapping[str, str], settings: Sequence[SettingView]) -> dict[str, str]:
    """Return what a form changes, as texts. What is so already, or is set by the environment, is left out."""
    wanted = {name: form[name] for name in FIELDS if name in form and name not in SWITCHES}
    wanted |= {name: "true" if name in form else "false" for name in SWITCHES if f"has-{name}" in form}
    now = {each.name: _text(each.value) for each in settings if not each.variable}
    return {name: value for name, value in wanted.items() if name in now and now[name] != value.strip()}


def _text(value: str | bool | float) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else f"{value:g}"


def _a_day(number: float) -> str:
    if number >= 9.5:
        return gettext("about %(number)s a day", number=f"{number:.0f}")
    if number >= 0.95:
        return gettext("about %(number)s a day", number=decimal(f"{number:.1f}".removesuffix(".0")))
    a_week = f"{7 * number:.0f}"
    return gettext("about %(number)s a week", number=a_week) if number >= 1 / 7 else gettext("hardly any")
