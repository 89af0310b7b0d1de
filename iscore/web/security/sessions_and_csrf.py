"""Sessions, sign-in and CSRF protection.

A request that changes something needs the session cookie, the session's token in the form, and no sign of another site
(``Sec-Fetch-Site``, ``Origin``). Cookies ignore ports, so SameSite alone would trust every server on this machine.
Over plain HTTP browsers may send no origin; then the token decides.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from urllib.parse import parse_qsl, quote

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from iscore.core.translation import gettext, language
from iscore.services.people.accounts import SESSION_LIFETIME
from iscore.web.base_path import base_of
from iscore.web.security.access import Access, Entry
from iscore.web.security.bodies import Bodies, RequestRefusedError
from iscore.web.security.credentials import Credentials
from iscore.web.security.multipart import MultipartForm, is_multipart, parse_multipart
from iscore.web.security.sessions import Session, from_cookie, new_session, to_cookie, token, token_matches
from storage.records.users import User

PUBLIC_PATHS = ("/login", "/join", "/openid/start", "/openid/callback")
"""For those who are not signed in."""
SETUP_PATH = "/setup"
MAX_FIELDS = 100
"""The page of headlines has a mark for each of sixty."""
FORM = "application/x-www-form-urlencoded"

Refuse = Callable[[Request, int, str], Response]
"""Renders an error page from a status and a sentence."""


@dataclass(frozen=True, slots=True)
class Visit:
    """The session and form of a request."""

    session: Session
    secret: str
    entry: Entry
    """Whose the request is."""
    form: dict[str, str]
    """The checked form of a POST; empty for GET."""
    files: dict[str, bytes] = field(default_factory=dict)
    file_names: dict[str, str] = field(default_factory=dict)
    """Names of the files, as the browser gives them: anything."""
    """Files of the form, by the names of their fields."""

    @property
    def user(self) -> User | None:
        """The user; None if nobody is signed in."""
        return self.entry.user

    @property
    def token(self) -> str:
        """The CSRF token for forms in the response."""
        return token(self.session, self.secret)


class SessionMiddleware:
    """Sets ``request.state.visit`` for the app inside, which then acts for the user of the request."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        access: Access,
        acting: Callable[[int], AbstractAsyncContextManager[object]],
        credentials: Callable[[], Credentials],
        clock: Callable[[], datetime],
        refuse: Refuse,
        secure: Callable[[Request], bool],
        bodies: Bodies,
        uploads: Mapping[str, int],
        cookie: str = "iscore",
    ) -> None:
        """``acting`` lets a block act for a user; ``secure`` says whether the browser used HTTPS; ``uploads`` has the
        paths of forms with a file and their largest size in bytes."""
        self._app = app
        self._access = access
        self._acting = acting
        self._credentials = credentials
        self._clock = clock
        self._refuse = refuse
        self._secure = secure
        self._bodies = bodies
        self._uploads = uploads
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] != "http" or path.startswith("/static/"):
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        credentials = self._credentials()
        known = from_cookie(request.cookies.get(self._cookie, ""), credentials.secret, self._clock())
        entry = await self._access.of(request, known.id if known and known.signed_in else "", credentials)
        if entry.refusal and (entry.set_up or path != SETUP_PATH):
            await self._refuse(request, 403, entry.refusal)(scope, receive, send)
            return
        changes = request.method not in ("GET", "HEAD")
        if known is None and not changes and from_other_site(request):
            await redirect_page(request)(scope, receive, send)
            return
        # A session that has ended must not be used again, not even as an anonymous one.
        ended = known is None or known.signed_in != entry.by_session
        session = new_session(self._clock(), signed_in=False) if ended or known is None else known
        form, sent = dict[str, str](), MultipartForm()
        if changes:
            try:
                form, sent, error = await self._form(request, session, credentials.secret, entry)
            except RequestRefusedError as refused:
                await self._refuse(request, refused.status, str(refused))(scope, receive, send)
                return
            if error:
                await self._refuse(request, 403, error)(scope, receive, send)
                return
        request.state.visit = Visit(session, credentials.secret, entry, form, sent.files, sent.names)
        send = self._with_cookie(session, known, credentials.secret, scope, send)
        if entry.user is not None:
            async with self._acting(entry.user.id):
                await self._app(scope, receive, send)
        elif path in (*PUBLIC_PATHS, SETUP_PATH):
            await self._app(scope, receive, send)
        else:
            await self._send_to_login(request, changes)(scope, receive, send)

    async def _form(
        self, request: Request, session: Session, secret: str, entry: Entry
    ) -> tuple[dict[str, str], MultipartForm, str]:
        """Return the form, how it came if it has files, and an error message if it is not valid.

        Raises ``RequestRefusedError``.
        """
        if not self._same_origin(request):
            return {}, MultipartForm(), gettext("This request came from another site, so nothing was changed.")
        content_type = request.headers.get("content-type", "")
        kind, sent = content_type.partition(";")[0].strip().lower(), MultipartForm()
        largest = self._uploads.get(request.url.path, 0) if is_multipart(content_type) else 0
        if entry.user is not None and largest:
            body = await self._bodies.large(request, entry.user.id, largest)
        else:
            body = await self._bodies.small(request)
        try:
            if is_multipart(content_type) and entry.user is not None:
                sent = await asyncio.to_thread(parse_multipart, content_type, body, most=MAX_FIELDS)
                pairs = sent.fields
            elif kind == FORM:
                pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS)
            else:
                return {}, MultipartForm(), gettext("This is not a valid form.")
        except ValueError:
            return {}, MultipartForm(), gettext("This is not a valid form.")
        form = dict(pairs)
        if len(form) != len(pairs) or not token_matches(form.get("token", ""), session, secret):
            return (
                {},
                MultipartForm(),
                gettext("This page is out of date, so nothing was changed. Reload it and try again."),
            )
        return form, sent, ""

    def _same_origin(self, request: Request) -> bool:
        site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
        if site is not None and site != "same-origin":
            return False
        if origin is None or origin == "null":
            return True
        host = request.headers["host"].lower()
        return origin.lower() == f"{'https' if self._secure(request) else 'http'}://{host}"

    def _send_to_login(self, request: Request, changes: bool) -> Response:
        if changes:
            return self._refuse(request, 403, gettext("You are not signed in, so nothing was changed."))
        target = quote(request.url.path) + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/login?next={quote(target, safe='')}", 303)

    def _with_cookie(self, session: Session, known: Session | None, secret: str, scope: Scope, send: Send) -> Send:
        """Add a cookie to the response if the session is new or has changed."""
        request = Request(scope)

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                now: Session = getattr(request.state, "session", session)
                if now != known:
                    headers = MutableHeaders(scope=message)
                    headers.append("set-cookie", self._set_cookie(request, to_cookie(now, secret)))
            await send(message)

        return with_cookie

    def _set_cookie(self, request: Request, value: str) -> str:
        seconds = int(SESSION_LIFETIME.total_seconds())
        parts = [f"{self._cookie}={value}", f"Path={base_of(request)}/", f"Max-Age={seconds}", "HttpOnly"]
        return "; ".join([*parts, "SameSite=Strict", *(["Secure"] if self._secure(request) else [])])


def from_other_site(request: Request) -> bool:
    """Whether a link on another site led here; browsers then leave out the strict cookie."""
    return request.headers.get("sec-fetch-site") in ("cross-site", "same-site")


def from_another_origin(request: Request) -> bool:
    """Whether a page of another origin sent this; over plain HTTP only ``Origin`` says so, and only of changes."""
    origin, host = request.headers.get("origin"), request.headers["host"].lower()
    return from_other_site(request) or (origin is not None and origin.lower().partition("://")[2] != host)


def redirect_page(request: Request) -> Response:
    """Answer a link from another site with a page that reloads itself, so that the browser sends the cookie.

    Setting a new cookie instead would end the session of every open page.
    """
    target = (
        base_of(request) + quote(request.url.path, safe="/") + (f"?{request.url.query}" if request.url.query else "")
    )
    address = escape(target if target.startswith("/") and not target.startswith("//") else "/", quote=True)
    return Response(
        f'<!doctype html><html lang="{language()}"><head><meta charset="utf-8"><title>iScore</title>'
        f'<meta http-equiv="refresh" content="0; url={address}"></head>'
        f'<body><p><a href="{address}">{escape(gettext("Continue to iScore"))}</a></p></body></html>',
        media_type="text/html",
    )
