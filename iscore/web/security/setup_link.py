"""The one-time link with which the first user sets up a server."""

from __future__ import annotations

import hmac
import secrets
from datetime import datetime, timedelta

LIFETIME = timedelta(minutes=30)


class SetupLink:
    """A random token, valid until it is used and for ``LIFETIME``. It is only in the memory of this process."""

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
        return right and bool(self._token) and now - self._made < LIFETIME

    def use(self) -> None:
        """Let the link open nothing any more."""
        self._token = ""
