"""Requests of client apps: their parameters, and the app that sends them.

They have neither cookies nor forms of our pages, so sessions and CSRF tokens do not concern them.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import parse_qsl
from xml.etree import ElementTree as ET

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from iscore.presentation import atom
from iscore.services.views.other_programs import ClientItem
from iscore.web.request_log import Route
from iscore.web.security.bodies import LARGEST_OF_APPS, Bodies
from iscore.web.security.multipart import is_multipart, parse_multipart
from storage.records.users import AppOption, AppPassword

MOST_PARAMETERS = 30_000
"""One app asks for ten thousand items at once."""
LONGEST_NUMBER = 18
"""Digits."""

Run = Callable[..., Awaitable[Response]]
"""One of the methods of ``Threads``."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a request, of its address and of its form: all values of each name, in their order."""

    values: Mapping[str, list[str]]

    def all(self, name: str) -> list[str]:
        """Return the values of a parameter, each once."""
        return list(dict.fromkeys(self.values.get(name, ())))

    def first(self, name: str, default: str = "") -> str:
        """Return its first value."""
        return self.values.get(name, [default])[0]

    def __contains__(self, name: str) -> bool:
        return name in self.values


@dataclass(frozen=True, slots=True)
class Call:
    """A request of an app that has signed in."""

    request: Request
    parameters: Parameters
    body: bytes
    app: AppPassword

    @property
    def options(self) -> frozenset[AppOption]:
        """What marks of the app mean."""
        return frozenset(map(AppOption, self.app.options))


def parameters_of(request: Request, body: bytes) -> Parameters:
    """Read the parameters of a request, those of its form first: in addresses, some apps escape nothing.

    Some send forms without their type. Raises ``ValueError`` for too many, and for NUL, which PostgreSQL cannot store.
    """
    content_type, pairs = request.headers.get("content-type", ""), list[tuple[str, str]]()
    if request.method == "POST" and body and is_multipart(content_type):
        pairs = parse_multipart(content_type, body, most=MOST_PARAMETERS).fields
    elif request.method == "POST" and not body.lstrip().startswith((b"<", b"{")):  # no OPML, no JSON
        pairs = _pairs(body.decode(errors="replace"))
    found: dict[str, list[str]] = {}
    for name, value in (*pairs, *_pairs(request.url.query)):
        if "\0" in value:
            raise ValueError("a parameter contains a NUL")
        found.setdefault(name, []).append(value)
    return Parameters(found)


def _pairs(text: str) -> list[tuple[str, str]]:
    return parse_qsl(text.strip(), keep_blank_values=True, max_num_fields=MOST_PARAMETERS)


def call_of(request: Request) -> Call:
    """Return the call that ``SignedIn`` has read."""
    call: Call = request.state.call
    return call


class SignedIn:
    """Lets apps in that ``find`` finds, and lets what is inside act for their user; ``refuse`` answers all others."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        find: Callable[[Request, Parameters], Awaitable[AppPassword | None]],
        refuse: Callable[[Request], Response],
        acting: Callable[[int], AbstractAsyncContextManager[object]],
        bodies: Bodies,
        in_forms: bool = False,
    ) -> None:
        """With ``in_forms`` the secret of an app may also be in a small form."""
        self._app = app
        self._find = find
        self._refuse = refuse
        self._acting = acting
        self._bodies = bodies
        self._in_forms = in_forms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            if "\0" in scope["path"]:
                raise ValueError("the path contains a NUL")
            body, parameters = b"", parameters_of(request, b"")
            app = await self._find(request, parameters)
            if app is not None:
                body = await self._bodies.large(request, app.user_id, LARGEST_OF_APPS)
                parameters = await asyncio.to_thread(parameters_of, request, body) if body else parameters
            elif self._in_forms and request.method == "POST":
                body = await self._bodies.small(request)
                parameters = parameters_of(request, body)
                app = await self._find(request, parameters)
        except ValueError as error:
            await bad_request(str(error))(scope, receive, send)
            return
        if app is None:
            await self._refuse(request)(scope, receive, send)
            return
        request.state.call = Call(request, parameters, body, app)
        try:
            async with self._acting(app.user_id):
                await self._app(scope, receive, send)
        finally:
            del request.state.call  # it has the request: such a circle would stay until garbage is looked for


def route(path: str, work: Callable[[Call], Response], run: Run, *methods: str) -> Route:
    """Return a route that does its work in a thread."""

    async def handle(request: Request) -> Response:
        return await run(work, call_of(request))

    return Route(path, handle, methods=methods or ("GET", "POST"))


def number(text: str) -> int:
    """Read a positive number; 0 if it is invalid.

    >>> number("7"), number("-7"), number("²"), number("9" * 30)
    (7, 0, 0, 0)
    """
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER else 0


def bad_request(problem: str) -> Response:
    """Answer what cannot be understood."""
    return PlainTextResponse(f"Bad Request: {problem}\n", 400)


def ok() -> Response:
    """Answer that something was done."""
    return PlainTextResponse("OK")


def to_json(value: Any) -> bytes:
    """Write a value as JSON in UTF-8.

    >>> to_json({"title": "Café", "id": 7})
    b'{"title":"Caf\\xc3\\xa9","id":7}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def players(item: ClientItem) -> str:
    """Return players of the sound and videos of an item as HTML, with links for apps that show none.

    Nothing is loaded before somebody starts them.
    """
    found: list[str] = []
    for file in item.enclosures:
        kind, address = file.type.partition("/")[0].lower(), escape(file.url)
        if kind in ("audio", "video"):
            link = f'<a href="{address}">{address}</a>'
            found.append(f'<p><{kind} controls preload="none" src="{address}">{link}</{kind}></p>')
    return "".join(found)


def add_article(entry: ET.Element, item: ClientItem) -> None:
    """Append to an Atom entry what every feed has of an article: title, times, address and enclosures."""
    atom.add(entry, "title", item.title, type="text")
    atom.add(entry, "published", atom.timestamp(item.published))
    atom.add(entry, "updated", atom.timestamp(item.arrived))
    if item.url:
        atom.add(entry, "link", rel="alternate", type="text/html", href=item.url)
    for file in item.enclosures:
        atom.add(entry, "link", rel="enclosure", href=file.url, **{"type": file.type} if file.type else {})
