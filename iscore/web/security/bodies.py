"""Bodies of requests: how large they may be, how slow, and how many at a time.

    anybody            16 kB in 10 seconds
    who has signed in  an upload, or a large request of a client app: a place for each user

Nothing large is received before it is known who sends it, so strangers can neither fill the memory nor take the places
of users.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from weakref import WeakValueDictionary

from starlette.requests import ClientDisconnect, Request

from iscore.core.translation import gettext

SMALL = 16_384
"""Bytes. The largest form without a file has a few hundred."""
SMALL_SECONDS = 10.0
LARGEST_UPLOAD = 4_000_000
"""Bytes of a form with a file; the OPML of 10,000 feeds has about 3 MB."""
LARGEST_IMPORT = 20_000_000
"""Bytes of a form with what another program exported: 10,000 starred articles with their texts have about this."""
LARGEST_OF_APPS = 1_000_000
"""Bytes of a client app's request: it may name a thousand items, or every feed."""
UPLOAD_SECONDS = 60.0
"""Seconds in which a body of ``LARGEST_UPLOAD`` has to come; larger ones may take longer."""
IDLE_SECONDS = 10.0
"""Between two pieces of a large body."""
AT_A_TIME = 16
"""Large bodies that are received at a time, of all users together."""
MOST_DISCARDED = 100_000_000
"""Bytes that are read of a body that is too large: browsers show the answer only when all is sent."""


class BodyRefusedError(Exception):
    """A body is too large or too slow: ``status`` and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Bodies:
    """Receives bodies. One instance serves the whole server."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(AT_A_TIME)
        self._users: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def small(self, request: Request) -> bytes:
        """Return the body of a request of anybody. Raises ``BodyRefusedError``."""
        return await self._within(SMALL_SECONDS, _read(request, SMALL))

    async def large(self, request: Request, user: int, largest: int) -> bytes:
        """Return the body of a request of a user who has signed in. Raises ``BodyRefusedError``.

        A user's large bodies are received one at a time. What is too large is received, so that the browser shows why
        it is refused.
        """
        if _is_small(request):
            return await self.small(request)
        lock = self._users.setdefault(user, asyncio.Lock())
        async with lock, self._places:
            seconds = max(UPLOAD_SECONDS * largest / LARGEST_UPLOAD, SMALL_SECONDS)
            return await self._within(seconds, _read(request, largest, discard=True))

    async def _within(self, seconds: float, reading: Awaitable[bytes]) -> bytes:
        try:
            async with asyncio.timeout(seconds):
                return await reading
        except TimeoutError as error:
            raise BodyRefusedError(408, "The request took too long.") from error


def _is_small(request: Request) -> bool:
    length = request.headers.get("content-length", "")
    return request.method == "GET" or (length.isascii() and length.isdigit() and int(length[:12]) <= SMALL)


async def _read(request: Request, limit: int, *, discard: bool = False) -> bytes:
    pieces: list[bytes] = []
    size, stream = 0, request.stream()
    while True:
        try:
            async with asyncio.timeout(IDLE_SECONDS):
                piece = await anext(stream, None)
        except (TimeoutError, ClientDisconnect) as error:  # the second is answered to nobody
            raise BodyRefusedError(408, "The request took too long.") from error
        if piece is None:
            break
        size += len(piece)
        if size <= limit:
            pieces.append(piece)
        elif not discard or size > MOST_DISCARDED:
            raise BodyRefusedError(413, "The request is too large.")
        else:
            pieces.clear()
    if size > limit:
        sentence = gettext("This file is larger than %(size)s MB, so nothing was changed.", size=limit // 1_000_000)
        raise BodyRefusedError(413, sentence)
    return b"".join(pieces)
