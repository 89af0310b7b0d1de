"""For you and Hidden: the stories that the filter recommends, and those that it does not.

The background worker finds the reasons, and a page waits for them only so long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from iscore.core.translation import gettext
from iscore.presentation.wording.scores import change_words, missed_words, unmet_words
from iscore.services.reading.reader import ListName, StoryList
from iscore.services.views.stories import InboxView, StoryView
from iscore.web.context import AppContext, until_explained, visit_of
from iscore.web.pages import list_page, reader_page
from iscore.web.pages.reader_page import Address
from iscore.web.pages.stories import SHOWN, address_of, stories_page
from iscore.web.pages.verdicts import message_about_verdict
from iscore.web.pages.waiting import waiting_for


@dataclass(frozen=True, slots=True)
class _Listed:
    """The stories of a list."""

    view: InboxView
    """Without items: what is counted."""
    where: Address
    at: str
    """The address of the page."""
    stories: Sequence[StoryView] = ()
    following: str = ""
    """The address of the next page; empty on the last."""
    moved: bool = False
    """Whether another order would be better by now."""


class ForYouAndHiddenRoutes:
    """The two lists."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    async def for_you(self, request: Request) -> Response:
        """The inbox: recommended and explored stories."""
        return await self._list(request, ListName.FOR_YOU, self._for_you_page)

    async def hidden(self, request: Request) -> Response:
        """Stories below the threshold."""
        return await self._list(request, ListName.HIDDEN, self._hidden_page)

    async def _list(
        self,
        request: Request,
        name: ListName,
        render: Callable[[Request, _Listed, dict[str, tuple[str, ...]]], Response],
    ) -> Response:
        """Read the stories, wait for their reasons without holding a thread, and render the page."""
        app = self._app
        listed = await app.threads.page(self._listed, request, name)
        ids = [each.id for each in listed.stories if not each.verdict and listed.where.view != "headlines"]
        await until_explained(request, app.worker.explain(ids))
        return await app.threads.page(render, request, listed, app.worker.reasons(ids))

    def _for_you_page(self, request: Request, listed: _Listed, reasons: dict[str, tuple[str, ...]]) -> Response:
        app, view = self._app, listed.view
        now, zone = app.clock(), app.news.context.zone
        goes_on = waiting_for(app)
        notes = "" if goes_on else list_page.learning_note(view), change_words(view.change)
        empty = ""
        if not listed.stories and not goes_on:
            empty = list_page.why_empty(view, app.news.current_inbox.count_unscored())
        return stories_page(
            app,
            request,
            listed.where,
            list_page.sections(listed.stories, reasons, learning=view.learning, now=now, zone=zone),
            **self._shown(request, listed),
            notices=[each for each in (*notes, unmet_words(view.unmet, app.news.context.settings.inbox_days)) if each],
            empty=empty,
            waiting=goes_on,
            start=not goes_on and list_page.needs_a_start(view),
            without_feeds=not view.feeds,
        )

    def _hidden_page(self, request: Request, listed: _Listed, reasons: dict[str, tuple[str, ...]]) -> Response:
        now, zone = self._app.clock(), self._app.news.context.zone
        return stories_page(
            self._app,
            request,
            listed.where,
            list_page.hidden(listed.stories, reasons, now=now, zone=zone),
            **self._shown(request, listed),
            notices=[],
            checked=missed_words(self._app.news.headlines.checked()),
            empty="" if listed.stories else gettext("Nothing is hidden."),
        )

    def _listed(self, request: Request, name: ListName) -> _Listed:
        """Read a page of a list; after a verdict in the order in which it was read before."""
        app = self._app
        after, session = request.query_params.get("after", ""), visit_of(request).session.id
        where = address_of(app, request)
        assert where is not None  # noqa: S101 -- both paths are of lists
        address = reader_page.with_place(where.text, after)
        now, zone = app.clock(), app.news.context.zone
        fresh, further = app.news.reader.ids(StoryList(name), after, SHOWN)
        view = app.news.inbox(limit=0, learn=False)
        cached = app.lists.get(session, address) if "verdict" in request.query_params else None
        stories: Sequence[StoryView] = app.news.reader.stories(cached or fresh)
        moved = False
        if cached is None:
            app.worker.learn()  # rules, feeds and verdicts may have changed outside the web app
            stories = list_page.order(stories, view.learning, now, zone) if name is ListName.FOR_YOU else stories
            app.lists.put(session, address, [each.id for each in stories])
        else:
            moved = list_page.has_moved(stories, fresh, view.learning, now, zone)
        following = reader_page.with_place(where.text, further) if further else ""
        return _Listed(view, where, address, stories, following, moved)

    def _shown(self, request: Request, listed: _Listed) -> dict[str, Any]:
        return {
            "heading": reader_page.heading(listed.where),
            "headline": list_page.headline(listed.view),
            "list": listed.at,
            "message": message_about_verdict(self._app, request),
            "following": listed.following,
            "moved": listed.moved,
        }
