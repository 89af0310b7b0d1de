"""The first steps of a new user: choose feeds, say what they are after, wait for the first poll. All can be skipped."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.sanitizing import line
from iscore.core.translation import gettext
from iscore.feeds.errors import OpmlError, SubscriptionsError, UrlError
from iscore.feeds.subscriptions.health import State
from iscore.presentation.wording.scores import unmet_words
from iscore.web.context import AppContext, notice, page, visit_of
from iscore.web.pages.feeds import added, imported
from iscore.web.threads import FETCH_SECONDS, MOST_AT_ONCE
from storage.stream.addresses import site

IMPORT_PATH = "/start/import"
MOST_INTERESTS = 20
INTERESTS_TIMEOUT = 60.0
"""Seconds that the page waits for interests to be added: the model may have to be loaded."""


class StartRoutes:
    """The first steps."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    async def feeds(self, request: Request) -> Response:
        """Choose feeds; who follows some already goes on."""
        if await self._app.threads.page(self._app.news.subscriptions.feeds):
            return RedirectResponse("/start/interests", 303)
        return await self._app.threads.page(self._feeds_page, request)

    async def choose(self, request: Request) -> Response:
        """Follow the packs that were chosen, and what an address leads to."""
        return await self._app.fetch(self._choose, request)

    async def import_(self, request: Request) -> Response:
        """Follow the feeds of an OPML file."""
        return await self._app.threads.file(self._import, request)

    async def interests(self, request: Request) -> Response:
        """Say what one is after."""
        return await self._app.threads.page(self._interests_page, request)

    async def add_interests(self, request: Request) -> Response:
        """Add an interest for each line."""
        app, text = self._app, visit_of(request).form.get("interests", "")
        lines = [each for each in map(line, text.splitlines()) if each]
        if not lines or len(lines) > MOST_INTERESTS:
            error = gettext(
                "Write what you like, a line for each interest, up to %(number)s; or skip this.", number=MOST_INTERESTS
            )
            return await app.threads.page(self._interests_page, request, error, text)
        done = asyncio.wrap_future(app.worker.add_interests(lines))
        await asyncio.wait([done], timeout=INTERESTS_TIMEOUT)
        if not done.done():
            return notice(request, 503, gettext("This takes longer than usual. Your interests are added in a minute."))
        if done.result():
            return await app.threads.page(
                self._interests_page, request, gettext("Nothing was added: %(error)s.", error=done.result()), text
            )
        app.worker.learn()
        return RedirectResponse("/start/first", 303)

    async def first(self, request: Request) -> Response:
        """How far the first poll is."""
        return await self._app.threads.page(self._first_page, request)

    def _feeds_page(self, request: Request, error: str = "") -> Response:
        packs = [
            (name, ", ".join(each.title or site(each.url) for each in feeds))
            for name, feeds in self._app.news.subscriptions.starter_packs().items()
        ]
        return page("start_feeds.html", request, status=400 if error else 200, packs=packs, error=error)

    def _choose(self, request: Request) -> Response:
        form, subscriptions = visit_of(request).form, self._app.news.subscriptions
        packs = [name.removeprefix("pack-") for name in form if name.startswith("pack-")]
        addresses = form.get("address", "").split()
        try:
            followed = subscriptions.follow_packs(packs) if packs else 0
            if addresses:
                found = subscriptions.add(addresses[:MOST_AT_ONCE], seconds=FETCH_SECONDS)
                outcome = added(found)
                followed += len(found.added)
                if outcome.choices or outcome.refused:
                    return page("start_choices.html", request, outcome=outcome, followed=followed)
        except (UrlError, SubscriptionsError) as error:
            return self._feeds_page(request, gettext("Nothing was added: %(error)s.", error=error))
        if not followed:
            return self._feeds_page(request, gettext("Choose a topic, or write an address; or skip this."))
        return RedirectResponse("/start/interests", 303)

    def _import(self, request: Request) -> Response:
        try:
            found = self._app.news.subscriptions.import_list(visit_of(request).files.get("file", b""))
        except (OpmlError, SubscriptionsError) as error:
            return self._feeds_page(request, gettext("Nothing was added: %(error)s.", error=error))
        outcome = imported(found)
        if outcome.refused:
            return page("start_choices.html", request, outcome=outcome, followed=len(found.added))
        return RedirectResponse("/start/interests", 303)

    def _interests_page(self, request: Request, error: str = "", text: str = "") -> Response:
        return page(
            "start_interests.html",
            request,
            status=400 if error else 200,
            feeds=len(self._app.news.subscriptions.known()),
            error=error,
            text=text,
        )

    def _first_page(self, request: Request) -> Response:
        feeds = self._app.news.subscriptions.known().values()
        wanted = [each for each in feeds if each.enabled]
        asked = sum(each.state != State.NEW for each in wanted)
        inbox = self._app.news.current_inbox
        view, articles = inbox.view(limit=0), sum(each.articles for each in wanted)
        scored = asked == len(wanted) and articles > 0 and not inbox.count_unscored()
        return page(
            "start_first.html",
            request,
            asked=asked,
            wanted=len(wanted),
            articles=articles,
            ready=view.waiting > 0 or not wanted or scored,
            headlines=view.has_articles,
            unmet=unmet_words(view.unmet, self._app.news.context.settings.inbox_days),
        )
