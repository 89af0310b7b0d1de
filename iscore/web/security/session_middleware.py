"""Sessions, sign-in and CSRF protection.

A request that changes something needs the session cookie, the session's token in the form, and no sign of another site
(``Sec-Fetch-Site``, ``Origin``). Cookies ignore ports, so SameSite alone would trust every server on this machine.
Over plain HTTP browsers may send no origin; then the token decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from html import escape
from urllib.parse import parse_qsl, quote

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from iscore.web.security.client_address import through_proxy
from iscore.web.security.credentials import Credentials
from iscore.web.security.middleware import host_of
from iscore.web.security.sessions import LIFETIME, Session, from_cookie, new_session, to_cookie, token, token_matches

PUBLIC_PATHS = ("/login", "/static/")
UNPROTECTED = (
    "Other machines could read this page, because no password is set. Run `iscore serve --set-password` on the machine "
    "where iScore runs, then reload."
)
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
    password: str
    """Argon2 hash; empty without a password."""
    form: dict[str, str]
    """The checked form of a POST; empty for GET."""

    @property
    def token(self) -> str:
        """The CSRF token for forms in the response."""
        return token(self.session, self.secret)


class SessionMiddleware:
    """Sets ``request.state.visit`` for the app inside."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        credentials: Callable[[], Credentials],
        clock: Callable[[], datetime],
        refuse: Refuse,
        public: bool = False,
        secure_host: str = "",
        cookie: str = "iscore",
    ) -> None:
        """``public``: whether other machines can connect, so that no page is shown without a password."""
        self._app = app
        self._public = public
        self._credentials = credentials
        self._clock = clock
        self._refuse = refuse
        self._secure_host = secure_host
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        credentials = self._credentials()
        static = request.url.path.startswith("/static/")
        if not credentials.password and not static and (self._public or through_proxy(request)):
            await self._refuse(request, 403, UNPROTECTED)(scope, receive, send)
            return
        known = from_cookie(request.cookies.get(self._cookie, ""), credentials.secret, self._clock())
        changes = request.method not in ("GET", "HEAD")
        if known is None and not changes and not static and from_other_site(request):
            await redirect_page(request)(scope, receive, send)
            return
        session = known or new_session(self._clock(), signed_in=False)
        form: dict[str, str] = {}
        if changes:
            form, error = await self._form(request, session, credentials.secret)
            if error:
                await self._refuse(request, 403, error)(scope, receive, send)
                return
        visit = Visit(session, credentials.secret, credentials.password, form)
        request.state.visit = visit
        if credentials.password and not session.signed_in and not request.url.path.startswith(PUBLIC_PATHS):
            await self._send_to_login(request, changes)(
                scope, receive, self._with_cookie(session, known, credentials, scope, send)
            )
            return
        await self._app(scope, receive, self._with_cookie(session, known, credentials, scope, send))

    async def _form(self, request: Request, session: Session, secret: str) -> tuple[dict[str, str], str]:
        """Return the form, and an error message if it is not valid."""
        if not self._same_origin(request):
            return {}, "This request came from another site, so nothing was changed."
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
            return {}, "This is not a valid form."
        try:
            pairs = parse_qsl((await request.body()).decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS)
        except ValueError:
            return {}, "This is not a valid form."
        form = dict(pairs)
        if len(form) != len(pairs) or not token_matches(form.get("token", ""), session, secret):
            return {}, "This page is out of date, so nothing was changed. Reload it and try again."
        return form, ""

    def _same_origin(self, request: Request) -> bool:
        site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
        if site is not None and site != "same-origin":
            return False
        if origin is None or origin == "null":
            return True
        host = request.headers["host"].lower()
        return origin.lower() == f"{'https' if self._secure(request) else 'http'}://{host}"

    def _secure(self, request: Request) -> bool:
        """Whether the browser used HTTPS, through the proxy at ``serve_address``."""
        return bool(self._secure_host) and host_of(request.headers["host"]) == self._secure_host

    def _send_to_login(self, request: Request, changes: bool) -> Response:
        if changes:
            return self._refuse(request, 403, "You are not signed in, so nothing was changed.")
        target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/login?next={quote(target, safe='')}", 303)

    def _with_cookie(
        self, session: Session, known: Session | None, credentials: Credentials, scope: Scope, send: Send
    ) -> Send:
        """Add a cookie to the response if the session is new or has changed."""
        request = Request(scope)

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                now: Session = getattr(request.state, "session", session)
                if now != known:
                    secret = self._credentials().secret if now is not session else credentials.secret
                    headers = MutableHeaders(scope=message)
                    headers.append("set-cookie", self._set_cookie(to_cookie(now, secret), secure=self._secure(request)))
            await send(message)

        return with_cookie

    def _set_cookie(self, value: str, *, secure: bool) -> str:
        parts = [f"{self._cookie}={value}", "Path=/", f"Max-Age={int(LIFETIME.total_seconds())}", "HttpOnly"]
        return "; ".join([*parts, "SameSite=Strict", *(["Secure"] if secure else [])])


def from_other_site(request: Request) -> bool:
    """Whether a link on another site led here; browsers then leave out the strict cookie."""
    return request.headers.get("sec-fetch-site") in ("cross-site", "same-site")


def redirect_page(request: Request) -> Response:
    """Answer a link from another site with a page that reloads itself, so that the browser sends the cookie.

    Setting a new cookie instead would end the session of every open page.
    """
    target = quote(request.url.path, safe="/") + (f"?{request.url.query}" if request.url.query else "")
    address = escape(target if target.startswith("/") and not target.startswith("//") else "/", quote=True)
    return Response(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>iScore</title>'
        f'<meta http-equiv="refresh" content="0; url={address}"></head>'
        f'<body><p><a href="{address}">Continue to iScore</a></p></body></html>',
        media_type="text/html",
    )
