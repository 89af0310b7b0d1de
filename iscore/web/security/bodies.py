"""Bodies of requests: how large they may be, how slow, how many at a time, and the forms in them.

    anybody            16 kB in 10 seconds
    who has signed in  an upload, or a large request of a client app: a place for each user

Nothing large is received before it is known who sends it, so strangers can neither fill the memory nor take the places
of users. Nothing large is parsed in the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

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
    return length.isascii() and length.isdigit() and int(length[:12]) <= SMALL


async def _read(request: Request, limit: int, *, discard: bool = False) -> bytes:
    pieces: list[bytes] = []
    size, stream = 0, request.stream()
    while True:
        try:
            async with asyncio.timeout(IDLE_SECONDS):
                piece = await anext(stream, None)
        except TimeoutError as error:
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


@dataclass(frozen=True, slots=True)
class MultipartForm:
    """The fields of a form, and its files."""

    fields: list[tuple[str, str]] = field(default_factory=list)
    """Name and value, in the order of the form."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Contents by the name of their field; empty where the user chose no file."""
    names: dict[str, str] = field(default_factory=dict)
    """Names of the files, as the browser gives them, by the name of their field. They are not checked."""


def parse_multipart(content_type: str, body: bytes, *, most: int) -> MultipartForm:
    """Parse a form of at most ``most`` parts, in time linear in the body. Raises ``ValueError`` for all others.

    >>> body = b'--x\\r\\nContent-Disposition: form-data; name="a"\\r\\n\\r\\none\\r\\n--x--\\r\\n'
    >>> parse_multipart("multipart/form-data; boundary=x", body, most=5).fields
    [('a', 'one')]
    """
    boundary = parse_options_header(content_type)[1].get(b"boundary", b"")
    if not boundary:
        raise ValueError("a form without a boundary")
    reader = _FormReader(most)
    parser = MultipartParser(boundary, reader.callbacks)  # type: ignore[arg-type]
    try:
        parser.write(body)
        parser.finalize()
    except MultipartParseError as error:
        raise ValueError("not a form") from error
    if not reader.complete:
        raise ValueError("the form ends too early")
    return reader.form


class _FormReader:
    """Collects the parts of a form, as ``MultipartParser`` finds them."""

    def __init__(self, most: int) -> None:
        self.form = MultipartForm()
        self.complete = False
        self._most = most
        self._parts = 0
        self._name, self._value = b"", b""
        self._headers: dict[bytes, bytes] = {}
        self._content: list[bytes] = []
        self.callbacks = {
            "on_part_begin": self._begin,
            "on_header_field": self._header_name,
            "on_header_value": self._header_value,
            "on_header_end": self._end_header,
            "on_part_data": lambda data, start, end: self._content.append(data[start:end]),
            "on_part_end": self._end,
            "on_end": self._end_form,
        }

    def _begin(self) -> None:
        self._parts += 1
        if self._parts > self._most:
            raise ValueError("too many fields")
        self._headers, self._content = {}, []

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _end_header(self) -> None:
        self._headers[self._name.lower()] = self._value
        self._name, self._value = b"", b""

    def _end(self) -> None:
        kind, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        if kind != b"form-data" or b"name" not in options or b"content-transfer-encoding" in self._headers:
            raise ValueError("not a form")
        name, content = options[b"name"].decode(), b"".join(self._content)
        if b"filename" in options:
            self.form.files[name], self.form.names[name] = content, options[b"filename"].decode()
        else:
            self.form.fields.append((name, content.decode()))

    def _end_form(self) -> None:
        self.complete = True
