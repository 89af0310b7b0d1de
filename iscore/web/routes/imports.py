"""The page of imports: a file of another program is imported, and imports are undone."""

from __future__ import annotations

import tempfile
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.errors import IscoreError
from iscore.core.translation import gettext
from iscore.web.context import AppContext, notice, page, visit_of
from iscore.web.pages import imports_page
from iscore.web.security.middleware import LARGEST_IMPORT

IMPORTS_PATH = "/settings/import"


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
            outcome=imports_page.outcome(answer.imported) if answer is not None and answer.imported else [],
            imports=imports_page.rows(app.news.imports.list(), app.clock()),
            undone=undone,
            error=error,
            size=LARGEST_IMPORT // 1_000_000,
        )


def _stored(name: str, content: bytes) -> Path:
    """Write an upload into a folder of its own, which ``BackgroundWorker.import_file`` deletes."""
    file = Path(tempfile.mkdtemp(prefix="iscore-")) / imports_page.file_name(name)
    file.write_bytes(content)
    return file
