"""The calls of Miniflux's API that are about feeds: their list and OPML, icons, and finding new ones."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from iscore.core.sanitizing import line
from iscore.feeds.errors import FeedError, OpmlError, SubscriptionsError, UnknownFeedError, UrlError
from iscore.feeds.parsing.html_to_text import feed_name
from iscore.services.apps.client_folders import NO_FOLDER, FolderExistsError
from iscore.services.views.other_programs import ClientFeed, ClientFolder
from iscore.web.api import miniflux_items as written
from iscore.web.api.google_reader_feeds import AlreadyFollowedError, FeedCalls
from iscore.web.api.miniflux_requests import (
    ApiError,
    answer,
    bad_request,
    body_of,
    no_resource,
    nothing,
    number_in,
    number_of,
    switch_in,
    text_in,
    v1_route,
)
from iscore.web.api.requests import Call, number
from iscore.web.context import AppContext
from iscore.web.request_log import Route
from iscore.web.threads import FETCH_SECONDS
from storage.records.feeds import Subscription
from storage.stories.client_items import EVERYTHING, Stream

NO_CATEGORY = "This category does not exist or does not belong to this user."
EXISTS = "This category already exists."
NO_TITLE = "The title is mandatory."


class MinifluxFeeds:
    """What apps see and change of the feeds that a user follows."""

    def __init__(self, app: AppContext) -> None:
        self._app = app
        self._following = FeedCalls(app)

    def routes(self) -> list[Route]:
        """Return the routes."""
        page, fetch, file = self._app.threads.page, self._app.threads.fetch, self._app.threads.file
        return [
            v1_route("feeds", self._list, page),
            v1_route("feeds", self._create, fetch, "POST"),
            v1_route("feeds/counters", self._counters, page),
            v1_route("feeds/refresh", self._refresh_all, page, "PUT"),
            v1_route("feeds/{feed}", self._get, page),
            v1_route("feeds/{feed}", self._change, page, "PUT"),
            v1_route("feeds/{feed}", self._remove, page, "DELETE"),
            v1_route("feeds/{feed}/refresh", self._refresh, page, "PUT"),
            v1_route("feeds/{feed}/mark-all-as-read", self._mark_all_read, self._app.threads.verdict, "PUT"),
            v1_route("feeds/{feed}/icon", self._icon, page),
            v1_route("icons/{feed}", self._icon, page),
            v1_route("discover", self._discover, fetch, "POST"),
            v1_route("export", self._export, file),
            v1_route("import", self._import, file, "POST"),
        ]

    def _list(self, call: Call) -> Response:
        feeds = self._written(call)
        order = [each.number for each in self._app.news.client_apps.feeds()]
        return answer([feeds[each] for each in order if each in feeds])

    def _get(self, call: Call) -> Response:
        return answer(self._written(call)[self._feed(call).number])

    def _create(self, call: Call) -> Response:
        """Follow the feed at an address, or the first of the page there."""
        body = body_of(call)
        address, category = text_in(body, "feed_url") or "", number_of(body, "category_id") or 0
        if not address:
            raise bad_request("The URL and the category are mandatory.")
        self._check_category(category)
        if self._following.number(address):
            raise bad_request("This feed already exists.")
        try:
            feed = self._following.follow(address)
            if category:
                self._app.news.client_folders.put(feed, category)
        except UrlError as problem:
            raise bad_request("Invalid feed URL.") from problem
        except AlreadyFollowedError as problem:
            raise bad_request("This feed already exists.") from problem
        except (FeedError, SubscriptionsError) as problem:
            raise ApiError(500, str(problem)) from problem
        self._set(feed, body)
        return answer({"feed_id": feed}, 201)

    def _change(self, call: Call) -> Response:
        """Change a feed's title, category, whether it is paused, and whether full texts are fetched."""
        found, body = self._feed(call), body_of(call)
        category, address, title = number_of(body, "category_id"), text_in(body, "feed_url"), text_in(body, "title")
        if title is not None and not feed_name(title):
            raise bad_request("The feed title cannot be empty.")
        if address is not None and address != found.url:
            raise bad_request("a feed's address cannot be changed here: add the new one and remove this")
        if category is not None:
            self._check_category(category or -1)
            current = written.feeds_of(self._app.news.client_folders.all(), 0)[found.number]["category"]["id"]
            if current != category:
                self._try(lambda: self._app.news.client_folders.put(found.number, category))
        self._set(found.number, body)
        return answer(self._written(call)[found.number], 201)

    def _set(self, feed: int, body: dict[str, Any]) -> None:
        title, paused, fulltext = text_in(body, "title"), switch_in(body, "disabled"), switch_in(body, "crawler")

        def changed(mine: Subscription) -> Subscription:
            mine = mine if title is None else replace(mine, title=feed_name(title))
            mine = mine if paused is None else replace(mine, enabled=not paused)
            return mine if fulltext is None else replace(mine, fulltext=fulltext)

        if (title, paused, fulltext) != (None, None, None):
            self._try(lambda: self._app.news.subscriptions.change(feed, changed))

    def _remove(self, call: Call) -> Response:
        found = self._feed(call)
        self._try(lambda: self._app.news.subscriptions.unfollow(found.number))
        return nothing()

    def _refresh(self, call: Call) -> Response:
        self._app.news.client_apps.refresh([self._feed(call).number])
        return nothing()

    def _refresh_all(self, _: Call) -> Response:
        self._app.news.client_apps.refresh([each.number for each in self._app.news.client_apps.feeds()])
        return nothing()

    def _mark_all_read(self, call: Call) -> Response:
        self._app.news.client_apps.mark_all_read(call.options, Stream(feed=self._feed(call).number))
        return nothing()

    def _counters(self, call: Call) -> Response:
        apps = self._app.news.client_apps
        mine = {each.number for each in apps.feeds()}
        reads = {str(feed): count for feed, count in apps.read_counts(call.options).items() if feed in mine}
        unreads = {str(feed): each.count for feed, each in apps.unread_counts(call.options).items() if feed in mine}
        return answer({"reads": reads, "unreads": unreads})

    def _icon(self, call: Call) -> Response:
        """The icon of a feed; its number is that of the feed."""
        wanted = number(call.request.path_params["feed"])
        picture = self._app.news.icons.pictures().get(wanted)
        if picture is None:
            raise no_resource()
        data = base64.b64encode(picture).decode()
        return answer({"id": wanted, "mime_type": "image/png", "data": f"image/png;base64,{data}"})

    def _discover(self, call: Call) -> Response:
        """Look for the feeds of a page, without following any."""
        address = text_in(body_of(call), "url") or ""
        try:
            found = self._app.news.subscriptions.discover(address, seconds=FETCH_SECONDS)
        except UrlError as problem:
            raise bad_request("Invalid site URL.") from problem
        if not found.feeds and not found.looked:
            raise ApiError(500, found.problem)
        if not found.feeds:
            raise no_resource()
        return answer([{"url": each.url, "title": each.title or each.url, "type": "rss"} for each in found.feeds])

    def _export(self, _: Call) -> Response:
        return Response(self._app.news.subscriptions.export_opml().opml, media_type="text/xml")

    def _import(self, call: Call) -> Response:
        try:
            self._app.news.subscriptions.import_list(call.body)
        except (OpmlError, SubscriptionsError) as problem:
            raise bad_request(str(problem)) from problem
        return answer({"message": "Feeds imported successfully"}, 201)

    def _feed(self, call: Call) -> ClientFeed:
        """Return the feed that a call names. Raises ``ApiError``."""
        wanted = number_in(call, "feed", "feed")
        found = next((each for each in self._app.news.client_apps.feeds() if each.number == wanted), None)
        if found is None:
            raise no_resource()
        return found

    def _check_category(self, category: int) -> None:
        if category and category not in {each.number for each in self._app.news.client_folders.all()}:
            raise bad_request(NO_CATEGORY)

    def _try(self, work: Callable[[], object]) -> None:
        try:
            work()
        except UnknownFeedError as problem:
            raise no_resource() from problem
        except SubscriptionsError as problem:
            raise bad_request(str(problem)) from problem

    def _written(self, call: Call) -> dict[int, dict[str, Any]]:
        return written.feeds_of(self._app.news.client_folders.all(), call.app.user_id)


