"""Bodies of requests: how large they may be, how slow, and how many at a time.

    anybody            16 kB in 10 seconds
    who has signed in  an upload, or a large request of a client app: a place for each user
    a known hub        contents of a feed: a place for each host of hubs, apart from those of users

Nothing large is received before it is known who sends it, so strangers can neither fill the memory nor take the places
of users.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from starlette.requests import ClientDisconnect, Request

from iscore.core.translation import gettext, gettext_noop

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
PUSH_SECONDS = 30.0
"""In which a hub's contents have to come."""
IDLE_SECONDS = 10.0
"""Between two pieces of a large body."""
SLOWEST = 10_000
"""Bytes per second of a large body, after its first ``IDLE_SECONDS``."""
AT_A_TIME = 16
"""Large bodies that are received at a time, of all senders together."""
MOST_OF_ONE = 8
"""Large bodies of one sender that are received or wait for that; others are refused."""
MOST_DISCARDED = 100_000_000
"""Bytes that are read of a body that is too large: browsers show the answer only when all is sent."""

TOO_LONG = gettext_noop("The request took too long to arrive, so nothing was changed.")


class RequestRefusedError(Exception):
    """A request is too large, too slow, or one too many: ``status`` and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Bodies:
    """Receives bodies. One instance serves all users, and one all hubs."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(AT_A_TIME)
        self._senders: WeakValueDictionary[int | str, asyncio.Lock] = WeakValueDictionary()
        self._asked: Counter[int | str] = Counter()

    async def small(self, request: Request) -> bytes:
        """Return the body of a request of anybody. Raises ``RequestRefusedError``."""
        return await self._within(SMALL_SECONDS, _read(request, SMALL))

    async def large(self, request: Request, user: int, largest: int) -> bytes:
        """Return the body of a request of a user who has signed in. Raises ``RequestRefusedError``.

        A user's large bodies are received one at a time. What is too large is received, so that the browser shows why
        it is refused.
        """
        if _is_small(request):
            return await self.small(request)
        async with self._place(user):
            seconds = max(UPLOAD_SECONDS * largest / LARGEST_UPLOAD, SMALL_SECONDS)
            return await self._within(seconds, _read(request, largest, SLOWEST, discard=True))

    async def pushed(self, request: Request, hub: str, largest: int) -> bytes:
        """Return contents that a known hub sends; ``hub`` is its host. Raises ``RequestRefusedError``."""
        async with self._place(hub):
            return await self._within(PUSH_SECONDS, _read(request, largest, SLOWEST))

    @asynccontextmanager
    async def _place(self, sender: int | str) -> AsyncIterator[None]:
        """Wait for the sender's place, and for one of all. Raises ``RequestRefusedError`` if too many wait already."""
        if self._asked[sender] >= MOST_OF_ONE:
            raise RequestRefusedError(429, gettext("Too much is being sent at once. Wait until it has arrived."))
        self._asked[sender] += 1
        try:
            async with self._senders.setdefault(sender, asyncio.Lock()), self._places:
                yield
        finally:
            self._asked[sender] -= 1
            self._asked += Counter()  # forgets senders of which nothing is left

    async def _within(self, seconds: float, reading: Awaitable[bytes]) -> bytes:
        try:
            async with asyncio.timeout(seconds):
                return await reading
        except TimeoutError as error:
            raise RequestRefusedError(408, gettext(TOO_LONG)) from error


def _is_small(request: Request) -> bool:
    length = request.headers.get("content-length", "")
    return request.method == "GET" or (length.isascii() and length.isdigit() and int(length[:12]) <= SMALL)


async def _read(request: Request, limit: int, slowest: int = 0, *, discard: bool = False) -> bytes:
    """``slowest``: bytes per second after ``IDLE_SECONDS``; ``discard``: receive what is too large, and then refuse."""
    pieces: list[bytes] = []
    size, stream, clock = 0, request.stream(), asyncio.get_running_loop().time
    begun = clock()
    while True:
        try:
            async with asyncio.timeout(IDLE_SECONDS):
                piece = await anext(stream, None)
        except TimeoutError as error:
            raise RequestRefusedError(408, gettext(TOO_LONG)) from error
        except ClientDisconnect as error:
            raise RequestRefusedError(408, "The client has gone.") from error
        if piece is None:
            break
        size += len(piece)
        if (clock() - begun - IDLE_SECONDS) * slowest > size:
            raise RequestRefusedError(408, gettext(TOO_LONG))
        if size <= limit:
            pieces.append(piece)
        elif not discard or size > MOST_DISCARDED:
            raise RequestRefusedError(413, gettext("The request is too large."))
        else:
            pieces.clear()
    if size > limit:
        sentence = gettext("This file is larger than %(size)s MB, so nothing was changed.", size=limit // 1_000_000)
        raise RequestRefusedError(413, sentence)
    return b"".join(pieces)
