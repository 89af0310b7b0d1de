"""Signing in and out. Whoever signs in gets another session, so that one handed over before is worth nothing."""

from __future__ import annotations

import re
import threading

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.web.context import Room, notice, page, visit_of
from iscore.web.security import passwords
from iscore.web.security.sessions import new_session

_HERE = re.compile(r"/(?:held-back|said|article/[a-z0-9]{1,64})?(?:\?(?:(?:said|limit)=[a-z0-9]*&?)*)?")


class SignIn:
    """The door of one room."""

    def __init__(self, room: Room) -> None:
        self._room = room
        # Argon2 takes 64 MB on purpose: one guess at a time.
        self._one_at_a_time = threading.Lock()

    def ask(self, request: Request) -> Response:
        """Ask for the password."""
        visit = visit_of(request)
        there = local(request.query_params.get("next", ""))
        if visit.session.signed_in or not visit.password:
            return RedirectResponse(there, 303)
        return page("login.html", request, there=there, complaint="")

    def sign_in(self, request: Request) -> Response:
        """Let in whoever knows the password."""
        visit, now = visit_of(request), self._room.clock()
        there = local(visit.form.get("next", ""))
        if not visit.password:
            return RedirectResponse(there, 303)
        address = request.client.host if request.client else ""
        with self._one_at_a_time:
            wait = self._room.guesses.wait(address, now)
            right = not wait and passwords.fits(visit.form.get("password", ""), visit.password)
            if not wait:
                self._room.guesses.note(address, now, right=right)
        if wait:
            complaint = f"Too many wrong passwords. Try again in {wait} s."
            headers = {"retry-after": str(wait)}
            return page("login.html", request, status=429, headers=headers, there=there, complaint=complaint)
        if not right:
            return page("login.html", request, status=403, there=there, complaint="That is not the password.")
        request.state.session = new_session(now, signed_in=True)
        return RedirectResponse(there, 303)

    def sign_out(self, request: Request) -> Response:
        """Make every cookie that was given out worthless, in this browser and in all others."""
        if not visit_of(request).password:
            return notice(request, 404, "There is no password, and so nobody to sign out.")
        self._room.vault.renew()
        request.state.session = new_session(self._room.clock(), signed_in=False)
        return RedirectResponse("/login", 303)


def local(address: str) -> str:
    """Return an address of a page of ours, else that of the first."""
    return address if _HERE.fullmatch(address) else "/"
