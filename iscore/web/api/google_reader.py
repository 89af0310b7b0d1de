"""The Google Reader API, as FreshRSS, Miniflux, The Old Reader and others speak it.

    accounts/ClientLogin ─► token ─► reader/api/0/…: what to read, and what was read

A story is one item, and its feed that of its leading article. Recommended and explored stories are unread, hidden ones
are read; ``google_reader_names`` has the labels that say more, and ``services.client_apps`` what marks mean.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from iscore.core.errors import LabelError
from iscore.web.api import google_reader_items as written
from iscore.web.api.google_reader_feeds import FeedCalls
from iscore.web.api.google_reader_names import FEED, LABEL, STATE, bound, item_number, moment, stream
from iscore.web.api.personal_feeds import items_of
from iscore.web.api.requests import LONGEST_NUMBER, Call, Parameters, bad_request, ok, parameters_of, route
from iscore.web.context import AppContext
from iscore.web.request_log import Route
from iscore.web.security.app_access import AppAccess
from iscore.web.threads import MOST_AT_ONCE
from storage.records.users import AppPassword
from storage.stories.client_items import ItemFilter, Stream
from storage.stories.places import read_place

MOST_NUMBERS = 20_000
"""Ids in one answer; apps that ask for more get a continuation."""
MOST_ITEMS = 2500
"""Items with contents in one answer: one app asks for that many, and for no more after them."""
MOST_ENTRIES = 1000
"""The same in an Atom feed, which is in memory as a whole, and of those that are asked for by their ids."""
PIECE = 50
"""Items that are in memory at a time."""
USUAL_NUMBER = 20
"""Items where an app does not say how many."""
API = "/reader/api/0/"
CONTENTS = f"{API}stream/contents"


class BadParameterError(ValueError):
    """A parameter cannot be understood."""


class GoogleReader:
    """The calls of the API."""

    def __init__(self, app: AppContext, access: AppAccess, address: str) -> None:
        """``address``: the public URL of the server, or empty."""
        self._app = app
        self._address = address
        self._access = access
        self._feeds = FeedCalls(app, address)

    def routes(self) -> list[Route]:
        """Return the routes of those who have signed in."""
        page, change = self._app.threads.page, self._app.threads.verdict
        return [
            route(f"{API}token", self._token, page),
            route(f"{API}user-info", self._user_info, page),
            route(f"{API}preference/list", lambda _: JSONResponse({"prefs": []}), page),
            route(f"{API}preference/stream/list", lambda _: JSONResponse({"streamprefs": {}}), page),
            route(f"{API}tag/list", self._tags, page),
            route(f"{API}unread-count", self._unread_counts, page),
            route(f"{API}stream/items/ids", self._ids, page),
            route(f"{API}stream/items/contents", self._items, page),
            route(CONTENTS, self._contents, page),
            route(CONTENTS + "/{stream:text}", self._contents, page),
            route("/reader/atom/{stream:text}", self._atom, page),
            route(f"{API}edit-tag", self._edit, change, "POST"),
            route(f"{API}mark-all-as-read", self._mark_all_read, change, "POST"),
            *self._feeds.routes(API),
        ]

    async def app_of(self, request: Request, given: Parameters) -> AppPassword | None:
        """Return the app that sends a request.

        The token is in the header ``Authorization``, or in the field ``T`` of a form: apps that send one often send the
        other empty.
        """
        token = request.headers.get("authorization", "").partition("auth=")[2].strip()
        if not token and request.method == "POST":
            token = given.first("T").strip()
        return await self._access.app_of(token)

    def unauthorized(self, _: Request) -> Response:
        """Answer an app that has not signed in, or whose password was revoked."""
        return PlainTextResponse("Unauthorized\n", 401, {"google-bad-token": "true"})

    async def sign_in(self, request: Request) -> Response:
        """Answer ``accounts/ClientLogin``: a token for the name of a user and the password of an app."""
        try:
            given = parameters_of(request, await self._app.bodies.small(request))
        except ValueError as error:
            return bad_request(str(error))
        wait, token = await self._access.sign_in(request, given.first("Email"), given.first("Passwd"))
        if wait:
            return PlainTextResponse("Error=TooManyAttempts\n", 429, {"retry-after": str(wait)})
        if not token:
            return PlainTextResponse("Error=BadAuthentication\n", 401)
        if given.first("output") == "json":
            return JSONResponse({"SID": token, "LSID": "null", "Auth": token})
        # Each line has one "=" and something behind it, or some apps stop reading.
        return PlainTextResponse(f"SID={token}\nLSID=null\nAuth={token}\n")

    def _token(self, call: Call) -> Response:
        """Answer with what forms have in ``T``: the same token."""
        return PlainTextResponse(self._access.token_of(call.app))

    def _user_info(self, call: Call) -> Response:
        user = self._app.news.context.user
        number = str(call.app.user_id)
        return JSONResponse({"userId": number, "userName": user.name, "userProfileId": number, "userEmail": user.name})

    def _tags(self, _: Call) -> Response:
        return _json(written.tags(self._app.news.client_folders.names(), self._app.news.client_apps.labels()))

    def _unread_counts(self, call: Call) -> Response:
        apps = self._app.news.client_apps
        return _json(written.unread_counts(apps.unread_counts(call.options), apps.feeds()))

    def _ids(self, call: Call) -> Response:
        try:
            numbers, continuation = self._numbers(
                call, call.parameters.first("s", f"{STATE}reading-list"), MOST_NUMBERS
            )
        except BadParameterError as error:
            return bad_request(str(error))
        return _json(written.item_refs(numbers, continuation))

    def _items(self, call: Call) -> Response:
        numbers = [item_number(each) for each in call.parameters.all("i")]
        if len(numbers) > MOST_ENTRIES:
            return bad_request(f"at most {MOST_ENTRIES} items at once")
        return self._streamed(call, f"{STATE}reading-list", numbers)

    def _contents(self, call: Call) -> Response:
        name = _stream_name(call)
        try:
            numbers, continuation = self._numbers(call, name, MOST_ITEMS)
        except BadParameterError as error:
            return bad_request(str(error))
        return self._streamed(call, name, numbers, continuation)

    def _streamed(self, call: Call, name: str, numbers: list[int], continuation: str = "") -> Response:
        """Answer with items piece by piece, so that neither their number nor their length fills the memory."""
        app, address = self._app, self._address
        parts = (numbers[at : at + PIECE] for at in range(0, len(numbers), PIECE))
        pieces = (items_of(app, address, call, part) for part in parts)
        document = written.items(pieces, name, app.clock(), continuation)
        first = next(document)  # what cannot be read is an error of the whole answer

        async def body() -> AsyncIterator[bytes]:
            part: bytes | None = first
            while part is not None:
                yield part
                part = await app.threads.page(next, document, None)

        return StreamingResponse(body(), media_type="application/json")

    def _atom(self, call: Call) -> Response:
        name = _stream_name(call)
        try:
            numbers, continuation = self._numbers(call, name, MOST_ENTRIES)
        except BadParameterError as error:
            return bad_request(str(error))
        found = items_of(self._app, self._address, call, numbers)
        names = {f"{FEED}{each.number}": each.name for each in self._app.news.client_apps.feeds()}
        title = names.get(name) or name.removeprefix(LABEL).removeprefix(STATE)
        document = written.atom_feed(found, name, title, self._app.clock(), continuation)
        return Response(document, media_type="application/atom+xml")

    def _numbers(self, call: Call, name: str, most: int) -> tuple[list[int], str]:
        """Return the numbers of a stream's items that a call asks for, and the continuation; empty at the end."""
        given = call.parameters
        wanted = ItemFilter(
            self._stream(call, name),
            only=tuple(self._stream(call, each) for each in given.all("it") if each),
            without=tuple(self._stream(call, each) for each in given.all("xt") if each),
            since=moment(given.first("ot")),
            before=moment(given.first("nt")),
        )
        count, place = given.first("n"), given.first("c")
        after = read_place(place.strip())
        if after is None and place.strip(" 0"):
            raise BadParameterError("c is not what an answer said")
        limit = min(int(count[:LONGEST_NUMBER]), most) if count.isascii() and count.isdigit() else USUAL_NUMBER
        oldest_first = given.first("r") == "o"
        found = self._app.news.client_apps.places(
            call.options, wanted, after=after, limit=limit + 1, oldest_first=oldest_first
        )
        listed = found[:limit]
        return [each.seq for each in listed], str(listed[-1]) if len(found) > limit and listed else ""

    def _edit(self, call: Call) -> Response:
        """Put items into streams, and take them out of others. Some apps write ``ac=edit``, others ``edit-tags``.

        A label without items is a folder that an app makes, to put feeds into later.
        """
        given = call.parameters
        try:
            add = [self._stream(call, each) for each in given.all("a") if each]
            remove = [self._stream(call, each) for each in given.all("r") if each]
            numbers = [item_number(each) for each in given.all("i")]
            if "i" not in given:
                for each in add[:MOST_AT_ONCE]:
                    self._app.news.client_folders.make(each.label)
            if self._app.news.client_apps.edit(call.options, numbers, add, remove):
                self._app.worker.learn()
        except (BadParameterError, LabelError) as error:
            return bad_request(str(error))
        return ok()

    def _mark_all_read(self, call: Call) -> Response:
        try:
            wanted = self._stream(call, call.parameters.first("s"))
            seen = bound(call.parameters.first("ts"))  # the newest item that the app has
        except ValueError as error:
            return bad_request(str(error))
        self._app.news.client_apps.mark_all_read(call.options, wanted, seen and seen + timedelta(microseconds=1))
        return ok()

    def _stream(self, call: Call, name: str) -> Stream:
        found = stream(name, call.options, self._feeds.number)
        if found is None:
            raise BadParameterError(f"there is no stream {name[:200]!r}")
        return found


def _stream_name(call: Call) -> str:
    return call.request.path_params.get("stream") or call.parameters.first("s", f"{STATE}reading-list")


def _json(document: bytes) -> Response:
    return Response(document, media_type="application/json")