class CategoryCalls:
    """What apps see and change of folders."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    def routes(self) -> list[Route]:
        """Return the routes."""
        page = self._app.threads.page
        one = "categories/{category}"
        return [
            v1_route("categories", self._list, page),
            v1_route("categories", self._create, page, "POST"),
            v1_route(one, self._rename, page, "PUT"),
            v1_route(one, self._remove, page, "DELETE"),
            v1_route(f"{one}/feeds", self._feeds, page),
            v1_route(f"{one}/refresh", self._refresh, page, "PUT"),
            v1_route(f"{one}/mark-all-as-read", self._mark_all_read, self._app.threads.verdict, "PUT"),
        ]

    def _list(self, call: Call) -> Response:
        folders = self._app.news.client_folders.all()
        counted = call.parameters.first("counts") in ("1", "true")
        unread = self._app.news.client_apps.unread_counts(call.options) if counted else {}
        found = []
        for each in folders:
            category: dict[str, Any] = written.category(each, call.app.user_id)
            if counted:
                category["feed_count"] = len(each.feeds)
                category["total_unread"] = sum(
                    unread[feed.number].count for feed in each.feeds if feed.number in unread
                )
            found.append(category)
        return answer(found)

    def _create(self, call: Call) -> Response:
        title = _title(text_in(body_of(call), "title"))
        try:
            number = self._app.news.client_folders.create(title)
        except FolderExistsError as problem:
            raise bad_request(EXISTS) from problem
        return answer(written.category(ClientFolder(number, title, ()), call.app.user_id), 201)

    def _rename(self, call: Call) -> Response:
        found = self._folder(call)
        given = text_in(body_of(call), "title")
        if given is None:
            return answer(written.category(found, call.app.user_id), 201)
        if found.number == NO_FOLDER:
            raise bad_request("feeds without a category have no name of their own")
        title = _title(given)
        try:
            self._app.news.client_folders.rename(found.number, title)
        except FolderExistsError as problem:
            raise bad_request(EXISTS) from problem
        except SubscriptionsError as problem:
            raise bad_request(str(problem)) from problem
        return answer(written.category(ClientFolder(found.number, title, ()), call.app.user_id), 201)

    def _remove(self, call: Call) -> Response:
        """Remove a category. Its feeds stay, while Miniflux removes them, too."""
        found = self._folder(call)
        if found.number == NO_FOLDER:
            raise bad_request("feeds without a category have none to remove")
        try:
            self._app.news.client_folders.remove(found.number)
        except SubscriptionsError as problem:
            raise bad_request(str(problem)) from problem
        return nothing()

    def _feeds(self, call: Call) -> Response:
        found = self._folder(call)
        return answer([written.feed(each, found, call.app.user_id) for each in found.feeds])

    def _refresh(self, call: Call) -> Response:
        self._app.news.client_apps.refresh([each.number for each in self._folder(call).feeds])
        return nothing()

    def _mark_all_read(self, call: Call) -> Response:
        feeds = [each.number for each in self._folder(call).feeds]
        self._app.news.client_apps.mark_all_read(call.options, EVERYTHING, feeds=feeds)
        return nothing()

    def _folder(self, call: Call) -> ClientFolder:
        """Return the folder that a call names. Raises ``ApiError``."""
        wanted = number_in(call, "category", "category")
        found = next((each for each in self._app.news.client_folders.all() if each.number == wanted), None)
        if found is None:
            raise no_resource()
        return found


def _title(given: str | None) -> str:
    title = line(given or "")
    if not title:
        raise bad_request(NO_TITLE)
    return title
