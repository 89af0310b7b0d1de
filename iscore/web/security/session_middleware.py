"""Who may come in, and whether what they bring comes from a page of ours.

A request that changes something needs all of: the session's cookie, the session's token in the form, and no sign that
another site's page has sent it (``Sec-Fetch-Site``, ``Origin``). Cookies know no ports, so that SameSite alone would
trust whatever else runs on this machine. Over plain HTTP, with no referrer wanted, browsers may name no origin at all;
then the token decides.
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

from iscore.web.security.credentials import Kept
from iscore.web.security.middleware import host_of
from iscore.web.security.sessions import LASTS, Session, from_cookie, new_session, to_cookie, token, token_fits

OPEN = ("/login", "/static/")
"""What may be seen without the password."""
FIELDS = 20
FORM = "application/x-www-form-urlencoded"

Refuse = Callable[[Request, int, str], Response]
"""Makes a page of a status and a sentence."""


@dataclass(frozen=True, slots=True)
class Visit:
    """What the pages may know about who asks."""

    session: Session
    secret: str
    password: str
    """Hash of the password; empty when there is none."""
    form: dict[str, str]
    """What a form of ours said; empty for a page."""

    @property
    def token(self) -> str:
        """What the forms of the answer carry."""
        return token(self.session, self.secret)


class Doorkeeper:
    """An ASGI application around another one, which finds a ``Visit`` in ``request.state.visit``."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        kept: Callable[[], Kept],
        clock: Callable[[], datetime],
        refuse: Refuse,
        secure_host: str = "",
        cookie: str = "iscore",
    ) -> None:
        self._app = app
        self._kept = kept
        self._clock = clock
        self._refuse = refuse
        self._secure_host = secure_host
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        kept = self._kept()
        known = from_cookie(request.cookies.get(self._cookie, ""), kept.secret, self._clock())
        changes = request.method not in ("GET", "HEAD")
        if known is None and not changes and from_elsewhere(request) and not request.url.path.startswith("/static/"):
            await step(request)(scope, receive, send)
            return
        session = known or new_session(self._clock(), signed_in=False)
        form: dict[str, str] = {}
        if changes:
            form, complaint = await self._form(request, session, kept.secret)
            if complaint:
                await self._refuse(request, 403, complaint)(scope, receive, send)
                return
        visit = Visit(session, kept.secret, kept.password, form)
        request.state.visit = visit
        if kept.password and not session.signed_in and not request.url.path.startswith(OPEN):
            await self._send_to_login(request, changes)(scope, receive, self._giving(session, known, kept, scope, send))
            return
        await self._app(scope, receive, self._giving(session, known, kept, scope, send))

    async def _form(self, request: Request, session: Session, secret: str) -> tuple[dict[str, str], str]:
        """Return the form, and why it is not to be believed."""
        if not self._ours(request):
            return {}, "This was sent by another site, so nothing was done."
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
            return {}, "This is no form of these pages."
        try:
            pairs = parse_qsl((await request.body()).decode(), keep_blank_values=True, max_num_fields=FIELDS)
        except ValueError:
            return {}, "This is no form of these pages."
        form = dict(pairs)
        if len(form) != len(pairs) or not token_fits(form.get("token", ""), session, secret):
            return {}, "This page is out of date, so nothing was done. Load it again and repeat what you did."
        return form, ""

    def _ours(self, request: Request) -> bool:
        site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
        if site is not None and site != "same-origin":
            return False
        if origin is None or origin == "null":
            return True
        host = request.headers["host"].lower()
        return origin.lower() == f"{'https' if self._secure(request) else 'http'}://{host}"

    def _secure(self, request: Request) -> bool:
        """Tell whether the browser came by HTTPS: through the proxy that ``serve_address`` names."""
        return bool(self._secure_host) and host_of(request.headers["host"]) == self._secure_host

    def _send_to_login(self, request: Request, changes: bool) -> Response:
        if changes:
            return self._refuse(request, 403, "You are not signed in, so nothing was done.")
        there = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/login?next={quote(there, safe='')}", 303)

    def _giving(self, session: Session, known: Session | None, kept: Kept, scope: Scope, send: Send) -> Send:
        """Let the answer carry a cookie for a session that has none, or has changed."""
        request = Request(scope)

        async def giving(message: Message) -> None:
            if message["type"] == "http.response.start":
                now: Session = getattr(request.state, "session", session)
                if now != known:
                    secret = self._kept().secret if now is not session else kept.secret
                    headers = MutableHeaders(scope=message)
                    headers.append("set-cookie", self._set_cookie(to_cookie(now, secret), secure=self._secure(request)))
            await send(message)

        return giving

    def _set_cookie(self, value: str, *, secure: bool) -> str:
        parts = [f"{self._cookie}={value}", "Path=/", f"Max-Age={int(LASTS.total_seconds())}", "HttpOnly"]
        return "; ".join([*parts, "SameSite=Strict", *(["Secure"] if secure else [])])


def from_elsewhere(request: Request) -> bool:
    """Tell whether another site's page has led here; then a strict cookie stays at home."""
    return request.headers.get("sec-fetch-site") in ("cross-site", "same-site")


def step(request: Request) -> Response:
    """Answer whoever follows a link from elsewhere with a page that goes on by itself, so that the cookie comes along.

    A new cookie instead would end the session of every other page that is open.
    """
    there = quote(request.url.path, safe="/") + (f"?{request.url.query}" if request.url.query else "")
    address = escape(there if there.startswith("/") and not there.startswith("//") else "/", quote=True)
    return Response(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>iScore</title>'
        f'<meta http-equiv="refresh" content="0; url={address}"></head>'
        f'<body><p><a href="{address}">Go on to iScore</a></p></body></html>',
        media_type="text/html",
    )
