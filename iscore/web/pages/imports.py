"""The page of imports: a file of another program is imported, and imports are undone."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePath

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.errors import IscoreError
from iscore.core.sanitizing import line
from iscore.core.translation import gettext, grouped, ngettext
from iscore.presentation.wording.times import ago
from iscore.services.views.interests import ImportedItemsView, ImportView
from iscore.web.context import AppContext, notice, page, visit_of
from iscore.web.security.bodies import LARGEST_IMPORT

IMPORTS_PATH = "/settings/import"
LONGEST_NAME = 100


class ImportRoutes:
    """The page of imports and its forms."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    async def imports(self, request: Request) -> Response:
        """Show the form, what the last import did, and all imports."""
        return await self._app.threads.page(self._page, request)

    async def change(self, request: Request) -> Response:
        """Import a file, or undo an import."""
        visit, number = visit_of(request), visit_of(request).form.get("number", "")
        if visit.form.get("action") == "undo":
            if not (number.isascii() and number.isdigit() and len(number) < 12):
                return notice(request, 400, gettext("This is not a valid form."))
            return await self._app.threads.page(self._undo, request, int(number))
        content = visit.files.get("file", b"")
        if not content:
            return await self._app.threads.page(
                self._page, request, gettext("The file is empty, so nothing was imported."), 400
            )
        file = await self._app.threads.page(_stored, visit.file_names.get("file", ""), content)
        begun = self._app.worker.import_file(file)
        if begun is None:
            return await self._app.threads.page(
                self._page, request, gettext("Another import is still going on. Try again when it is done."), 409
            )
        await begun.wait()
        return RedirectResponse(f"{IMPORTS_PATH}#outcome", 303)

    def _undo(self, request: Request, number: int) -> Response:
        app = self._app
        try:
            count = app.news.imports.undo(number)
        except IscoreError as error:
            return self._page(request, gettext("Nothing was changed: %(error)s.", error=error), 400)
        app.worker.forget_import()
        app.worker.learn()
        return self._page(request, undone=count)

    def _page(self, request: Request, error: str = "", status: int = 200, *, undone: int | None = None) -> Response:
        app, last = self._app, self._app.worker.last_import
        answer = last.result.result() if last is not None and not last.goes_on and undone is None else None
        if answer is not None and answer.error:
            error = error or gettext("Nothing was imported: %(error)s.", error=answer.error)
        return page(
            "imports.html",
            request,
            status=status,
            menu=app.menu("/settings"),
            going_on=last if last is not None and last.goes_on else None,
            outcome=outcome(answer.imported) if answer is not None and answer.imported else [],
            imports=rows(app.news.imports.list(), app.clock()),
            undone=undone,
            error=error,
            size=LARGEST_IMPORT // 1_000_000,
        )


def _stored(name: str, content: bytes) -> Path:
    """Write an upload into a folder of its own, which ``BackgroundWorker.import_file`` deletes."""
    file = Path(tempfile.mkdtemp(prefix="iscore-")) / file_name(name)
    file.write_bytes(content)
    return file


@dataclass(frozen=True, slots=True)
class ImportRow:
    """An import in the list."""

    number: int
    name: str
    words: str
    """When it was, and what it still does."""
    in_use: bool
    """Whether there is anything to undo."""


def file_name(given: str) -> str:
    """Return a name for an uploaded file that is safe in any folder.

    >>> file_name("../../etc/starred.json"), file_name("C:\\\\me\\\\links.csv"), file_name("..")
    ('starred.json', 'links.csv', 'upload')
    """
    name = re.sub(r"[^\w. ()-]", "_", PurePath(given.replace("\\", "/")).name)[-LONGEST_NAME:].lstrip(". ")
    return name or "upload"


def outcome(view: ImportedItemsView) -> list[str]:
    """Return what an import did, a sentence each."""
    found = [
        ngettext("%(count)s new example of what you like.", "%(count)s new examples of what you like.", view.learned)
    ]
    if view.saved:
        found.append(ngettext("%(count)s article saved.", "%(count)s articles saved.", view.saved))
    if view.rules:
        found.append(ngettext("%(count)s new rule.", "%(count)s new rules.", view.rules))
    if view.old:
        found.append(
            ngettext("%(count)s was imported or rated before.", "%(count)s were imported or rated before.", view.old)
        )
    if view.left_out:
        found.append(
            ngettext("%(count)s older one teaches nothing.", "%(count)s older ones teach nothing.", view.left_out)
        )
    if view.without_words:
        found.append(
            ngettext(
                "%(count)s has no words that iScore compares.",
                "%(count)s have no words that iScore compares.",
                view.without_words,
            )
        )
    if view.skipped:
        found.append(
            ngettext(
                "%(count)s entry was passed over: no web page, or not liked there.",
                "%(count)s entries were passed over: no web pages, or not liked there.",
                view.skipped,
            )
        )
    damaged = (gettext("The file is damaged: %(problem)s.", problem=line(problem)) for problem in view.problems)
    return [*found, *damaged]


def rows(imports: Sequence[ImportView], now: datetime) -> list[ImportRow]:
    """Return the imports as they are listed, the newest first."""
    return [_row(each, now) for each in reversed(imports)]


def _row(view: ImportView, now: datetime) -> ImportRow:
    used = gettext("%(count)s of %(all)s in use", count=grouped(view.in_use), all=grouped(view.items))
    saved = ngettext("%(count)s saved", "%(count)s saved", view.saved) if view.saved else ""
    words = " · ".join(filter(None, (ago(view.at, now), used if view.items else "", saved)))
    return ImportRow(view.number, line(view.name), words, bool(view.in_use or view.saved or not view.items))
