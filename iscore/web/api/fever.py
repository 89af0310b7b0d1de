"""The Fever API, version 3: one address, and a key that is made of a user's name and an app's password.

    POST /fever/?api&items&since_id=7   api_key=…   ─► {"api_version": 3, "auth": 1, "items": […]}

Items, feeds and marks are those of the Google Reader API, by their plain numbers. The key has 128 bits that nobody
chose, and so needs no limit to attempts.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from iscore.core.errors import UndoError
from iscore.core.translation import gettext
from iscore.services.views.other_programs import ClientFeed, ClientItem
from iscore.web.api.google_reader_names import bound
from iscore.web.api.personal_feeds import items_of
from iscore.web.api.requests import Call, Parameters, number, route, to_json
from iscore.web.context import AppContext
from iscore.web.request_log import Route
from iscore.web.security.app_access import AppAccess
from storage.records.users import AppPassword
from storage.stories.client_items import ItemFilter, State, Stream

PATHS = ("/fever", "/fever/", "/fever/index.php", "/api/fever.php", "/api/fever.php/")
"""Some apps append what they know of Fever or FreshRSS to the address."""
MOST_ITEMS = 50
"""Items in one answer: what the API says."""
FAVICON = "image/gif;base64,R0lGODlhAQABAIAAAObm5gAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw=="
"""One grey pixel, of feeds without an icon; apps show icons of their own instead."""
EVERY_GROUP, NO_FOLDER = 0, 1
"""Numbers of groups. One app reads nothing where a feed is in no group, so feeds without a folder are in the second."""

_MARKS: dict[str, tuple[State, bool]] = {
    "read": (State.READ, True),
    "unread": (State.READ, False),
    "saved": (State.STARRED, True),
    "unsaved": (State.STARRED, False),
}
"""Which stream an item is put into, or taken out of."""


class Fever:
    """The calls of the API."""

    def __init__(self, app: AppContext, access: AppAccess, address: str) -> None:
        """``address``: the public URL of the server, or empty."""
        self._app = app
        self._address = address
        self._access = access

    def routes(self) -> list[Route]:
        """Return the routes of those who have signed in."""
        return [route(path, self._answer, self._app.threads.page) for path in PATHS]

    async def app_of(self, _: Request, given: Parameters) -> AppPassword | None:
        """Return the app that sends a request."""
        return await self._access.app_of_fever_key(given.first("api_key").strip())

    def refused(self, _: Request) -> Response:
        """Answer a wrong key."""
        return _json({"api_version": 3, "auth": 0})

    def _answer(self, call: Call) -> Response:
        """Do what a request asks for first, then answer all its questions."""
        given = call.parameters
        changed = self._mark(call) if "mark" in given else set[str]()
        if number(given.first("unread_recently_read")):
            with suppress(UndoError):
                self._app.news.reader.undo_mark_all_read()
            changed.add("unread_item_ids")
        found: dict[str, Any] = {"api_version": 3, "auth": 1}
        found["last_refreshed_on_time"] = str(int(self._app.clock().timestamp()))
        asked: dict[str, Callable[[Call], dict[str, Any]]] = {
            "groups": self._groups,
            "feeds": self._feeds,
            "favicons": self._favicons,
            "items": self._items,
            "links": lambda _: {"links": []},
            "unread_item_ids": lambda call: {"unread_item_ids": self._ids(call, State.UNREAD)},
            "saved_item_ids": lambda call: {"saved_item_ids": self._ids(call, State.STARRED)},
        }
        for name, answer in asked.items():
            if name in given or name in changed:
                found |= answer(call)
        return _json(found)

    def _groups(self, _: Call) -> dict[str, Any]:
        feeds = self._app.news.client_apps.feeds()
        names = sorted({folder for feed in feeds for folder in feed.folders}, key=str.casefold)
        groups = [{"id": group_id(each), "title": each} for each in names]
        if not all(each.folders for each in feeds):
            groups.append({"id": NO_FOLDER, "title": gettext("Without a folder")})
        return {"groups": groups, **_feeds_groups(feeds)}

    def _feeds(self, _: Call) -> dict[str, Any]:
        feeds = self._app.news.client_apps.feeds()
        return {"feeds": [_feed(each) for each in feeds], **_feeds_groups(feeds)}

    def _favicons(self, _: Call) -> dict[str, Any]:
        """List an icon for each feed, by the number of the feed."""
        icons = self._app.news.icons.pictures()
        data = {feed: f"image/png;base64,{b64encode(picture).decode()}" for feed, picture in icons.items()}
        feeds = [each.number for each in self._app.news.client_apps.feeds()]
        return {"favicons": [{"id": each, "data": data.get(each, FAVICON)} for each in feeds]}

    def _items(self, call: Call) -> dict[str, Any]:
        apps, given = self._app.news.client_apps, call.parameters
        wanted = ItemFilter(feeds=tuple(each.number for each in apps.feeds()))  # an empty answer would be the last
        if "with_ids" in given:
            numbers = [number(each) for each in given.first("with_ids").split(",")][:MOST_ITEMS]
        elif (before := number(given.first("max_id"))) and "since_id" not in given:
            numbers = apps.numbers(call.options, wanted, after=before, limit=MOST_ITEMS)
        else:
            since = number(given.first("since_id"))
            numbers = apps.numbers(call.options, wanted, after=since, limit=MOST_ITEMS, oldest_first=True)
        items = [_item(each) for each in items_of(self._app, self._address, call, numbers)]
        return {"items": items, "total_items": apps.count()}

    def _ids(self, call: Call, state: State) -> str:
        found = self._app.news.client_apps.numbers(call.options, ItemFilter(Stream(state)), after=None, limit=None)
        return ",".join(map(str, found))

    def _mark(self, call: Call) -> set[str]:
        """Mark what a request names; return which lists have changed."""
        apps, given = self._app.news.client_apps, call.parameters
        kind, as_, named = given.first("mark"), given.first("as"), given.first("id")
        if kind == "item" and as_ in _MARKS:
            state, added = _MARKS[as_]
            streams = [Stream(state)]
            add, remove = (streams, []) if added else ([], streams)
            if apps.edit(call.options, [number(named)], add, remove):
                self._app.worker.learn()
            return {"saved_item_ids" if state is State.STARRED else "unread_item_ids"}
        if kind in ("feed", "group") and as_ == "read":
            try:
                seen = bound(given.first("before"))
            except ValueError:
                return {"unread_item_ids"}  # nothing is changed; the API has no errors
            before = seen and seen + timedelta(seconds=1)  # in whole seconds, so it includes the rest of the last one
            for wanted in self._filters(kind, named):
                apps.mark_all_read(call.options, wanted.stream, before, wanted.feeds)
            return {"unread_item_ids"}
        return set()

    def _filters(self, kind: str, named: str) -> list[ItemFilter]:
        """Return which items a feed or group has; empty for one that the user does not have."""
        feeds = self._app.news.client_apps.feeds()
        if kind == "feed":
            return [ItemFilter(Stream(feed=each.number)) for each in feeds if each.number == number(named)]
        if named == str(EVERY_GROUP):
            return [ItemFilter()]
        if named == str(NO_FOLDER):
            return [ItemFilter(feeds=tuple(each.number for each in feeds if not each.folders))]
        folders = {folder for feed in feeds for folder in feed.folders}
        return [ItemFilter(Stream(label=each)) for each in folders if str(group_id(each)) == named]


def group_id(folder: str) -> int:
    """Return the number of a folder: it has none but what its name makes.

    >>> group_id("Arts") == group_id("arts") > NO_FOLDER
    True
    """
    return max(zlib.crc32(folder.casefold().encode()) & 0x7FFF_FFFF, NO_FOLDER + 1)


def _feeds_groups(feeds: list[ClientFeed]) -> dict[str, Any]:
    members: dict[int, list[int]] = {}
    for each in feeds:
        for group in map(group_id, each.folders) if each.folders else (NO_FOLDER,):
            members.setdefault(group, []).append(each.number)
    written = [{"group_id": group, "feed_ids": ",".join(map(str, found))} for group, found in members.items()]
    return {"feeds_groups": written}


def _feed(feed: ClientFeed) -> dict[str, Any]:
    return {
        "id": feed.number,
        "favicon_id": feed.number,
        "title": feed.name,
        "url": feed.url,
        "site_url": feed.site,
        "is_spark": 0,
        "last_updated_on_time": int(feed.updated.timestamp()) if feed.updated else 0,
    }


def _item(item: ClientItem) -> dict[str, Any]:
    return {
        "id": item.state.seq,
        "feed_id": item.state.feed_id,
        "title": item.title,
        "author": item.author,
        "html": item.html,
        "url": item.url,
        "is_saved": int(item.state.saved),
        "is_read": int(item.state.read),
        "created_on_time": int(item.published.timestamp()),
    }


def _json(value: dict[str, Any]) -> Response:
    return Response(to_json(value), media_type="application/json")
