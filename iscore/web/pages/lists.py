"""The lists of the reader, the marks on stories, and the digests. Marks are small POSTs, with and without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.errors import (
    AmbiguousIdError,
    LabelError,
    MarkError,
    SearchError,
    UndoError,
    UnknownArticleError,
)
from iscore.core.translation import gettext
from iscore.presentation.wording.stored_errors import error_text
from iscore.presentation.wording.story import StoryEntry, story_entry
from iscore.services.reading.search import SearchQuery
from iscore.services.views.digests import DigestView
from iscore.services.views.stories import StoryView
from iscore.web.context import AppContext, account_name, notice, page, user_of, visit_of
from iscore.web.pages import reader_page
from iscore.web.pages.list_page import Message, Section
from iscore.web.pages.reader_page import Address
from iscore.web.pages.stories import SHOWN, address_of, stories_page, thumbnails
from iscore.web.pages.verdicts import KINDS, NONCE, message_about_verdict, name_of_request
from iscore.web.pages.waiting import waiting_for
from storage.engine.errors import UnknownName
from storage.schema.column_types import microseconds, moment_or_none
from storage.stories.story_query import Order

SEEN = 100
"""Stories that a page can say were on screen."""
ARCHIVED = 60
"""Digests on the page of digests."""
OLDER = {"day": timedelta(days=1), "week": timedelta(days=7), "all": None}
"""What can be marked as read, by the age of stories."""
PART = "x-part"
"""The header with which a script asks for the story alone, instead of the page."""


class ListRoutes:
    """Lists, marks and digests."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    async def list(self, request: Request) -> Response:
        """A list of stories."""
        return await self._app.threads.page(self._list, request)

    async def lists(self, request: Request) -> Response:  # noqa: ARG002
        """Lead from the page of all lists, which there was, to the navigation."""
        return RedirectResponse("/all#nav", 301)

    async def digest(self, request: Request) -> Response:
        """The digest of a day, or the newest, and the days of the others. Makes none."""
        return await self._app.threads.page(self._digest, request)

    async def mark(self, request: Request) -> Response:
        """Mark or rate one story, or mark a list as read."""
        own = account_name(user_of(request))
        if visit_of(request).form.get("account", own) != own:  # a browser keeps marks that it could not send
            return notice(request, 403, "This mark belongs to another account, so nothing was changed.")
        return await self._app.threads.verdict(self._mark, request)

    def _list(self, request: Request) -> Response:
        where = address_of(self._app, request)
        if where is None:
            return notice(request, 404, gettext("This page does not exist."))
        reader, problem = self._app.news.reader, ""
        navigation = reader.navigation()
        heading = reader_page.heading(where, navigation)
        if not heading:
            return notice(request, 404, gettext("You have no such list."))
        stories: tuple[StoryView, ...] = ()
        after, newest, search = "", 0, None
        try:
            search = self._searched(where)
            if search is not None or where.path != "/search":
                found = reader.page(reader_page.story_list(where, search), request.query_params.get("after", ""), SHOWN)
                stories, after, newest = found.stories, found.after, found.newest
        except (SearchError, UnknownName) as error:
            problem = error_text(error).partition("; `")[0]  # what follows is a command
        now, zone = self._app.clock(), self._app.news.context.zone
        goes_on = waiting_for(self._app) if where.path == "/all" else None
        rows = [story_entry(each, now, zone) for each in stories]
        by_time = reader_page.story_list(where, search).order in (Order.NEWEST, Order.FOUND)
        here = request.query_params.get("after", "")
        shown_at = reader_page.with_place(where.text, here)
        self._app.lists.put(visit_of(request).session.id, shown_at, [each.id for each in stories])
        return stories_page(
            self._app,
            request,
            where,
            reader_page.days(rows, now, zone) if by_time else one_section(rows),
            heading=heading,
            list=shown_at,
            notices=[each for each in (reader_page.introduction(where),) if each],
            empty="" if rows else problem or ("" if goes_on else reader_page.why_empty(where)),
            waiting=goes_on,
            following=reader_page.with_place(where.text, after) if after else "",
            newest=newest,
            message=message_about_verdict(self._app, request) or self._confirmed(request),
        )

    def _digest(self, request: Request) -> Response:
        days = self._app.news.digests.days(ARCHIVED)
        day = days[0] if days else None
        if wanted := request.path_params.get("day", ""):
            try:
                day = date.fromisoformat(wanted)
            except ValueError:
                day = None
            if day not in days:
                return notice(request, 404, gettext("There is no digest of that day."))
        now, zone, reader = self._app.clock(), self._app.news.context.zone, self._app.news.reader
        found = self._app.news.digests.last(1, day).digests if day else ()
        sections = _sections(found[0]) if found else []
        ids = [each for _, section in sections for each in section]
        rows = {each.id: story_entry(each, now, zone) for each in reader.stories(ids)}
        self._app.lists.put(visit_of(request).session.id, f"/digest/{day}" if day else "/digest", ids)
        return page(
            "digest_day.html",
            request,
            menu=self._app.menu("/digest"),
            day=day,
            days=days,
            sections=reader_page.sections(sections, rows),
            more=request.query_params.get("more", ""),
        )

    def _mark(self, request: Request) -> Response:
        form = visit_of(request).form
        action, _, value = form.get("do", "").partition(":")
        try:
            if (answer := self._of_list(request, action, value)) is not None:
                return answer
            name = self._mark_one(request, action, value)
        except (UnknownArticleError, AmbiguousIdError):
            return notice(request, 404, gettext("This article does not exist any more; nothing was changed."))
        except (LabelError, MarkError) as error:
            return notice(request, 400, gettext("Nothing was changed: %(error)s.", error=error))
        if request.headers.get(PART):
            return self._part(request, value)
        return RedirectResponse(_back(form.get("list", ""), value, name), 303)

    def _of_list(self, request: Request, action: str, value: str) -> Response | None:
        """Do what a button of a whole list, or of a folder, does; None for a mark on one story."""
        if action in ("all", "above", "below"):
            return self._mark_all(request, action, value)
        if action == "undo-all":
            return self._undo_all(request, value)
        if action == "set":
            return self._remember(request, value)
        if action == "more":
            place, _, row = _back(visit_of(request).form.get("list", ""), value, "").partition("#")
            return RedirectResponse(_with(place, f"more={quote(value, safe='')}#{row}"), 303)
        if action in ("fold", "unfold"):
            self._app.news.list_views.fold(value, is_open=action == "unfold")
            return Response(status_code=204)
        return None

    def _remember(self, request: Request, change: str) -> Response:
        """Show a list in another way from now on."""
        where = reader_page.address_in_form(visit_of(request).form.get("list", ""))
        found = where and reader_page.changed(where, change)
        if not found:
            return notice(request, 400, gettext("This is not a valid list."))
        self._app.news.list_views.remember(found.path, urlencode(found.state))
        return RedirectResponse(found.text, 303)

    def _mark_one(self, request: Request, action: str, article_id: str) -> str:
        """Mark or rate a story; return the name of a verdict, else an empty text.

        Raises ``MarkError``, ``LabelError``, ``UnknownArticleError``, ``AmbiguousIdError``.
        """
        visit, reader = visit_of(request), self._app.news.reader
        changes = {
            "read": reader.mark_read,
            "unread": reader.mark_unread,
            "save": reader.save,
            "unsave": reader.unsave,
        }
        if action in changes:
            changes[action]([article_id])
        elif action in ("label", "unlabel"):
            reader.label(visit.form.get("label", ""), [article_id], remove=action == "unlabel")
        elif action in KINDS and NONCE.fullmatch(visit.form.get("nonce", "")):
            name = name_of_request(request, action, article_id)
            self._app.news.give(KINDS[action], [article_id], request=name)
            self._app.worker.learn()
            return name
        else:
            raise MarkError(gettext("this is not a valid mark"))
        return ""

    def _mark_all(self, request: Request, action: str, value: str) -> Response:
        form, reader = visit_of(request).form, self._app.news.reader
        where = reader_page.address_in_form(form.get("list", ""))
        up_to = form.get("newest", "")
        if where is None or (action == "all" and value not in OLDER):
            return notice(request, 400, gettext("This is not a valid list."))
        try:
            wanted = reader_page.story_list(where, self._searched(where))
            session = visit_of(request).session.id
            count, at = reader.mark_all_read(
                wanted,
                above=value if action == "above" else "",
                below=value if action == "below" else "",
                older_than=OLDER[value] if action == "all" else None,
                up_to=int(up_to) if up_to.isascii() and up_to.isdigit() and len(up_to) < 18 else None,
                on_screen=form.get("on-screen", "").split()[:SEEN],
                shown=self._app.lists.above(session, where.text, value) if action == "above" else (),
            )
        except (SearchError, UnknownName):
            return notice(request, 404, gettext("You have no such list; nothing was changed."))
        return RedirectResponse(_with(where.text, f"read={count}-{microseconds(at)}"), 303)

    def _undo_all(self, request: Request, value: str) -> Response:
        where = reader_page.address_in_form(visit_of(request).form.get("list", ""))
        at = moment_or_none(int(value)) if value.isascii() and value.isdigit() and len(value) < 18 else None
        if where is None or at is None:
            return notice(request, 400, gettext("This is not a valid list."))
        try:
            undone = self._app.news.reader.undo_mark_all_read(at)
        except UndoError as error:
            return notice(request, 404, gettext("Nothing was changed: %(error)s.", error=error))
        return RedirectResponse(_with(where.text, f"undone={undone}"), 303)

    def _part(self, request: Request, article_id: str) -> Response:
        """Return the story alone, as the list has it now; for an article its marks."""
        found = self._app.news.reader.stories([article_id])
        if not found:
            return Response(status_code=204)
        now, zone = self._app.clock(), self._app.news.context.zone
        place = visit_of(request).form.get("list", "")
        where = reader_page.address_in_form(place) or Address("/all")
        view = "" if place.startswith("/article/") else where.view
        entry, thumbs = story_entry(found[0], now, zone), thumbnails(self._app, request, where.view, [article_id])
        return page("row.html", request, each=entry, view=view, thumbs=thumbs)

    def _searched(self, where: Address) -> SearchQuery | None:
        """Read a search. Raises ``SearchError``."""
        return self._app.news.search.parse(where.query) if where.query else None

    def _confirmed(self, request: Request) -> Message | None:
        """Return what "mark all as read" or its undo did, and what undoes it."""
        count, _, at = request.query_params.get("read", "").partition("-")
        undone = request.query_params.get("undone", "")
        if count.isascii() and count.isdigit() and at.isascii() and at.isdigit() and len(count + at) < 30:
            return Message(reader_page.marked_words(int(count)), "", f"undo-all:{at}" if int(count) else "")
        if undone.isascii() and undone.isdigit() and len(undone) < 12:
            return Message(reader_page.undone_words(int(undone)), "", "")
        return None


