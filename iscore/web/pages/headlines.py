"""Headlines: which of these would you read? The quickest start; and with hidden stories, a check of the filter."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.errors import AmbiguousIdError, UnknownArticleError
from iscore.core.translation import gettext
from iscore.presentation.wording.scores import missed_words
from iscore.services.reading.headlines import COUNT
from iscore.web.context import AppContext, notice, page, visit_of
from iscore.web.pages import list_page
from iscore.web.pages.verdicts import NONCE, name_of_request
from storage.log import feedback

TIMEOUT = 30.0
"""Seconds that the page waits for headlines."""


class HeadlineRoutes:
    """The page of headlines, or that of a check, and its form."""

    def __init__(self, app: AppContext, place: str, *, check: bool = False) -> None:
        self._app = app
        self._place = place
        self._check = check

    async def ask(self, request: Request) -> Response:
        """Headlines to choose from; after an answer, what was recorded."""
        app = self._app
        if "done" in request.query_params:
            return await app.threads.page(self._answered_page, request)
        if self._check:
            return await app.threads.page(self._drawn_page, request)
        chosen = asyncio.wrap_future(app.worker.headlines())
        await asyncio.wait([chosen], timeout=TIMEOUT)
        if not chosen.done():
            return notice(request, 503, gettext("Choosing headlines takes longer than usual. Try again in a minute."))
        return await app.threads.page(self._headlines_page, request, chosen.result())

    async def answer(self, request: Request) -> Response:
        """Record what was marked among headlines, or undo that."""
        return await self._app.threads.verdict(self._answer, request)

    def _drawn_page(self, request: Request) -> Response:
        return self._headlines_page(request, tuple(self._app.news.headlines.draw()))

    def _headlines_page(self, request: Request, ids: tuple[str, ...]) -> Response:
        views = self._app.news.headlines.views(ids)
        empty = gettext("No headlines to choose from yet. They appear here when news has come.")
        return page(
            "headlines.html",
            request,
            place=self._place,
            check=self._check,
            menu=self._app.menu(request.url.path),
            headlines=views,
            recorded="",
            done="",
            empty=gettext("Nothing is hidden.") if self._check else empty,
        )

    def _answered_page(self, request: Request) -> Response:
        done = request.query_params["done"]
        found = self._app.news.verdicts.count_batch(done)
        if not found:
            return RedirectResponse(self._place, 303)
        return page(
            "headlines.html",
            request,
            place=self._place,
            check=self._check,
            checked=missed_words(self._app.news.headlines.checked()),
            headlines=(),
            recorded=list_page.recorded_words(found),
            done=done,
        )

    def _answer(self, request: Request) -> Response:
        visit, news = visit_of(request), self._app.news
        nonce, ids = visit.form.get("nonce", ""), visit.form.get("shown", "").split()
        if "undo" in visit.form:
            news.verdicts.undo_batch(visit.form["undo"])
            self._app.worker.learn()
            return RedirectResponse(self._place, 303)
        liked = [number for number in range(1, len(ids) + 1) if f"like-{number}" in visit.form]
        if not ids or len(ids) > COUNT or not NONCE.fullmatch(nonce):
            return notice(request, 400, gettext("This is not a valid answer."))
        if not liked and "none" not in visit.form:
            return notice(
                request, 400, gettext("You marked no headline, so nothing was recorded. Go back and mark some.")
            )
        name = feedback.CHECK * self._check + name_of_request(request, self._place)
        try:
            news.headlines.answer(ids, [] if "none" in visit.form else liked, request=name)
        except (UnknownArticleError, AmbiguousIdError):
            return notice(request, 404, gettext("A story does not exist any more; nothing was changed."))
        self._app.worker.learn()
        return RedirectResponse(f"{self._place}?done={name}", 303)
