"""The part of Miniflux's API, version 1, that its clients use.

    X-Auth-Token: an app's password, or HTTP's basic authentication with a user's name and that password
    /v1/entries?status=unread&limit=100 ─► {"total": 7, "entries": […]}

Items, feeds and marks are those of the Google Reader API, by their plain numbers; ``miniflux_items`` says what becomes
what. Settings that only Miniflux has are not stored, and its answers have them as a new account of Miniflux would.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from iscore.core.errors import SearchError
from iscore.services.reading.full_text import FullTextError
from iscore.services.views.other_programs import ClientItem
from iscore.web.api import miniflux_items as written
from iscore.web.api.google_reader_names import label_stream, moment
from iscore.web.api.miniflux_feeds import CategoryCalls, MinifluxFeeds
from iscore.web.api.miniflux_requests import (
    ApiError,
    answer,
    bad_request,
    body_of,
    error,
    no_resource,
    nothing,
    number_in,
    switch_in,
    text_in,
    v1_route,
)
from iscore.web.api.personal_feeds import items_of
from iscore.web.api.requests import Call, Parameters, number
from iscore.web.context import AppContext
from iscore.web.request_log import Route
from iscore.web.security.app_access import AppAccess
from iscore.web.security.sessions_and_csrf import from_another_origin
from storage.engine.errors import UnknownName
from storage.records.users import AppOption, AppPassword
from storage.stories.client_items import EVERYTHING, ItemFilter, Order, Page, State, Stream

V1, HEALTH = "/v1/", "/healthcheck"
VERSION = "2.2.14"
"""The version of Miniflux whose API this is: clients look at it before they use what is newer."""
MOST_ENTRIES = 1000
"""Entries with contents in one answer; apps that ask for more, or for all, get them by ``offset``."""
MOST_IDS = 10_000
MOST_CHANGED = 10_000
"""Entries that are marked in one transaction."""
USUAL_NUMBER = 100
ORDERS = {
    "id": Order.NUMBER,
    "status": Order.UNREAD,
    "changed_at": Order.CHANGED,
    "published_at": Order.PUBLISHED,
    "created_at": Order.ARRIVED,
    "category_title": Order.FEED,
    "category_id": Order.FEED,
    "title": Order.TITLE,
    "author": Order.AUTHOR,
}
STATUSES = {"read": State.READ, "unread": State.UNREAD}
TIMES = {
    "before": (Order.PUBLISHED, False),
    "after": (Order.PUBLISHED, True),
    "published_before": (Order.PUBLISHED, False),
    "published_after": (Order.PUBLISHED, True),
    "changed_before": (Order.CHANGED, False),
    "changed_after": (Order.CHANGED, True),
}
"""What a parameter is compared with, and whether entries are to be later."""
TRUE, FALSE = ("1", "t", "T", "true", "TRUE", "True"), ("0", "f", "F", "false", "FALSE", "False")
BAD_STATUS = 'invalid entry status, valid status values are: "read" and "unread"'
STARRED, READ = Stream(State.STARRED), Stream(State.READ)


class Miniflux:
    """The calls of the API."""

    def __init__(self, app: AppContext, access: AppAccess, address: str) -> None:
        """``address``: the public URL of the server, or empty."""
        self._app = app
        self._access = access
        self._parts = (EntryCalls(app, address), MinifluxFeeds(app), CategoryCalls(app))

    def routes(self) -> list[Route]:
        """Return the routes of those who have signed in."""
        page, change = self._app.threads.page, self._app.threads.verdict
        return [
            v1_route("me", self._me, page),
            v1_route("version", self._version, page),
            v1_route("integrations/status", lambda _: answer({"has_integrations": True}), page),
            v1_route("users/{user}/mark-all-as-read", self._mark_all_read, change, "PUT"),
            *(each for part in self._parts for each in part.routes()),
        ]

    async def app_of(self, request: Request, _: Parameters) -> AppPassword | None:
        """Return the app that sends a request."""
        token = request.headers.get("x-auth-token", "").strip()
        if token:
            return await self._access.app_of_password(token)
        if from_another_origin(request):
            return None  # a browser adds the name and password that it knows to what any site sends
        name, password = basic(request.headers)
        return await self._access.app_of_basic(request, name, password) if name and password else None

    def unauthorized(self, request: Request) -> Response:
        """Answer an app without a password, or whose password was revoked.

        Some apps wait for the question before they send it. A browser would ask its user, and keep the answer.
        """
        refused = error(401, "access unauthorized")
        headers = request.headers
        if not {"origin", "sec-fetch-site"} & {*headers} and "Mozilla/" not in headers.get("user-agent", ""):
            refused.headers["www-authenticate"] = 'Basic realm="Restricted"'
        return refused

    def _me(self, _: Call) -> Response:
        context = self._app.news.context
        zone = context.zone
        return answer(written.user(context.user, zone.key if zone else "UTC"))

    def _version(self, _: Call) -> Response:
        unknown = dict.fromkeys(("commit", "build_date", "go_version", "compiler", "arch", "os"), "")
        return answer({"version": VERSION} | unknown)

    def _mark_all_read(self, call: Call) -> Response:
        if number_in(call, "user", "user") != call.app.user_id:
            raise ApiError(403, "access forbidden")
        self._app.news.client_apps.mark_all_read(call.options, EVERYTHING)
        return nothing()


def basic(headers: Mapping[str, str]) -> tuple[str, str]:
    """Return the name and the password of HTTP's basic authentication; empty without them.

    >>> basic({"authorization": "Basic QW5uYTpzZWNyZXQ="})
    ('Anna', 'secret')
    """
    scheme, _, given = headers.get("authorization", "").partition(" ")
    try:
        text = base64.b64decode(given.strip(), validate=True).decode() if scheme.lower() == "basic" else ""
    except (binascii.Error, UnicodeDecodeError):
        text = ""
    name, _, password = text.partition(":")
    return ("", "") if "\0" in text else (name, password)  # PostgreSQL cannot look for it


async def not_found(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request for what the API does not have."""
    await error(404, "resource not found")(scope, receive, send)


