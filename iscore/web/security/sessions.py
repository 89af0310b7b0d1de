"""Who is asking: a signed cookie, and the token that every form on a page carries.

A cookie says which session it is, whether it has signed in, and since when. The token is a signature of the session:
no other site can know it, and it is worth nothing in another browser.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from itsdangerous import BadData, Signer, URLSafeSerializer

LASTS = timedelta(days=30)
"""How long somebody stays signed in."""


@dataclass(frozen=True, slots=True)
class Session:
    """One browser."""

    id: str
    signed_in: bool
    """With the password; False where there is none."""
    since: datetime


def new_session(now: datetime, *, signed_in: bool) -> Session:
    """Begin a session under an id that nobody can guess."""
    return Session(secrets.token_urlsafe(16), signed_in, now.replace(microsecond=0))


def to_cookie(session: Session, secret: str) -> str:
    """Sign a session for its browser."""
    return str(_cookies(secret).dumps([session.id, session.signed_in, int(session.since.timestamp())]))


def from_cookie(cookie: str, secret: str, now: datetime) -> Session | None:
    """Read a session back; None if it is not ours, was signed with another secret, or is too old."""
    try:
        name, signed_in, since = _cookies(secret).loads(cookie)
        session = Session(str(name), bool(signed_in), datetime.fromtimestamp(int(since), now.tzinfo))
    except (BadData, ValueError, TypeError, OverflowError, OSError):
        return None
    return session if now - session.since < LASTS else None


def token(session: Session, secret: str) -> str:
    """Return what forms of this session carry."""
    return Signer(secret, salt="iscore form", key_derivation="hmac").get_signature(session.id).decode()


def token_fits(given: str, session: Session, secret: str) -> bool:
    """Tell whether a form came from a page of this session."""
    return hmac.compare_digest(given.encode(), token(session, secret).encode())


def _cookies(secret: str) -> URLSafeSerializer:
    return URLSafeSerializer(secret, salt="iscore session")
