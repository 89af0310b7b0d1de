"""The first steps of a new user: choose feeds, say what they are after, wait for the first poll. All can be skipped.

The first poll of a server with one user waits for the second step, so that the first list is about what they are after.
"""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.sanitizing import line
from iscore.core.translation import gettext
from iscore.feeds.errors import OpmlError, SubscriptionsError, UrlError
from iscore.feeds.urls import url_key
from iscore.presentation.wording.scores import unmet_words
from iscore.services.session.extractors import has_encoder
from iscore.web.context import AppContext, notice, page, user_of, visit_of
from iscore.web.pages.feeds import added, imported
from iscore.web.pages.waiting import waiting_for
from iscore.web.threads import FETCH_SECONDS, MOST_AT_ONCE
from storage.records.users import Role
from storage.stream.addresses import site

IMPORT_PATH = "/start/import"
MOST_INTERESTS = 20
INTERESTS_TIMEOUT = 60.0
"""Seconds that the page waits for interests to be added: the model may have to be loaded."""
LONGEST_PAUSE = 300.0
"""Seconds that the first poll waits for interests."""


class StartRoutes:
    """The first steps."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    async def feeds(self, request: Request) -> Response:
        """Choose feeds."""
        return await self._app.threads.page(self._feeds_page, request)

    async def choose(self, request: Request) -> Response:
        """Follow the packs that were chosen and what an address leads to, and packs that were unticked no longer."""
        return await self._app.threads.fetch(self._choose, request)

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
        self._poll()
        return RedirectResponse("/start/first", 303)

    async def first(self, request: Request) -> Response:
        """How far the first poll is."""
        self._poll()
        return await self._app.threads.page(self._first_page, request)

    def _feeds_page(self, request: Request, error: str = "") -> Response:
        subscriptions = self._app.news.subscriptions
        followed = {url_key(each.url) for each in subscriptions.feeds()}
        packs = [
            (
                name,
                ", ".join(each.title or site(each.url) for each in feeds),
                all(url_key(each.url) in followed for each in feeds),
            )
            for name, feeds in subscriptions.starter_packs().items()
        ]
        return page(
            "start_feeds.html", request, status=400 if error else 200, packs=packs, feeds=len(followed), error=error
        )

    def _choose(self, request: Request) -> Response:
        form, subscriptions = visit_of(request).form, self._app.news.subscriptions
        packs, had = (
            {name.removeprefix(start) for name in form if name.startswith(start)} for start in ("pack-", "had-")
        )
        addresses = form.get("address", "").split()
        self._let_poll_wait()
        try:
            followed = subscriptions.follow_packs(packs, had - packs) if packs | had else 0
            if addresses:
                found = subscriptions.add(addresses[:MOST_AT_ONCE], seconds=FETCH_SECONDS)
                outcome = added(found)
                followed += len(found.added)
                if outcome.choices or outcome.refused:
                    return page("start_choices.html", request, outcome=outcome, followed=followed)
        except (UrlError, SubscriptionsError) as error:
            return self._feeds_page(request, gettext("Nothing was added: %(error)s.", error=error))
        if not subscriptions.known():
            return self._feeds_page(request, gettext("Choose a topic, or write an address; or skip this."))
        return RedirectResponse("/start/interests", 303)

    def _import(self, request: Request) -> Response:
        self._let_poll_wait()
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
            lacks_encoder=user_of(request).role is Role.ADMIN and not has_encoder(),
            error=error,
            text=text,
        )

    def _first_page(self, request: Request) -> Response:
        app = self._app
        view = app.news.current_inbox.view(limit=0)
        return page(
            "start_first.html",
            request,
            wanted=app.news.current_inbox.progress().counts.wanted,
            waiting=None if view.waiting else waiting_for(app),
            headlines=view.has_articles,
            unmet=unmet_words(view.unmet, app.news.context.settings.inbox_days),
        )

    def _let_poll_wait(self) -> None:
        """Let the first poll wait while the user says what they are after."""
        app = self._app
        is_first = not app.news.current_inbox.progress().counts.asked
        if app.pause_polls is not None and is_first and app.accounts.present().only is not None:
            app.pause_polls(LONGEST_PAUSE)

    def _poll(self) -> None:
        if self._app.wake is not None:
            self._app.wake()
