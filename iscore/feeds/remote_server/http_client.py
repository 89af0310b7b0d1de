"""Requests to one server that the user has named: never to another host or port, so no redirect is followed.

    request ─► pause since the last one ─► the server ─► answer within its limits, or a ``ReaderServerError``

The address is allowed as it was given, in a private network too unless the client is guarded. Passwords and tokens are
in no message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from types import TracebackType
from typing import Self
from urllib.parse import urlencode

import aiohttp
from yarl import URL

from iscore.feeds.http.decompression import Body, TooLargeError
from iscore.feeds.http.network_errors import NETWORK_ERRORS, explain
from iscore.feeds.http.private_networks import guarded_socket
from iscore.feeds.http.resolver import ThreadedResolver
from iscore.feeds.http.sessions import host_and_port
from iscore.feeds.poll_settings import PollSettings
from iscore.feeds.remote_server.errors import (
    NotAReaderServerError,
    ReaderServerBusyError,
    ReaderServerError,
    RequestRefusedError,
    SignInRefusedError,
)

LONGEST_WAIT = timedelta(days=1)
"""Nobody is waited for longer, whatever they ask."""
_BUSY = (429, 503)

Pairs = Sequence[tuple[str, str]]


class HttpClient:
    """Asks one server, one request at a time. Use as ``async with``, again and again if need be."""

    def __init__(
        self, address: str, settings: PollSettings, clock: Callable[[], datetime], *, guarded: bool = False
    ) -> None:
        """``address``: where all paths begin. At most one request is sent in ``settings.host_spacing`` seconds.

        ``guarded``: whether the address has to be public, unless the settings allow it.
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
            headers={"User-Agent": self._settings.user_agent, "Accept-Encoding": "gzip, deflate"},
            timeout=aiohttp.ClientTimeout(total=self._settings.fetch_timeout, sock_connect=None),
        )
        self._free_at = 0.0
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
        """Raise the error that a status means."""
        status = response.status
        if status < 300:
            return
        said = f"{self._address}: the server answered {status} {_phrase(status)}".rstrip()
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


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _wait_until(value: str, now: datetime) -> datetime | None:
    """Return the time that a Retry-After header means, at most ``LONGEST_WAIT`` away; None for none."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return now + min(timedelta(seconds=int(value[:9])), LONGEST_WAIT)
    try:
        until = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    aware = until if until.tzinfo else until.replace(tzinfo=UTC)
    return min(max(aware, now), now + LONGEST_WAIT)
