"""For you, Hidden, headlines, verdicts and an article: pages (GET) that change nothing.

The background worker does the heavy part, and pages wait for it only so long.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.errors import AmbiguousIdError, UnknownArticleError
from iscore.core.translation import gettext
from iscore.presentation.wording.scores import change_words
from iscore.presentation.wording.story import title_line
from iscore.rules.errors import RulesError
from iscore.services.reader import ListName, StoryList
from iscore.services.views.articles import ArticleView
from iscore.services.views.inbox import InboxView, ListedStory
from iscore.services.views.rules import RuleView
from iscore.web.base_path import base_of
from iscore.web.context import AppContext, notice, page, user_of, visit_of
from iscore.web.list_cache import behind
from iscore.web.pages import article_page, list_page, reader_page
from iscore.web.security.signed_pictures import SignedPictures
from storage.records import Mark, User

SHOWN = 20
"""Stories on a page of a list."""
RECENT_VERDICTS = 100
"""Verdicts on the page of verdicts."""
REASONS_TIMEOUT = 4.0
"""Seconds that a page waits for reasons."""
HEADLINES_TIMEOUT = 30.0
"""Seconds that the page waits for headlines."""


@dataclass(frozen=True, slots=True)
class _Listed:
    """The stories of a list."""

    view: InboxView
    """Without items: what is counted."""
    stories: Sequence[ListedStory] = ()
    marks: Mapping[str, Mark] = field(default_factory=dict)
    """By ID."""
    after: str = ""
    """The place behind which the page begins."""
    following: str = ""
    """The address of the next page; empty on the last."""
    moved: bool = False
    """Whether another order would be better by now."""


class ArticleRoutes:
    """The pages."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    async def waiting(self, request: Request) -> Response:
        """The inbox: recommended and explored stories."""
        return await self._list(request, self._waiting_stories, self._waiting_page)

    async def hidden(self, request: Request) -> Response:
        """Stories below the threshold."""
        return await self._list(request, self._hidden_stories, self._hidden_page)

    async def headlines(self, request: Request) -> Response:
        """Headlines to choose from; after an answer, what was recorded."""
        app = self._app
        if "done" in request.query_params:
            return await app.threads.page(self._answered_page, request)
        chosen = asyncio.wrap_future(app.worker.headlines())
        await asyncio.wait([chosen], timeout=HEADLINES_TIMEOUT)
        if not chosen.done():
            return notice(request, 503, gettext("Choosing headlines takes longer than usual. Try again in a minute."))
        return await app.threads.page(self._headlines_page, request, chosen.result())

    async def verdicts(self, request: Request) -> Response:
        """The user's verdicts, newest first."""
        return await self._app.threads.page(self._verdicts_page, request)

    async def article(self, request: Request) -> Response:
        """The page of one article."""
        app, wanted = self._app, request.path_params["article_id"]
        try:
            view = await app.threads.page(app.news.show, wanted)
        except (UnknownArticleError, AmbiguousIdError):
            return notice(request, 404, gettext("This article does not exist."))
        if view.id != wanted:
            return RedirectResponse(f"/article/{view.id}", 303)
        if opened_by_user(request):
            await app.threads.verdict(self._opened, view.id, user_of(request))
        await self._wait(request, app.worker.explain_score(view.id))
        return await app.threads.page(self._article_page, request, view)

    async def _list(
        self,
        request: Request,
        read: Callable[[Request], _Listed],
        render: Callable[[Request, _Listed, dict[str, tuple[str, ...]]], Response],
    ) -> Response:
        """Read the stories, wait for their reasons without holding a thread, and render the page."""
        app = self._app
        listed = await app.threads.page(read, request)
        ids = [story.item.id for story in listed.stories if not story.verdict]
        await self._wait(request, app.worker.explain(ids))
        return await app.threads.page(render, request, listed, app.worker.reasons(ids))

    async def _wait(self, request: Request, done: Future[None]) -> None:
        """Wait for the background worker; after a verdict the page shows what there is."""
        if "verdict" not in request.query_params:
            await asyncio.wait([asyncio.wrap_future(done)], timeout=REASONS_TIMEOUT)

    def _waiting_stories(self, request: Request) -> _Listed:
        return self._listed(request, ListName.FOR_YOU)

    def _waiting_page(self, request: Request, listed: _Listed, reasons: dict[str, tuple[str, ...]]) -> Response:
        app, view = self._app, listed.view
        zone = app.news.context.zone
        return page(
            "waiting.html",
            request,
            **self._frame(request, listed),
            sections=list_page.sections(listed.stories, reasons, learning=view.learning, now=app.clock(), zone=zone),
            note=list_page.learning_note(view),
            change=change_words(view.change),
            empty="" if listed.stories else list_page.why_empty(view),
            start=list_page.needs_a_start(view),
            without_feeds=not view.feeds,
        )

    def _hidden_stories(self, request: Request) -> _Listed:
        return self._listed(request, ListName.HIDDEN)

    def _hidden_page(self, request: Request, listed: _Listed, reasons: dict[str, tuple[str, ...]]) -> Response:
        return page(
            "hidden.html",
            request,
            **self._frame(request, listed),
            sections=list_page.hidden(listed.stories, reasons, now=self._app.clock(), zone=self._app.news.context.zone),
        )

    def _verdicts_page(self, request: Request) -> Response:
        recent = self._app.news.verdicts.recent(RECENT_VERDICTS)
        frame = self._frame(request, _Listed(self._app.news.current_inbox.view(limit=0)))
        return page("verdicts.html", request, **frame, verdicts=recent, words=list_page.VERDICT_WORDS)

    def _headlines_page(self, request: Request, ids: tuple[str, ...]) -> Response:
        views = self._app.news.headlines.views(ids)
        empty = gettext("No headlines to choose from. `iscore poll` fetches news.")
        return page(
            "headlines.html", request, menu=self._menu(request), headlines=views, recorded="", done="", empty=empty
        )

    def _answered_page(self, request: Request) -> Response:
        done = request.query_params["done"]
        found = self._app.news.verdicts.count_batch(done)
        if not found:
            return RedirectResponse("/headlines", 303)
        return page("headlines.html", request, headlines=(), recorded=list_page.recorded_words(found), done=done)

    def _article_page(self, request: Request, view: ArticleView) -> Response:
        app = self._app
        now, zone = app.clock(), app.news.context.zone
        signed = SignedPictures(visit_of(request).secret, base_of(request))
        content = app.news.contents.view(view.id, partial(signed.address, view.id))
        shown = article_page.article(view, content, app.news.current_inbox.sources(view.id), now=now, zone=zone)
        why = app.worker.why(view.id)
        return page(
            "article.html",
            request,
            article=shown,
            story=shown.story,
            why=article_page.explanation(why, now) if why else None,
            explanation_error=article_page.explanation_error(app.worker.error(view.id)),
            message=self._message(request),
            targets=article_page.targets(view, self._rules()),
            rules_open="rules" in request.query_params,
            page="article",
            menu=self._menu(request),
            mark=app.news.reader.mark(view.id),
            back=self._list_of(request, view.id),
            following=self._next(request, view.id),
        )

    def _opened(self, article_id: str, user: User) -> None:
        self._app.news.reader.mark_read([article_id])
        if user.learns_from_reading:
            self._app.news.reading_events.opened(article_id)

    def _listed(self, request: Request, name: ListName) -> _Listed:
        """Read a page of a list; after a verdict in the order in which it was read before."""
        app = self._app
        after, session = request.query_params.get("after", ""), visit_of(request).session.id
        address = reader_page.with_place(request.url.path, after)
        now, zone = app.clock(), app.news.context.zone
        fresh, further = app.news.reader.ids(StoryList(name), after, SHOWN)
        cached = app.lists.get(session, address) if "verdict" in request.query_params else None
        marked = app.news.reader.stories(cached or fresh)
        stories = [each.story for each in marked]
        moved = False
        if cached is None:
            app.worker.learn()  # rules, feeds and verdicts may have changed outside the web app
            stories = list_page.order(stories, now, zone) if name is ListName.FOR_YOU else stories
            app.lists.put(session, address, [each.item.id for each in stories])
        else:
            moved = list_page.has_moved(stories, fresh, now, zone)
        following = reader_page.with_place(request.url.path, further) if further else ""
        marks = {each.story.item.id: each.mark for each in marked}
        return _Listed(app.news.current_inbox.view(limit=0), stories, marks, after, following, moved)

    def _rules(self) -> list[RuleView]:
        try:
            return self._app.news.rules.list()
        except RulesError:  # `iscore rules list` shows the error
            return []

    def _frame(self, request: Request, listed: _Listed) -> dict[str, Any]:
        message = self._message(request)
        view, stories = listed.view, listed.stories
        rated = {story.item.id for story in stories if story.verdict}
        return {
            "day": list_page.day(self._app.clock(), self._app.news.context.zone),
            "headline": list_page.headline(view),
            "waiting": view.waiting,
            "held_back": view.held_back,
            "message": message,
            # If the list still has the story, the message appears in its place.
            "message_at": message.undo if message and message.undo in rated else "top",
            "after": listed.after,
            "following": listed.following,
            "moved": listed.moved,
            "menu": self._menu(request),
            "marks": listed.marks,
        }

    def _message(self, request: Request) -> list_page.Message | None:
        verdict_id = request.query_params.get("verdict", "")
        return list_page.message(self._app.news.verdicts.get(verdict_id)) if verdict_id else None

    def _list_of(self, request: Request, article_id: str) -> str:
        """Return the URL of the last list that has an article, at its position."""
        name, _ = self._app.lists.last_with(visit_of(request).session.id, article_id)
        if name.partition("?")[0] in ("/", "/hidden"):  # in the order in which it was read
            name += f"{'&' if '?' in name else '?'}verdict="
        return f"{name}#a-{article_id}" if name else "/"

    def _next(self, request: Request, article_id: str) -> tuple[str, str] | None:
        """Return id and title of the next story of the last list that has an article."""
        _, ids = self._app.lists.last_with(visit_of(request).session.id, article_id)
        found = self._app.news.reader.next_unrated(behind(ids, article_id))
        return (found[0], title_line(found[1])) if found else None

    def _menu(self, request: Request) -> reader_page.Menu:
        return reader_page.menu(self._app.news.reader.navigation(), request.url.path)


def opened_by_user(request: Request) -> bool:
    """Whether a browser says that the user opened this page from another page of this site.

    Browsers say so over HTTPS and on this machine only; elsewhere the page's script marks the article as read. Pages
    that a browser fetches ahead of time are not opened yet.
    """
    headers = request.headers
    fetched_ahead = "prefetch" in (headers.get("sec-purpose", "") + headers.get("purpose", "")).lower()
    by_link = headers.get("sec-fetch-dest") == "document" and headers.get("sec-fetch-site") == "same-origin"
    after_mark = "marked" in request.query_params  # the user may have marked it as unread
    return request.method == "GET" and by_link and not fetched_ahead and not after_mark
