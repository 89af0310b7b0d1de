"""The calls of Miniflux's API that are about categories, which are folders of feeds."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from iscore.core.sanitizing import line
from iscore.feeds.errors import SubscriptionsError
from iscore.services.apps.client_folders import NO_FOLDER, FolderExistsError
from iscore.services.views.client_apps import ClientFolder
from iscore.web.api import miniflux_items as written
from iscore.web.api.miniflux_requests import (
    answer,
    bad_request,
    body_of,
    no_resource,
    nothing,
    number_in,
    text_in,
    v1_route,
)
from iscore.web.api.requests import Call
from iscore.web.context import AppContext
from iscore.web.routing import Route
from storage.stories.client_items import Stream

EXISTS = "This category already exists."
NO_TITLE = "The title is mandatory."


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
        for each in self._folder(call).feeds:
            self._app.news.client_apps.mark_all_read(call.options, Stream(feed=each.number))
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
