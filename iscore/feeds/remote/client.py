"""A client of the Google Reader API of another server: FreshRSS, Miniflux or iScore.

    sign in ─► feeds, labels, numbers of items by stream, items ─► tags
    each request ─► pause since the last one ─► the server ─► answer within its limits, or a ``ReaderServerError``

Requests go only to the host and port that the user has named, so no redirect is followed. The address is allowed as
given, in a private network too unless the client is guarded. Messages contain no passwords or tokens. The client never
asks for a stream that may not exist, since FreshRSS then answers with everything. Nothing here decides.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Self
from urllib.parse import urlencode, urlsplit

import aiohttp
from yarl import URL

from iscore.feeds.errors import (
    NotAReaderServerError,
    ReaderServerBusyError,
    ReaderServerError,
    RequestRefusedError,
    SignInRefusedError,
)
from iscore.feeds.http.decompression import ACCEPT_ENCODING, Body, TooLargeError
from iscore.feeds.http.outcomes import NETWORK_ERRORS, explain, status_phrase
from iscore.feeds.http.private_networks import guarded_socket
from iscore.feeds.http.sessions import ThreadedResolver, host_and_port
from iscore.feeds.poll_settings import PollSettings
from iscore.feeds.remote import answers
from iscore.feeds.remote.answers import LABEL, FoundItem, long_id
from iscore.feeds.urls import check_url, without_password
from storage.records.connections import ReaderKind, RemoteFeed

API = "/reader/api/0/"
SIGN_IN = "/accounts/ClientLogin"
NUMBERS = 10_000
"""Items in one list."""
MOST_LISTS = 30
CONTENTS = 50
"""Items with contents in one answer. Even with 200 kB each they stay within the largest allowed document."""
EDITED = 100
"""Items whose tag is changed by one request."""
LONGEST_WAIT = timedelta(days=1)
"""Upper limit of the pauses that servers ask for."""
_BUSY = (429, 503)

Pairs = Sequence[tuple[str, str]]

_JSON = [("output", "json")]
_PASSWORDS = {
    ReaderKind.FRESHRSS: "FreshRSS wants the API password, which is set in its profile page",
    ReaderKind.MINIFLUX: "Miniflux wants the name and password of its integration Google Reader",
    ReaderKind.GREADER: "some servers have a password of its own for apps",
}


def api_address(kind: ReaderKind, url: str) -> str:
    """Return the base address of the API for the address that a user enters. Raises ``UrlError``."""
    parts = urlsplit(without_password(check_url(url)))
    path = parts.path.rstrip("/")
    path = path[: path.index(SIGN_IN)] if SIGN_IN in path else path
    if kind is ReaderKind.FRESHRSS and not path.endswith("/greader.php"):
        path += "/greader.php" if path.endswith("/api") else "/api/greader.php"
    return f"{parts.scheme}://{parts.netloc}{path}"


class ReaderClient:
    """One account of another server. Use as ``async with``, then ``sign_in``. All calls raise ``ReaderServerError``."""

    def __init__(
        self,
        kind: ReaderKind,
        address: str,
        settings: PollSettings,
        clock: Callable[[], datetime],
        *,
        guarded: bool = False,
    ) -> None:
        """``guarded``: whether the address must be public, unless the settings allow it."""
        self._kind = kind
        self._address = address
        self._http = HttpClient(address, settings, clock, guarded=guarded)
        self._signed: dict[str, str] = {}
        self._token = ""

    async def __aenter__(self) -> Self:
        await self._http.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._http.__aexit__(*error)

    async def sign_in(self, name: str, password: str) -> None:
        """Sign in. Raises ``SignInRefusedError``, ``NotAReaderServerError``."""
        try:
            answer = await self._http.post(SIGN_IN, [("Email", name), ("Passwd", password)])
        except SignInRefusedError as error:
            raise SignInRefusedError(
                f"{self._address} does not accept this name and password; {_PASSWORDS[self._kind]}"
            ) from error
        except RequestRefusedError as error:
            raise SignInRefusedError(f"{error}; is the name right, and the address?") from error
        except ReaderServerBusyError as error:
            if self._kind is ReaderKind.FRESHRSS and error.until is None:
                hint = "in FreshRSS, allow API access (Administration, Authentication)"
                raise ReaderServerBusyError(f"{error}; {hint}", None) from error
            raise
        self._signed = {"Authorization": f"GoogleLogin auth={answers.token(answer)}"}
        try:
            token = await self._http.get(f"{API}token", headers=self._signed)
        except RequestRefusedError:
            token = b""  # where the header is enough
        self._token = token[:1000].decode("ascii", "replace").strip()

    async def feeds(self) -> list[RemoteFeed]:
        """List the feeds that the user follows there."""
        return answers.feeds(await self._get("subscription/list"))

    async def labels(self) -> list[str]:
        """List the names of labels and folders."""
        return answers.labels(await self._get("tag/list"))

    async def numbers(self, stream: str, *, since: datetime | None = None, without: str = "") -> list[int]:
        """List the numbers of all items of a stream, newest first."""
        query = [("s", stream), ("n", str(NUMBERS))]
        query += [("ot", str(int(since.timestamp())))] if since else []
        query += [("xt", without)] if without else []
        found: dict[int, None] = {}
        following = ""
        for _ in range(MOST_LISTS):
            more, following = answers.item_numbers(
                await self._get("stream/items/ids", *query, *([("c", following)] if following else []))
            )
            found |= dict.fromkeys(more)
            if not following or not more:
                return list(found)
        raise ReaderServerError(f"{self._address}: a list has more than {MOST_LISTS * NUMBERS:,} items")

    async def label(self, name: str) -> list[int]:
        """List the numbers of the items with a label, which must exist."""
        return await self.numbers(f"{LABEL}{name}")

    async def items(self, numbers: Sequence[int], folders: Collection[str] = ()) -> list[FoundItem]:
        """Return at most ``CONTENTS`` items, without those that were deleted. ``folders``: see ``answers.items``."""
        form = [("i", long_id(each)) for each in numbers] + _JSON + [("T", self._token)]
        try:
            body = await self._http.post(f"{API}stream/items/contents", form, self._signed)
        except RequestRefusedError:
            if self._kind is ReaderKind.MINIFLUX:  # its answer when all items were deleted
                return []
            raise
        return answers.items(body, folders)

    async def set_tag(self, numbers: Sequence[int], stream: str, *, wanted: bool) -> None:
        """Add a tag to items, or remove it; items that are already so stay unchanged."""
        form = [("i", long_id(each)) for each in numbers]
        form += [("a" if wanted else "r", stream), ("ac", "edit"), ("T", self._token)]
        await self._http.post(f"{API}edit-tag", form, self._signed)

    async def delete_label(self, name: str) -> None:
        """Delete a label if it exists."""
        with suppress(RequestRefusedError):
            await self._http.post(f"{API}disable-tag", [("s", f"{LABEL}{name}"), ("T", self._token)], self._signed)

    async def _get(self, call: str, *query: tuple[str, str]) -> bytes:
        return await self._http.get(f"{API}{call}", [*query, *_JSON], self._signed)


class HttpClient:
    """Sends requests to one server, one at a time. Use as ``async with``, more than once if needed."""

    def __init__(
        self, address: str, settings: PollSettings, clock: Callable[[], datetime], *, guarded: bool = False
    ) -> None:
        """``address``: base of all paths. At most one request is sent in ``settings.host_spacing`` seconds.

        ``guarded``: whether the address must be public, unless the settings allow it.
        """
        self._address = address
        self._settings = settings
        self._clock = clock
        allowed = settings.allow_private_networks or host_and_port(address) in settings.private_hosts
        self._guarded = guarded and not allowed
        self._free_at = 0.0

    async def __aenter__(self) -> Self:
        self._resolver = ThreadedResolver(1)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                resolver=self._resolver, socket_factory=guarded_socket if self._guarded else None
            ),
            auto_decompress=False,  # it has no limit
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": self._settings.user_agent, "Accept-Encoding": ACCEPT_ENCODING},
            timeout=aiohttp.ClientTimeout(total=self._settings.fetch_timeout, sock_connect=None),
        )
        self._free_at = 0.0
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._session.close()
        await self._resolver.close()

    async def get(self, path: str, query: Pairs = (), headers: dict[str, str] | None = None) -> bytes:
        """Return the answer to a GET. Raises ``ReaderServerError``."""
        return await self._request("GET", path, query, None, headers)

    async def post(self, path: str, form: Pairs, headers: dict[str, str] | None = None) -> bytes:
        """Return the answer to a form. Raises ``ReaderServerError``."""
        return await self._request("POST", path, (), form, headers)

    async def _request(
        self, method: str, path: str, query: Pairs, form: Pairs | None, headers: dict[str, str] | None
    ) -> bytes:
        await self._pause()
        url = f"{self._address}{path}{f'?{urlencode(query)}' if query else ''}"
        given = dict(headers or {})
        if form is not None:
            given["Content-Type"] = "application/x-www-form-urlencoded"
        data = None if form is None else urlencode(form).encode()
        try:
            async with self._session.request(
                method, URL(url, encoded=True), data=data, headers=given, allow_redirects=False
            ) as response:
                self._check(response)
                return await self._body(response)
        except TooLargeError as error:
            raise ReaderServerError(f"{self._address}: the answer {error}") from error
        except TimeoutError as error:
            raise ReaderServerError(
                f"{self._address}: no answer within {self._settings.fetch_timeout:g} seconds"
            ) from error
        except NETWORK_ERRORS as error:
            raise ReaderServerError(f"{self._address}: {explain(error).reason}") from error
        finally:
            self._free_at = asyncio.get_running_loop().time() + self._settings.host_spacing

    async def _pause(self) -> None:
        await asyncio.sleep(max(self._free_at - asyncio.get_running_loop().time(), 0.0))

    async def _body(self, response: aiohttp.ClientResponse) -> bytes:
        body = Body(response.headers.get("Content-Encoding", ""), self._settings.max_body)
        async for piece in response.content.iter_any():
            body.add(piece)
        return body.finish()

    def _check(self, response: aiohttp.ClientResponse) -> None:
        """Raise the error for a status."""
        status = response.status
        if status < 300:
            return
        said = f"{self._address}: the server answered {status} {status_phrase(status)}".rstrip()
        if status < 400:
            place = URL(response.headers.get("Location", "")) if "Location" in response.headers else None
            host = f" to {place.scheme}://{place.authority}" if place is not None and place.host else ""
            raise NotAReaderServerError(
                f"{self._address} redirects{host}, which is not followed; connect to the address where it ends"
            )
        if status in _BUSY:
            until = _wait_until(response.headers.get("Retry-After", ""), self._clock())
            raise ReaderServerBusyError(said, until)
        if status in (401, 403):
            raise SignInRefusedError(said)
        if status in (404, 405, 501):
            raise NotAReaderServerError(f"{said}; there is no Google Reader API at this address")
        raise RequestRefusedError(said) if status < 500 else ReaderServerError(said)


def _wait_until(value: str, now: datetime) -> datetime | None:
    """Return the time of a Retry-After header, at most ``LONGEST_WAIT`` from now; None without a valid one."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return now + min(timedelta(seconds=int(value[:9])), LONGEST_WAIT)
    try:
        until = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    aware = until if until.tzinfo else until.replace(tzinfo=UTC)
    return min(max(aware, now), now + LONGEST_WAIT)
