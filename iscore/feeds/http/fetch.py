"""Fetches one document, politely and with limits on everything that a stranger could make large or long.

    URL ─► allowed? ─► wait for the host ─► request ─► redirect? ─► the same again, at most ten times
                                                 └───► document within its limits, "not modified", or why not

This does not decide when to fetch, and stores nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Self
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

import aiohttp
from aiohttp.abc import AbstractResolver
from multidict import CIMultiDictProxy
from yarl import URL

from iscore.feeds.deadline import Deadline
from iscore.feeds.errors import UrlError
from iscore.feeds.http.challenges import challenge, challenge_of
from iscore.feeds.http.decompression import Body, TooLargeError
from iscore.feeds.http.host_rate_limit import HostRateLimit
from iscore.feeds.http.outcomes import (
    MAX_LINKS,
    NETWORK_ERRORS,
    FailureKind,
    Fetched,
    FetchFailed,
    Freshness,
    explain,
    status_phrase,
)
from iscore.feeds.http.sessions import Contact, host_and_port, new_session
from iscore.feeds.parsing.jobs import Permission
from iscore.feeds.poll_settings import PollSettings
from iscore.feeds.urls import check_url, origin
from storage.stream.addresses import login_of

MAX_REDIRECTS = 10
LARGER_BODIES = ((100_000, 64), (1_000_000, 6))
"""Sizes in bytes, and how many bodies may be larger at the same time. This bounds the memory of any number of fetches.
Most fetches only wait for slow servers, and need not share such a limit."""

_PERMANENT = frozenset((301, 308))
_UNANSWERED = frozenset((FailureKind.TIMEOUT, FailureKind.UNREACHABLE))
_REDIRECTS = frozenset((301, 302, 303, 307, 308))

Permit = Callable[[str], Awaitable[Permission]]
"""Tells whether a URL may be fetched, and after what pause."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """What is accepted as one kind of document."""

    header: str
    """The Accept header."""
    types: frozenset[str] = frozenset()
    """Accepted media types; empty accepts all, and answers without one."""
    max_size: int | None = None
    """Bytes of the decoded document, if that is less than the settings allow."""
    truncate: bool = False
    """Whether a larger document is truncated instead of being an error."""


FEED = Accepted(
    "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml;q=0.9, "
    "application/xml;q=0.8, text/xml;q=0.8, */*;q=0.5"
)
PAGE = Accepted(
    "text/html, application/xhtml+xml;q=0.9",
    frozenset({"text/html", "application/xhtml+xml"}),
    5_000_000,  # the longest articles' pages have about 3 MB, mostly scripts
)
FEED_OR_PAGE = Accepted(
    "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml;q=0.9, "
    "text/html;q=0.9, application/xhtml+xml;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.5"
)
"""For a URL that the user enters, which may be either."""
ROBOTS = Accepted("text/plain, */*;q=0.5", max_size=512_000, truncate=True)
"""RFC 9309, section 2.5: at least the first 500 KiB must be read; the rest is ignored."""


@dataclass(frozen=True, slots=True)
class _Request:
    """The part of a request that stays the same along a chain of redirects."""

    conditions: dict[str, str]
    accepted: Accepted
    permit: Permit | None
    deadline: Deadline
    """Of all requests together; waiting for a host or for memory does not count."""
    memory: _Memory
    failed_before: bool


@dataclass(frozen=True, slots=True)
class _Redirect:
    target: str
    permanent: bool
    sets_cookie: bool


class _Memory:
    """The memory that one fetch holds until its body has been used."""

    def __init__(self, slots: asyncio.Semaphore, larger: Sequence[tuple[int, asyncio.Semaphore]]) -> None:
        """``larger``: sizes in bytes and the slots for larger bodies, the smallest first."""
        self._slots, self._larger = slots, larger
        self._held: list[asyncio.Semaphore] = []

    async def take(self) -> None:
        await self._slots.acquire()
        self._held.append(self._slots)

    async def grow(self, size: int, deadline: Deadline) -> None:
        """Wait for memory for a body of this size."""
        for limit, slots in self._larger:
            if size > limit and slots not in self._held:
                with deadline.paused():
                    await slots.acquire()
                self._held.append(slots)

    def free(self) -> None:
        while self._held:
            self._held.pop().release()


class Fetcher:
    """What the fetches of one poll share. Use as ``async with Fetcher(settings) as fetcher``.

    ``may_ask``: whether hosts may still be asked; once it is false, fetches are postponed.
    """

    def __init__(
        self,
        settings: PollSettings,
        *,
        resolver: AbstractResolver | None = None,
        may_ask: Callable[[], bool] = lambda: True,
    ) -> None:
        self._settings = settings
        self._resolver = resolver
        self._may_ask = may_ask

    async def __aenter__(self) -> Self:
        settings = self._settings
        closes_at = asyncio.get_running_loop().time() + settings.start_timeout
        self._hosts = HostRateLimit(settings.host_spacing, closes_at, self._may_ask)
        self._slots = asyncio.Semaphore(settings.fetch_at_once)
        self._larger = tuple((size, asyncio.Semaphore(count)) for size, count in LARGER_BODIES)
        self._session = new_session(settings, self._resolver, guarded=not settings.allow_private_networks)
        self._inside = new_session(settings, self._resolver, guarded=False) if settings.private_hosts else None
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._session.close()
        if self._inside is not None:
            await self._inside.close()

    @asynccontextmanager
    async def fetch(
        self,
        url: str,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        accepted: Accepted = FEED,
        permit: Permit | None = None,
        failed_before: bool = False,
    ) -> AsyncIterator[Fetched | FetchFailed]:
        """Fetch ``url``. The block gets the outcome, and may use the body until it ends.

        ``etag`` and ``last_modified`` are those of the last answer, unchanged. ``permit`` is asked before each
        request, redirects included. ``failed_before``: the last fetch of ``url`` failed, so it is left to the next poll
        if the host is silent. At most ``settings.fetch_at_once`` blocks run at the same time. Problems of the network
        or the URL raise nothing.
        """
        memory = _Memory(self._slots, self._larger)
        deadline = Deadline(self._settings.fetch_timeout)
        request = _Request(_conditions(etag, last_modified), accepted, permit, deadline, memory, failed_before)
        try:
            yield await self._follow(url, request)
        finally:
            memory.free()

    async def _follow(self, url: str, request: _Request) -> Fetched | FetchFailed:
        permanent = True
        visited: set[str] = set()
        cookies = False
        while True:
            outcome = await self._when_free(url, request)
            if isinstance(outcome, FetchFailed):
                return outcome
            if isinstance(outcome, Fetched):
                return replace(outcome, moved_to=outcome.final_url) if visited and permanent else outcome
            visited.add(url)
            permanent = permanent and outcome.permanent
            cookies = cookies or outcome.sets_cookie
            url = outcome.target
            if url in visited:
                reason = "its redirects form a loop"
                if cookies:
                    reason = "its redirects form a loop; the site wants cookies, which iScore does not keep"
                return FetchFailed(FailureKind.REFUSED, reason)
            if len(visited) > MAX_REDIRECTS:
                return FetchFailed(FailureKind.REFUSED, f"it redirects more than {MAX_REDIRECTS} times")

    async def _when_free(self, url: str, request: _Request) -> Fetched | FetchFailed | _Redirect:
        """Make one request when its host is free."""
        try:
            host = urlsplit(check_url(url)).hostname or ""
        except UrlError as error:
            return explain(error)
        permission = await request.permit(url) if request.permit is not None else Permission()
        if permission.refusal:
            return FetchFailed(FailureKind.REFUSED, permission.refusal)
        login, failed_before = login_of(url), request.failed_before
        if not await self._hosts.acquire(host, permission.delay, failed_before=failed_before, login=login):
            return FetchFailed(FailureKind.POSTPONED, "not requested in this poll; the next one will")
        outcome: Fetched | FetchFailed | _Redirect | None = None
        contact = Contact()
        try:
            await request.memory.take()
            outcome = await self._send(url, request, contact)
            return outcome
        finally:
            # A redirect frees its memory before it waits for another host: otherwise fetches could wait for each other.
            if not isinstance(outcome, Fetched):
                request.memory.free()
            answered = not (isinstance(outcome, FetchFailed) and outcome.kind in _UNANSWERED)
            paused = login if isinstance(outcome, FetchFailed) and outcome.wants_pause else None
            self._hosts.release(host, connected=answered or contact.connected, answered=answered, paused=paused)

    async def _send(self, url: str, request: _Request, contact: Contact) -> Fetched | FetchFailed | _Redirect:
        try:
            async with request.deadline.running():
                # Unchanged if possible: re-quoting would break signed URLs.
                target = URL(url, encoded=url.isascii())
                headers = request.conditions | {"Accept": request.accepted.header}
                known = self._inside if host_and_port(url) in self._settings.private_hosts else None
                sent = (known or self._session).get(
                    target, headers=headers, allow_redirects=False, trace_request_ctx=contact
                )
                async with sent as response:
                    return await self._answer(url, response, request)
        except TimeoutError as error:
            unconnected = isinstance(error, aiohttp.ConnectionTimeoutError)
            seconds = (unconnected and self._settings.connect_timeout) or self._settings.fetch_timeout
            return FetchFailed(FailureKind.TIMEOUT, f"no response within {seconds:g} seconds")
        except NETWORK_ERRORS as error:
            return explain(error)

    async def _answer(
        self, url: str, response: aiohttp.ClientResponse, request: _Request
    ) -> Fetched | FetchFailed | _Redirect:
        if response.status in _REDIRECTS and "Location" in response.headers:
            target = _target(url, response.headers["Location"])
            return _Redirect(target, response.status in _PERMANENT, "Set-Cookie" in response.headers)
        if response.status == 304 and request.conditions:
            return _fetched(url, response.headers, None)
        if response.status not in (200, 203, 226):
            return _refusal(response, await challenge_of(response))
        kind = media_type(response.headers.get("Content-Type", ""))
        if request.accepted.types and kind not in request.accepted.types:
            return FetchFailed(
                FailureKind.UNREADABLE, f"it is not a web page but {_printable(kind) or 'of unknown kind'}"
            )
        body = await self._body(response, request)
        if not request.accepted.types and (service := challenge(response.headers, body)):
            return _refusal(response, service)
        return _fetched(url, response.headers, body)

    async def _body(self, response: aiohttp.ClientResponse, request: _Request) -> bytes:
        accepted = request.accepted
        limit = min(self._settings.max_body, accepted.max_size or self._settings.max_body)
        if (response.content_length or 0) > limit and not accepted.truncate:
            raise TooLargeError(limit)
        body = Body(response.headers.get("Content-Encoding", ""), limit)
        try:
            async for piece in response.content.iter_any():
                body.add(piece)
                await request.memory.grow(body.size, request.deadline)
        except TooLargeError:
            if not accepted.truncate:
                raise
            return body.beginning()
        return body.finish()


def _conditions(etag: str | None, last_modified: str | None) -> dict[str, str]:
    """Return the headers of a conditional request. Validators are sent back unchanged; those that are not UTF-8 cannot
    be, and are left out."""
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
        links=", ".join(headers.getall("Link", ()))[:MAX_LINKS],
    )


def _refusal(response: aiohttp.ClientResponse, service: str) -> FetchFailed:
    """Return why there is no document; ``service`` is what ``challenge`` found."""
    reason = f"the server answered {response.status} {status_phrase(response.status)}".rstrip()
    if response.status == HTTPStatus.PARTIAL_CONTENT:
        reason = "the server sent a part of the document (206) though all of it was asked for"
    if service:
        reason = (
            f"the site answered with a check that only browsers pass ({service}, status {response.status}"
            "); ask its publisher to let feed readers in"
        )
    return FetchFailed(
        FailureKind.STATUS,
        reason,
        status=response.status,
        retry_after=response.headers.get("Retry-After", ""),
    )


def _printable(foreign: str) -> str:
    return "".join(c for c in foreign[:60] if c.isprintable())


def _target(url: str, location: str) -> str:
    """Return the URL that a redirect leads to. Bytes that are not allowed in a URL are quoted, as browsers do. A
    password is sent only to its own server."""
    raw = location.strip().encode("utf-8", "surrogateescape")
    try:
        target = urljoin(url, quote(raw, safe="%!#$&'()*+,/:;=?@[]~\\|^`{}\"<>"))
    except ValueError as error:
        raise UrlError("", "cannot be understood") from error
    login = urlsplit(url).netloc.rpartition("@")[0]
    parts = urlsplit(target)
    if login and "@" not in parts.netloc and origin(target) == origin(url):
        target = urlunsplit(parts._replace(netloc=f"{login}@{parts.netloc}"))
    return target


def media_type(content_type: str) -> str:
    """Return the media type of a Content-Type header: ``text/html`` of ``Text/HTML; charset=utf-8``."""
    return content_type.partition(";")[0].strip().lower()
