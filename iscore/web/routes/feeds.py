"""The pages of feeds: list, add, import, change, remove, export."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.translation import gettext, gettext_noop
from iscore.feeds.errors import OpmlError, SubscriptionsError, UnknownFeedError, UrlError
from iscore.services.views.feeds import FeedView
from iscore.web.context import AppContext, notice, page, visit_of
from iscore.web.pages import feeds_page, reader_page
from iscore.web.pages.feeds_page import Outcome
from storage.records.feeds import Subscription

UPLOAD_PATHS = ("/feeds/import",)
"""Paths of forms with a file."""
MOST_AT_ONCE = 20
"""Addresses that one form adds; longer lists are imported as OPML."""
NOT_YOURS = gettext_noop("You do not follow this feed.")


class FeedRoutes:
    """The pages of feeds."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    async def feeds(self, request: Request) -> Response:
        """List the feeds."""
        return await self._app.threads.page(self._list, request)

    async def feed(self, request: Request) -> Response:
        """One feed, to be changed."""
        return await self._app.threads.page(self._feed, request)

    async def export(self, request: Request) -> Response:
        """The list as OPML."""
        return await self._app.threads.page(self._export, request)

    async def add(self, request: Request) -> Response:
        """Follow what the form names, or undo a removal."""
        form = visit_of(request).form
        if form.get("action") == "undo":
            return await self._app.threads.page(self._undo, request)
        # Only the look at an address asks other servers.
        run = self._app.threads.fetch if form.get("action") == "add" else self._app.threads.page
        return await run(self._add, request)

    async def import_(self, request: Request) -> Response:
        """Follow the feeds of an OPML file."""
        return await self._app.threads.fetch(self._import, request)

    async def change(self, request: Request) -> Response:
        """Change a feed, or follow it no longer."""
        return await self._app.threads.page(self._change, request)

    def _views(self) -> tuple[dict[int, FeedView], str]:
        """Return the feeds by number, and what is wrong with feeds.yaml."""
        subscriptions, problem = self._app.news.subscriptions, ""
        try:
            subscriptions.follow()
        except SubscriptionsError as error:
            problem = str(error)
        return subscriptions.known(), problem

    def _list(self, request: Request, outcome: Outcome | None = None, error: str = "", status: int = 200) -> Response:
        views, problem = self._views()
        now, navigation = self._app.clock(), self._app.news.reader.navigation()
        links = (*navigation.feeds, *(each for folder in navigation.folders for each in folder.feeds))
        unread = {link.number: link.unread for link in links}
        urls = [view.url for view in views.values()]
        feeds = {
            number: feeds_page.feed(number, view, unread.get(number, 0), urls, now) for number, view in views.items()
        }
        troubled = feeds_page.in_trouble(views)
        key = request.query_params.get("undo", "")
        return page(
            "feeds.html",
            request,
            status=status,
            menu=reader_page.menu(navigation, "/feeds"),
            path="/feeds",
            headline=feeds_page.headline(len(feeds), len(troubled)),
            troubled=[feeds[number] for number in troubled],
            folders=feeds_page.folders(list(feeds.values())),
            outcome=outcome,
            error=error or problem,
            done=feeds_page.removed(self._app.news.removals.get(key)) if key else "",
            undo=key,
        )

    def _feed(self, request: Request, error: str = "", status: int = 200) -> Response:
        views, problem = self._views()
        number = _number(request)
        if number not in views:
            return notice(request, 404, gettext(NOT_YOURS))
        mine = self._app.news.subscriptions.subscription(number)
        urls = [each.url for each in views.values()]
        navigation = self._app.news.reader.navigation()
        return page(
            "feed.html",
            request,
            status=status,
            menu=reader_page.menu(navigation, "/feeds"),
            feed=feeds_page.feed(number, views[number], 0, urls, self._app.clock()),
            title=mine.title,
            priorities=feeds_page.PRIORITIES,
            known_folders=[each.name for each in navigation.folders],
            error=error or problem,
        )

    def _add(self, request: Request) -> Response:
        form, subscriptions = visit_of(request).form, self._app.news.subscriptions
        chosen = [value for name, value in form.items() if name.startswith("feed-")]
        wanted = chosen or form.get("address", "").split()
        if not wanted or len(wanted) > MOST_AT_ONCE:
            return self._list(
                request, error=gettext("Write an address, or up to %(number)s.", number=MOST_AT_ONCE), status=400
            )
        try:
            found = subscriptions.add(wanted, discover=not chosen)
        except (UrlError, SubscriptionsError) as error:
            return self._list(request, error=gettext("Nothing was added: %(error)s.", error=error), status=400)
        return self._list(request, feeds_page.added(found))

    def _import(self, request: Request) -> Response:
        document = visit_of(request).files.get("file", b"")
        if not document.strip():
            return self._list(
                request, error=gettext("Choose the OPML file that your other reader has exported."), status=400
            )
        try:
            found = self._app.news.subscriptions.import_list(document)
        except (OpmlError, SubscriptionsError) as error:
            return self._list(request, error=gettext("Nothing was added: %(error)s.", error=error), status=400)
        return self._list(request, feeds_page.imported(found))

    def _change(self, request: Request) -> Response:
        form, subscriptions, number = visit_of(request).form, self._app.news.subscriptions, _number(request)
        actions: dict[str, Callable[[], Subscription | str]] = {
            "save": lambda: subscriptions.change(number, lambda mine: feeds_page.changed(mine, form)),
            "pause": lambda: subscriptions.change(number, lambda mine: replace(mine, enabled=False)),
            "resume": lambda: subscriptions.change(number, lambda mine: replace(mine, enabled=True)),
            "move": lambda: subscriptions.follow_new_address(number),
            "remove": lambda: self._app.news.removals.remove_feed(number),
        }
        action = form.get("action", "")
        if action not in actions:
            return notice(request, 400, gettext("This is not a valid form."))
        try:
            done = actions[action]()
        except UnknownFeedError:
            return notice(request, 404, gettext(NOT_YOURS))
        except SubscriptionsError as error:
            return self._feed(request, gettext("Nothing was changed: %(error)s.", error=error), 400)
        if action == "remove":
            return RedirectResponse(f"/feeds?undo={done}", 303)
        return RedirectResponse(f"/feeds#feed-{number}", 303)

    def _undo(self, request: Request) -> Response:
        try:
            if not self._app.news.removals.undo(visit_of(request).form.get("undo", "")):
                return notice(
                    request, 404, gettext("This cannot be undone any more. Add the feed again by its address.")
                )
        except SubscriptionsError as error:
            return self._list(request, error=gettext("Nothing was changed: %(error)s.", error=error), status=400)
        return RedirectResponse("/feeds", 303)

    def _export(self, request: Request) -> Response:
        try:
            found = self._app.news.subscriptions.export_opml()
        except SubscriptionsError as error:
            return notice(request, 503, str(error))
        headers = {"content-disposition": 'attachment; filename="iscore-feeds.opml"'}
        return Response(found.opml, media_type="text/x-opml", headers=headers)


def _number(request: Request) -> int:
    """Return the number of a feed; 0 for what can be none."""
    text = request.path_params["number"]
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0
