"""Verdicts. ``SessionMiddleware`` has checked the CSRF token of a form.

The verdict is on disk when the response is sent; it redirects to the page, which confirms it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.errors import AmbiguousIdError, UnknownArticleError
from iscore.core.translation import gettext
from iscore.presentation.wording.story import VERDICT_WORDS, title_line
from iscore.web.context import AppContext, notice, page, user_of, visit_of
from iscore.web.pages import list_page
from storage.records.users import Kind

KINDS = {kind.value: kind for kind in (Kind.LIKE, Kind.DISLIKE, Kind.SKIP, Kind.UNDO)}

NONCE = re.compile(r"[A-Za-z0-9_-]{16,64}")
"""A page's, for its forms."""
RECENT = 100
"""Verdicts on their page."""


class VerdictRoutes:
    """The page of verdicts, and the forms of a verdict on other pages."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    async def verdicts(self, request: Request) -> Response:
        """The user's verdicts, newest first."""
        return await self._app.threads.page(self._page, request)

    async def verdict(self, request: Request) -> Response:
        """Record a verdict."""
        return await self._app.threads.verdict(self._verdict, request)

    def _page(self, request: Request) -> Response:
        recent = self._app.news.verdicts.recent(RECENT)
        return page(
            "verdicts.html",
            request,
            headline=list_page.headline(self._app.news.inbox(limit=0, learn=False)),
            message=message_about_verdict(self._app, request),
            menu=self._app.menu(request.url.path),
            verdicts=[replace(each, title=title_line(each.title)) for each in recent],
            words=VERDICT_WORDS,
        )

    def _verdict(self, request: Request) -> Response:
        visit = visit_of(request)
        kind, nonce = KINDS.get(visit.form.get("kind", "")), visit.form.get("nonce", "")
        article_id = visit.form.get("article", "")
        if kind is None or not NONCE.fullmatch(nonce):
            return notice(request, 400, gettext("This is not a valid verdict."))
        name = name_of_request(request, kind, article_id)
        try:
            self._app.news.give(kind, [article_id], request=name)
        except (UnknownArticleError, AmbiguousIdError):
            return notice(request, 404, gettext("This article does not exist any more; nothing was changed."))
        self._app.worker.learn()
        return RedirectResponse(_back(visit.form, article_id, name), 303)


def name_of_request(request: Request, *what: str) -> str:
    """Return a name that only this form of this user has: sent twice, even in two sessions, it counts once."""
    nonce = visit_of(request).form["nonce"]
    return hashlib.sha256(" ".join((str(user_of(request).id), nonce, *what)).encode()).hexdigest()[:32]


def message_about_verdict(app: AppContext, request: Request) -> list_page.Message | None:
    """Return what a page says of the verdict that led to it; None if none did."""
    verdict_id = request.query_params.get("verdict", "")
    return list_page.message(app.news.verdicts.get(verdict_id)) if verdict_id else None


def _back(form: dict[str, str], article_id: str, verdict_id: str) -> str:
    """Return the page where the verdict was given. Forms name a page, not a URL, so there is no open redirect."""
    if form.get("page", "") == "verdicts":
        return f"/verdicts?verdict={verdict_id}"
    return f"/article/{quote(article_id, safe='')}?verdict={verdict_id}"
