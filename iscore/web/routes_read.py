"""The pages. Looking changes nothing; whatever is heavy is left to the study, and waited for only so long."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.errors import AmbiguousIdError, UnknownArticleError
from iscore.rules.errors import RulesError
from iscore.services.views.inbox import InboxView, ListedStory
from iscore.services.views.rules import RuleView
from iscore.web import article_page, list_page
from iscore.web.background_worker import FIRST
from iscore.web.context import Room, notice, page, visit_of
from iscore.web.list_cache import after

SHOWN = FIRST
"""Stories of a list, at first."""
MOST = 960
LATELY = 100
"""Verdicts that can be looked back on."""
PATIENCE = 4.0
"""Seconds that a page waits for reasons. With everything loaded they are there at once."""
AFTER_A_VERDICT = 0.0
"""A verdict waits for nothing: what was found before will do."""


class Pages:
    """The pages of one room."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def waiting(self, request: Request) -> Response:
        """What is recommended or to be explored."""
        room, now, limit = self._room, self._room.clock(), shown(request)
        zone = room.news.context.zone
        view = room.news.current_inbox.view(limit=limit)
        fresh = list_page.order(view.items, now, zone)
        stories = room.news.current_inbox.stories(self._held(request, "waiting", fresh))
        reasons = self._reasons(request, stories)
        return page(
            "waiting.html",
            request,
            **self._frame(request, view, stories),
            sections=list_page.sections(stories, reasons, learning=view.learning, now=now, zone=zone),
            note=list_page.learning_note(view),
            empty="" if stories else list_page.why_empty(view),
            moved=fresh != [story.item.id for story in stories if not story.verdict],
            more=more(limit, view.waiting),
        )

    def held_back(self, request: Request) -> Response:
        """What was held back."""
        room, limit = self._room, shown(request)
        view = room.news.current_inbox.view(limit=0)
        fresh = room.news.current_inbox.below_threshold(limit)
        stories = room.news.current_inbox.stories(self._held(request, "held-back", fresh))
        reasons = self._reasons(request, stories)
        return page(
            "held_back.html",
            request,
            **self._frame(request, view, stories),
            sections=list_page.held_back(stories, reasons, zone=room.news.context.zone),
            moved=fresh != [story.item.id for story in stories if not story.verdict],
            more=more(limit, view.held_back),
        )

    def said(self, request: Request) -> Response:
        """What the person said, the last first."""
        spoken = self._room.news.verdicts.recent(LATELY)
        view = self._room.news.current_inbox.view(limit=0)
        return page("said.html", request, **self._frame(request, view, []), spoken=spoken, words=list_page.SAID)

    def article(self, request: Request) -> Response:
        """An article's own page."""
        room, wanted = self._room, request.path_params["article_id"]
        try:
            view = room.news.show(wanted)
        except (UnknownArticleError, AmbiguousIdError):
            return notice(request, 404, "There is no such article, or not any more.")
        if view.id != wanted:
            return RedirectResponse(f"/article/{view.id}", 303)
        zone = room.news.context.zone
        told = article_page.article(view, room.news.current_inbox.sources(view.id), zone=zone)
        why = room.study.why(view.id, seconds=self._patience(request))
        message = self._message(request)
        return page(
            "article.html",
            request,
            article=told,
            story=told.story,
            why=article_page.explanation(why, room.clock()) if why else None,
            why_not=article_page.why_not(room.study.why_not(view.id)),
            message=message,
            targets=article_page.targets(view, self._rules()),
            rules_open="rules" in request.query_params,
            page="article",
            back=self._list_of(request, view.id),
            onwards=self._next(request, view.id),
        )

    def _rules(self) -> list[RuleView]:
        try:
            return self._room.news.rules.list()
        except RulesError:  # `iscore rules list` tells what is wrong with the file
            return []

    def _held(self, request: Request, name: str, fresh: list[str]) -> tuple[str, ...]:
        """Return the list as it was when it was last asked for; who comes from no verdict gets it anew."""
        session = visit_of(request).session.id
        held = self._room.shelves.get(session, name) if "said" in request.query_params else None
        if held is None:
            self._room.study.learn()  # rules, feeds and verdicts may have changed outside of these pages
            held = tuple(fresh)
            self._room.shelves.put(session, name, held)
        return held

    def _reasons(self, request: Request, stories: list[ListedStory]) -> dict[str, tuple[str, ...]]:
        ids = [story.item.id for story in stories if not story.verdict]
        return self._room.study.reasons(ids, seconds=self._patience(request))

    def _patience(self, request: Request) -> float:
        return AFTER_A_VERDICT if "said" in request.query_params else PATIENCE

    def _frame(self, request: Request, view: InboxView, stories: list[ListedStory]) -> dict[str, Any]:
        message = self._message(request)
        there = {story.item.id for story in stories if story.verdict}
        return {
            "day": list_page.day(self._room.clock(), self._room.news.context.zone),
            "headline": list_page.headline(view),
            "waiting": view.waiting,
            "held_back": view.held_back,
            "message": message,
            # In a list that still has the story, the message stands at its place.
            "message_at": message.undo if message and message.undo in there else "top",
            "shown": shown(request),
        }

    def _message(self, request: Request) -> list_page.Message | None:
        verdict_id = request.query_params.get("said", "")
        return list_page.message(self._room.news.verdicts.get(verdict_id)) if verdict_id else None

    def _list_of(self, request: Request, article_id: str) -> str:
        """Return the address of the list that an article was found in, at its place."""
        session = visit_of(request).session.id
        for name, path in (("waiting", "/"), ("held-back", "/held-back")):
            if article_id in (self._room.shelves.get(session, name) or ()):
                return f"{path}?said=#a-{article_id}"
        return "/"

    def _next(self, request: Request, article_id: str) -> list_page.Entry | None:
        """Return what comes next in the list that an article was found in."""
        session = visit_of(request).session.id
        for name in ("waiting", "held-back"):
            held = self._room.shelves.get(session, name) or ()
            if article_id in held:
                stories = self._room.news.current_inbox.stories(held)
                judged = frozenset(story.item.id for story in stories if story.verdict)
                found = after(held, article_id, judged)
                return next((list_page.entry(each, (), None) for each in stories if each.item.id == found), None)
        return None


def shown(request: Request) -> int:
    """Return how many stories a list is to have."""
    wanted = request.query_params.get("limit", "")
    return min(MOST, max(1, int(wanted))) if wanted.isascii() and wanted.isdigit() and len(wanted) < 6 else SHOWN


def more(limit: int, there: int) -> int:
    """Return the limit of a longer list; 0 when there is no more, or no more is shown."""
    return min(MOST, 2 * limit) if there > limit and limit < MOST else 0