def one_section(rows: Sequence[StoryEntry]) -> tuple[Section, ...]:
    """Return a list that has no sections; its heading is for screen readers."""
    return (Section("stories", "", tuple(rows)),) if rows else ()


def _sections(view: DigestView) -> list[tuple[str, list[str]]]:
    named = (
        (gettext("Best"), view.recommended),
        (gettext("By interest"), view.by_interest),
        (gettext("In several feeds"), view.stories),
        (gettext("From feeds that publish seldom"), view.rare),
        (gettext("Explore"), view.explore),
    )
    return [(heading, [each.id for each in stories]) for heading, stories in named]


def _with(text: str, value: str) -> str:
    return f"{text}{'&' if '?' in text else '?'}{value}"


def _back(text: str, article_id: str, verdict: str) -> str:
    """Return the page on which a story was marked or rated, at the story. A form names a list, or the article."""
    article = quote(article_id, safe="")
    where = reader_page.address_in_form(text)
    if where is None:
        return f"/digest/{text[8:]}#a-{article}" if _is_digest(text) else f"/article/{article}?marked="
    place = reader_page.with_place(where.text, reader_page.place_in_form(text))
    if verdict or where.path in ("/", "/hidden"):  # in the order in which it was read
        place = _with(place, f"verdict={verdict}")
    return f"{place}#a-{article}"


def _is_digest(text: str) -> bool:
    try:
        return text.startswith("/digest/") and bool(date.fromisoformat(text[8:]))
    except ValueError:
        return False
