"""Whose a request is: the user of a session, one whom a trusted proxy names, or the only user at their own computer."""

from __future__ import annotations

import hmac
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from starlette.requests import Request

from iscore.core.translation import gettext, gettext_noop
from iscore.services.people.accounts import Accounts, Present
from iscore.web.security.client_address import ClientAddress, through_proxy
from iscore.web.security.credentials import Credentials
from iscore.web.security.headers_and_hosts import LOOPBACK, host_of
from iscore.web.threads import Threads
from storage.engine.errors import RefusedUserName, TakenUserName
from storage.records.users import User

NOT_SET_UP = gettext_noop(
    "This server is not set up yet. Open the link that `iscore serve` printed when it started. It works once, for 30 "
    "minutes; start `iscore serve` again for a new one."
)
UNPROTECTED = gettext_noop(
    "No password is set, so these pages open only on the computer where iScore runs, under an address such as "
    "127.0.0.1, and not through a proxy: other machines could read them. Run `iscore serve --set-password` there, then "
    "reload."
)
SETUP_LIFETIME = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class SignOn:
    """Sign-on by a header of a trusted proxy."""

    header: str = ""
    """Names the user; empty: off."""
    adds_readers: bool = False
    """Whether a name that is not known becomes a new reader."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The answer for one request."""

    user: User | None = None
    """None: nobody is signed in."""
    refusal: str = ""
    """Why the server shows nothing at all."""
    by_session: bool = False
    """Whether the user comes from the session, so that they can sign out."""
    alone: bool = False
    """Whether the user is the only one, without a password."""
    set_up: bool = True


class Access:
    """Finds out whose a request is. ``public``: whether other machines can connect."""

    def __init__(
        self, accounts: Accounts, threads: Threads, clients: ClientAddress, *, public: bool, sign_on: SignOn
    ) -> None:
        self._accounts = accounts
        self._threads = threads
        self._clients = clients
        self._public = public
        self._sign_on = sign_on

    async def of(self, request: Request, session_id: str, credentials: Credentials) -> Entry:
        """Return whose a request is; ``session_id`` is empty without a valid cookie."""
        name = self._named(request)
        present = await self._threads.session(self._present, session_id, name)
        if present.due and present.signed_in is not None:
            self._threads.later(self._accounts.touch, present.signed_in.id, session_id)
        if not is_set_up(present, credentials):
            return Entry(refusal=gettext(NOT_SET_UP), set_up=False)
        if name:
            unknown = gettext("The proxy in front signed you in with a name that is not known here.")
            return Entry(present.named, "" if present.named else unknown)
        if present.signed_in is not None:
            return Entry(present.signed_in, by_session=True)
        if present.only is None or present.only.has_password:
            return Entry()
        if self._public or not is_local(request):
            return Entry(refusal=gettext(UNPROTECTED))
        return Entry(present.only, alone=True)

    def _named(self, request: Request) -> str:
        """Return the user's name that a trusted proxy sends; empty if there is none."""
        if not self._sign_on.header or not self._clients.is_trusted_proxy(request):
            return ""
        return " ".join(request.headers.getlist(self._sign_on.header)).strip()

    def _present(self, session_id: str, name: str) -> Present:
        found = self._accounts.present(session_id, name)
        if not name or found.named is not None or not self._sign_on.adds_readers:
            return found
        with suppress(RefusedUserName, TakenUserName):  # another request was faster
            self._accounts.add_reader(name)
        return self._accounts.present(session_id, name)


def is_set_up(present: Present, credentials: Credentials) -> bool:
    """Whether somebody has chosen how to sign in."""
    return credentials.set_up or present.only is None or present.only.has_password


def is_local(request: Request) -> bool:
    """Whether a request names this computer and shows no sign of a proxy."""
    return host_of(request.headers["host"]) in LOOPBACK and not through_proxy(request)


class SetupLink:
    """A random token, valid until it is used and for ``SETUP_LIFETIME``. It is only in the memory of this process."""

    def __init__(self, now: datetime) -> None:
        self._token = secrets.token_urlsafe(32)
        self._made = now

    @property
    def path(self) -> str:
        """The page with the token."""
        return f"/setup?key={self._token}"

    def opens(self, token: str, now: datetime) -> bool:
        """Whether this is the token, in time and before its use."""
        right = hmac.compare_digest(token.encode(), self._token.encode())
        return right and bool(self._token) and now - self._made < SETUP_LIFETIME

    def use(self) -> None:
        """Let the link open nothing any more."""
        self._token = ""
