"""Asking for one document, politely and with limits on everything that a stranger could make large or long.

    address ─► allowed? ─► turn at its host ─► request ─► redirect? ─► the same again, at most ten times
                                                    └───► document within its limits, "not modified", or why not

This decides nothing about when to ask, and stores nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from types import TracebackType
from typing import Self
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

import aiohttp
from aiohttp.abc import AbstractResolver
from multidict import CIMultiDictProxy
from yarl import URL

from iscore.feeds.errors import AddressError
from iscore.feeds.http.address import check_url, guarded_socket, origin
from iscore.feeds.http.decompression import Body, TooLargeError
from iscore.feeds.http.host_rate_limit import HostGate
from iscore.feeds.http.media_types import FEED, Wanted, media_type
from iscore.feeds.http.network_errors import NETWORK_ERRORS, explain
from iscore.feeds.http.outcomes import FailureKind, Fetched, FetchFailed, Freshness
from iscore.feeds.http.resolver import ThreadedResolver
from iscore.feeds.page_jobs import Permission
from iscore.feeds.poll_settings import PollSettings

MAX_HOPS = 10
"""Redirects followed for one document."""
LARGER_BODIES = ((100_000, 64), (1_000_000, 6))
"""Bytes, and how many bodies at once may have more, so that memory stays bounded however many fetches there are. Most
that are open at the same time only wait: for slow servers, and on those nobody else should have to wait."""

_PERMANENT = frozenset((301, 308))
_SILENT = frozenset((FailureKind.TIMEOUT, FailureKind.UNREACHABLE))
_REDIRECTS = frozenset((301, 302, 303, 307, 308))

Permit = Callable[[str], Awaitable[Permission]]
"""Says of an address whether, and after what pause, it may be asked for."""


@dataclass(frozen=True, slots=True)
class _Ask:
    """What stays the same along a chain of redirects."""

    conditions: dict[str, str]
    wanted: Wanted
    permit: Permit | None


@dataclass(frozen=True, slots=True)
class _Redirect:
    target: str
    permanent: bool


class _Hold:
    """The room in memory that one fetch takes up until its body has been worked off."""

    def __init__(self, slots: asyncio.Semaphore, larger: Sequence[tuple[int, asyncio.Semaphore]]) -> None:
        """``larger``: sizes in bytes and who may have more, the smallest first."""
        self._slots, self._larger = slots, larger
        self._held: list[asyncio.Semaphore] = []

    async def take(self) -> None:
        await self._slots.acquire()
        self._held.append(self._slots)

    async def grow(self, size: int, deadline: asyncio.Timeout) -> None:
        """Ask for the room of a body of this size; waiting for it does not count against the deadline."""
        for limit, places in self._larger:
            if size <= limit or places in self._held:
                continue
            loop, when = asyncio.get_running_loop(), deadline.when()
            began = loop.time()
            deadline.reschedule(None)
            await places.acquire()
            self._held.append(places)
            deadline.reschedule(None if when is None else when + loop.time() - began)

    def close(self) -> None:
        while self._held:
            self._held.pop().release()


class Fetcher:
    """Everything that one round of fetching shares. Use as ``async with Fetcher(settings) as fetcher``."""

    def __init__(self, settings: PollSettings, *, resolver: AbstractResolver | None = None) -> None:
        self._settings = settings
        self._resolver = resolver

    async def __aenter__(self) -> Self:
        settings = self._settings
        self._loop = asyncio.get_running_loop()
        self._gate = HostGate(settings.host_spacing, self._loop.time() + settings.round_timeout)
        self._slots = asyncio.Semaphore(settings.fetch_at_once)
        self._larger = tuple((size, asyncio.Semaphore(count)) for size, count in LARGER_BODIES)
        connector = aiohttp.TCPConnector(
            limit=0,  # the slots are the limit
            force_close=True,  # a feed is one request; idle connections to 2,000 hosts would use up the files
            resolver=self._resolver or ThreadedResolver(settings.fetch_at_once),
            socket_factory=None if settings.allow_private_networks else guarded_socket,
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            auto_decompress=False,  # its limits are not ours; see content_coding
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={
                "User-Agent": settings.user_agent,
                "Accept-Encoding": "gzip, deflate",
            },
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),  # one deadline, set below
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    @asynccontextmanager
    async def fetch(
        self,
        url: str,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        wanted: Wanted = FEED,
        permit: Permit | None = None,
    ) -> AsyncIterator[Fetched | FetchFailed]:
        """Ask for ``url``; the block gets the outcome and should work off the body before it ends.

        ``etag`` and ``last_modified`` are those of the last answer, unchanged. ``permit`` is asked before each
        request, redirects included. At most ``settings.fetch_at_once`` blocks run at the same time. Raises
        nothing for a cause that lies in the network or in the address.
        """
        hold = _Hold(self._slots, self._larger)
        try:
            yield await self._follow(url, _Ask(_conditions(etag, last_modified), wanted, permit), hold)
        finally:
            hold.close()

    async def _follow(self, url: str, ask: _Ask, hold: _Hold) -> Fetched | FetchFailed:
        remaining = self._settings.fetch_timeout
        permanent = True
        visited: set[str] = set()
        while True:
            outcome, seconds = await self._turn(url, ask, remaining, hold)
            if isinstance(outcome, FetchFailed):
                return outcome
            if isinstance(outcome, Fetched):
                return replace(outcome, moved_to=outcome.final_url) if visited and permanent else outcome
            visited.add(url)
            permanent = permanent and outcome.permanent
            remaining -= seconds
            url = outcome.target
            if url in visited:
                return FetchFailed(FailureKind.REFUSED, "its redirects go in a circle")
            if len(visited) > MAX_HOPS:
                return FetchFailed(FailureKind.REFUSED, f"it is redirected more than {MAX_HOPS} times")

    async def _turn(
        self, url: str, ask: _Ask, remaining: float, hold: _Hold
    ) -> tuple[Fetched | FetchFailed | _Redirect, float]:
        """One request when its host is free; and the seconds that it took, waiting not counted."""
        try:
            host = urlsplit(check_url(url)).hostname or ""
        except AddressError as error:
            return explain(error), 0.0
        permission = await ask.permit(url) if ask.permit is not None else Permission()
        if permission.refusal:
            return FetchFailed(FailureKind.REFUSED, permission.refusal), 0.0
        if not await self._gate.enter(host, permission.delay):
            return FetchFailed(FailureKind.POSTPONED, "not asked in this round; the next will try again"), 0.0
        outcome: Fetched | FetchFailed | _Redirect | None = None
        try:
            await hold.take()
            began = self._loop.time()
            outcome = await self._hop(url, ask, remaining, hold)
            return outcome, self._loop.time() - began
        finally:
            # A redirect gives up its room before it waits for another host, else waiting could go in a
            # circle.
            if not isinstance(outcome, Fetched):
                hold.close()
            silent = isinstance(outcome, FetchFailed) and outcome.kind in _SILENT
            self._gate.leave(host, answered=not silent)

    async def _hop(self, url: str, ask: _Ask, remaining: float, hold: _Hold) -> Fetched | FetchFailed | _Redirect:
        """One request, at most ``remaining`` seconds long."""
        try:
            async with asyncio.timeout(remaining) as deadline:
                # As written if it can be: re-quoting would break addresses that are signed.
                address = URL(url, encoded=url.isascii())
                headers = ask.conditions | {"Accept": ask.wanted.accept}
                async with self._session.get(address, headers=headers, allow_redirects=False) as response:
                    return await self._answer(url, response, ask, hold, deadline)
        except TimeoutError:
            return FetchFailed(FailureKind.TIMEOUT, f"no answer within {self._settings.fetch_timeout:g} seconds")
        except NETWORK_ERRORS as error:
            return explain(error)

    async def _answer(
        self, url: str, response: aiohttp.ClientResponse, ask: _Ask, hold: _Hold, deadline: asyncio.Timeout
    ) -> Fetched | FetchFailed | _Redirect:
        if response.status in _REDIRECTS and "Location" in response.headers:
            target = _target(url, response.headers["Location"])
            return _Redirect(target, response.status in _PERMANENT)
        if response.status == 304 and ask.conditions:
            return _fetched(url, response.headers, None)
        if response.status not in (200, 203, 226):
            return _refusal(response)
        kind = media_type(response.headers.get("Content-Type", ""))
        if ask.wanted.types and kind not in ask.wanted.types:
            return FetchFailed(FailureKind.UNREADABLE, f"it is no page but {_shown(kind) or 'of unknown kind'}")
        return _fetched(url, response.headers, await self._body(response, ask.wanted, hold, deadline))

    async def _body(
        self, response: aiohttp.ClientResponse, wanted: Wanted, hold: _Hold, deadline: asyncio.Timeout
    ) -> bytes:
        limit = min(self._settings.max_body, wanted.largest or self._settings.max_body)
        if (response.content_length or 0) > limit and not wanted.cut:
            raise TooLargeError(limit)
        body = Body(response.headers.get("Content-Encoding", ""), limit)
        try:
            async for piece in response.content.iter_any():
                body.add(piece)
                await hold.grow(body.size, deadline)
        except TooLargeError:
            if not wanted.cut:
                raise
            return body.beginning()
        return body.finish()


def _conditions(etag: str | None, last_modified: str | None) -> dict[str, str]:
    """Headers that ask for news only. Both validators go back as they came; one that is no UTF-8 cannot, and
    is left out."""
    conditions = {}
    for name, value in (("If-None-Match", etag), ("If-Modified-Since", last_modified)):
        if value:
            try:
                conditions[name] = value if value.isascii() else value.encode("latin-1").decode()
            except UnicodeError:
                continue
    return conditions


def _as_received(headers: CIMultiDictProxy[str], name: str) -> str | None:
    value = headers.get(name)
    if value is None or value.isascii():
        return value
    return value.encode("utf-8", "surrogateescape").decode("latin-1")


def _fetched(url: str, headers: CIMultiDictProxy[str], body: bytes | None) -> Fetched:
    return Fetched(
        body=body,
        content_type=headers.get("Content-Type", ""),
        etag=_as_received(headers, "ETag"),
        last_modified=_as_received(headers, "Last-Modified"),
        freshness=Freshness(
            headers.get("Cache-Control", ""),
            headers.get("Age", ""),
            headers.get("Expires", ""),
            headers.get("Date", ""),
        ),
        final_url=url,
        moved_to="",
    )


def _refusal(response: aiohttp.ClientResponse) -> FetchFailed:
    return FetchFailed(
        FailureKind.STATUS,
        f"the server answers {response.status} {_meaning(response.status)}".rstrip(),
        status=response.status,
        retry_after=response.headers.get("Retry-After", ""),
    )


def _meaning(status: int) -> str:
    """What a status means by the standard. The server's own words are not asked: it may repeat a password in them."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _shown(foreign: str) -> str:
    return "".join(c for c in foreign[:60] if c.isprintable())


def _target(url: str, location: str) -> str:
    """Where a redirect leads. Bytes that no address may hold are quoted, as browsers do; a password goes back
    only to the server that it is for."""
    raw = location.strip().encode("utf-8", "surrogateescape")
    try:
        target = urljoin(url, quote(raw, safe="%!#$&'()*+,/:;=?@[]~\\|^`{}\"<>"))
    except ValueError as error:
        raise AddressError("", "cannot be understood") from error
    login = urlsplit(url).netloc.rpartition("@")[0]
    parts = urlsplit(target)
    if login and "@" not in parts.netloc and origin(target) == origin(url):
        target = urlunsplit(parts._replace(netloc=f"{login}@{parts.netloc}"))
    return target