class EntryCalls:
    """What apps read and mark."""

    def __init__(self, app: AppContext, address: str) -> None:
        """``address``: the public URL of the server, or empty."""
        self._app = app
        self._address = address

    def routes(self) -> list[Route]:
        """Return the routes."""
        page, change, fetch = self._app.threads.page, self._app.threads.verdict, self._app.threads.fetch
        return [
            v1_route("entries", self._entries, page),
            v1_route("entries", self._change, change, "PUT"),
            v1_route("entries/ids", self._ids, page),
            v1_route("feeds/{feed}/entries", self._entries, page),
            v1_route("categories/{category}/entries", self._entries, page),
            v1_route("entries/{entry}", self._entry, page),
            v1_route("feeds/{feed}/entries/{entry}", self._entry, page),
            v1_route("categories/{category}/entries/{entry}", self._entry, page),
            v1_route("entries/{entry}/bookmark", self._toggle, change, "PUT"),
            v1_route("entries/{entry}/star", self._toggle, change, "PUT"),
            v1_route("entries/{entry}/save", self._save, change, "POST"),
            v1_route("entries/{entry}/fetch-content", self._fetch, fetch),
            v1_route("enclosures/{enclosure}", self._enclosure, page),
        ]

    def _entries(self, call: Call) -> Response:
        given = call.parameters
        order, direction = given.first("order") or "published_at", given.first("direction") or "asc"
        if order not in ORDERS:
            raise bad_request(
                "invalid entry order, valid order values are: " + ", ".join(f'"{each}"' for each in ORDERS)
            )
        if direction not in ("asc", "desc"):
            raise bad_request('invalid direction, valid direction values are: "asc" or "desc"')
        limit, offset = _count(given, "limit", USUAL_NUMBER), _count(given, "offset", 0)
        wanted = self._filter(call)
        part = Page(ORDERS[order], direction == "desc", offset, min(limit or MOST_ENTRIES, MOST_ENTRIES))
        if part.order is Order.FEED:
            part = replace(part, feeds=self._by_category(by_title=order == "category_title"))
        numbers, total = self._app.news.client_apps.page(call.options, wanted, part)
        return answer({"total": total, "entries": self._written(call, numbers)})

    def _by_category(self, *, by_title: bool) -> tuple[int, ...]:
        folders = self._app.news.client_folders.all()
        if by_title:
            folders.sort(key=lambda folder: (folder.name or written.NO_FOLDER_TITLE).casefold())
        return tuple(feed.number for folder in folders for feed in folder.feeds)

    def _filter(self, call: Call) -> ItemFilter:
        """Read which entries a call asks for. Raises ``ApiError``."""
        given, named = call.parameters, call.request.path_params
        statuses = [each for each in given.all("status") if each]
        if not {*statuses} <= STATUSES.keys():
            raise bad_request(BAD_STATUS)
        only = [Stream(STATUSES[each]) for each in statuses] if len(statuses) == 1 else []
        only += [label_stream(each.strip()) for each in given.all("tags") if each.strip()]
        without = []
        if given.first("starred") in TRUE:
            only.append(STARRED)
        elif given.first("starred") in FALSE:
            without.append(STARRED)
        between: list[Any] = []
        for name, (order, later) in TIMES.items():
            at = moment(given.first(name))
            if at is not None:
                between.append((order, at, None) if later else (order, None, at))
        for name, later in (("after_entry_id", True), ("before_entry_id", False)):
            if value := number(given.first(name)):
                between.append((Order.NUMBER, value, None) if later else (Order.NUMBER, None, value))
        search = given.first("search").strip()
        return ItemFilter(
            EVERYTHING,
            tuple(only),
            tuple(without),
            feeds=self._feeds(given.first("feed_id"), given.first("category_id"), named),
            numbers=self._found(search) if search else None,
            between=tuple(between),
        )

    def _feeds(self, feed_id: str, category_id: str, named: dict[str, Any]) -> tuple[int, ...] | None:
        """Return the feeds that a call names; None for all. Raises ``ApiError`` if the user has none."""
        feed, category = feed_id or named.get("feed", ""), category_id or named.get("category", "")
        if not feed and not category:
            return None
        folders = self._app.news.client_folders.all()
        if category:
            folders = [each for each in folders if each.number == number(category)]
            if not folders:
                raise no_resource() if "category" in named else bad_request("invalid category ID")
        found = tuple(each.number for folder in folders for each in folder.feeds)
        if not feed:
            return found
        if number(feed) not in found:
            raise no_resource() if "feed" in named else bad_request("invalid feed ID")
        return (number(feed),)

    def _found(self, query: str) -> tuple[int, ...]:
        try:
            return tuple(self._app.news.personal_feeds.matching(query, most=MOST_ENTRIES))
        except (SearchError, UnknownName) as problem:
            raise bad_request(str(problem)) from problem

    def _ids(self, call: Call) -> Response:
        given = call.parameters
        for name, values in (("starred", ("true", "false")), ("status", tuple(STATUSES))):
            if name in given and given.first(name) not in values:
                raise bad_request(f'invalid {name} parameter, must be "{values[0]}" or "{values[1]}"')
        limit = _count(given, "limit", MOST_IDS)
        part = Page(Order.NUMBER, True, _count(given, "offset", 0), min(limit or MOST_IDS, MOST_IDS))
        numbers, total = self._app.news.client_apps.page(call.options, self._filter(call), part)
        return answer({"total": total, "entry_ids": numbers})

    def _entry(self, call: Call) -> Response:
        item = self._item(call)
        feeds = self._feeds("", "", call.request.path_params)
        if feeds is not None and item.state.feed_id not in feeds:
            raise no_resource()
        return answer(self._written(call, [item.state.seq])[0])

    def _change(self, call: Call) -> Response:
        """Mark entries as read, unread, starred or starred no longer. Those that the user does not have stay."""
        body = body_of(call)
        status, starred, ids = text_in(body, "status") or "", switch_in(body, "starred"), body.get("entry_ids")
        if not isinstance(ids, list) or not all(type(each) is int for each in ids):
            raise bad_request("entry_ids is no list of numbers")
        if not ids:
            raise bad_request("the list of entries cannot be empty")
        if not status and starred is None:
            raise bad_request("either the status or the starred field must be specified")
        if status and status not in STATUSES:
            raise bad_request(BAD_STATUS)
        changes = {READ: status == "read"} if status else {}
        changes |= {} if starred is None else {STARRED: starred}
        possible = [each for each in dict.fromkeys(ids) if 0 < each < 2**63]
        batches = [tuple(possible[at : at + MOST_CHANGED]) for at in range(0, len(possible), MOST_CHANGED)]
        known = [each for each in batches if self._is_any_known(call, each)]
        if not known:
            raise no_resource()
        for each in known:
            self._edit(call, each, changes)
        return nothing()

    def _is_any_known(self, call: Call, numbers: tuple[int, ...]) -> bool:
        wanted = ItemFilter(numbers=numbers)
        return bool(self._app.news.client_apps.numbers(call.options, wanted, after=None, limit=1))

    def _toggle(self, call: Call) -> Response:
        item = self._item(call)
        self._edit(call, [item.state.seq], {STARRED: not item.state.saved})
        return nothing()

    def _save(self, call: Call) -> Response:
        """Save an entry, which says nothing about liking it. Miniflux hands it to a service that stores pages."""
        item = self._item(call)
        self._app.news.client_apps.edit({*call.options, AppOption.STAR_ONLY_SAVES}, [item.state.seq], [STARRED])
        return Response(status_code=202, media_type="application/json")

    def _edit(self, call: Call, numbers: Sequence[int], changes: Mapping[Stream, bool]) -> None:
        """Put entries into streams, or take them out."""
        add = [stream for stream, added in changes.items() if added]
        remove = [stream for stream, added in changes.items() if not added]
        if self._app.news.client_apps.edit(call.options, numbers, add, remove):
            self._app.worker.learn()

    def _fetch(self, call: Call) -> Response:
        """Fetch the page of an entry, and answer with its text if that is longer than what the feed has."""
        item = self._item(call)
        try:
            self._app.news.full_texts.fetch(item.id)
        except FullTextError as problem:
            raise ApiError(500, str(problem)) from problem
        html = self._item(call).html
        return answer({"content": html, "reading_time": written.reading_time(html)})

    def _enclosure(self, call: Call) -> Response:
        wanted = number_in(call, "enclosure", "enclosure")
        entries = self._written(call, [wanted // 1000])
        found = [each for entry in entries for each in entry["enclosures"] if each["id"] == wanted]
        if not found:
            raise no_resource()
        return answer(found[0])

    def _item(self, call: Call) -> ClientItem:
        """Return the entry that a call names. Raises ``ApiError``."""
        found = self._app.news.client_apps.items(call.options, [number_in(call, "entry", "entry")])
        if not found:
            raise no_resource()
        return found[0]

    def _written(self, call: Call, numbers: list[int]) -> list[dict[str, Any]]:
        user = call.app.user_id
        feeds = written.feeds_of(self._app.news.client_folders.all(), user)
        found = items_of(self._app, self._address, call, numbers, complete=True)
        return [written.entry(each, feeds, user) for each in found]


def _count(given: Parameters, name: str, usual: int) -> int:
    """Read a limit or an offset; what is no number is the usual one. Raises ``ApiError`` for a negative one."""
    text = given.first(name).strip()
    if text.startswith("-") and number(text[1:]):
        raise bad_request("offset and limit should be positive")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else usual
