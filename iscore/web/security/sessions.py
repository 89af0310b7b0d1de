"""Sessions: a signed cookie, and the CSRF token of its forms.

The cookie holds the session id, whether somebody has signed in with it, and its start. Who has signed in is in the
database (``iscore.services.people.accounts``), where a session can be ended; others need no row there. The token is a
signature of the session id: another site cannot know it, and it is useless in another browser.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime

from itsdangerous import BadData, Signer, URLSafeSerializer

from iscore.services.people.accounts import SESSION_LIFETIME


@dataclass(frozen=True, slots=True)
class Session:
    """A browser session."""

    id: str
    signed_in: bool
    """Whether the database may know its user."""
    since: datetime


def new_session(now: datetime, *, signed_in: bool) -> Session:
    """Start a session with a random id."""
    return Session(secrets.token_urlsafe(16), signed_in, now.replace(microsecond=0))


def to_cookie(session: Session, secret: str) -> str:
    """Return the signed cookie of a session."""
    return str(_cookies(secret).dumps([session.id, session.signed_in, int(session.since.timestamp())]))


def from_cookie(cookie: str, secret: str, now: datetime) -> Session | None:
    """Read a cookie; None if it is invalid, has another secret, or is too old."""
    try:
        name, signed_in, since = _cookies(secret).loads(cookie)
        session = Session(str(name), bool(signed_in), datetime.fromtimestamp(int(since), now.tzinfo))
    except (BadData, ValueError, TypeError, OverflowError, OSError):
        return None
    return session if now - session.since < SESSION_LIFETIME else None


def token(session: Session, secret: str) -> str:
    """Return the CSRF token of a session."""
    return Signer(secret, salt="iscore form", key_derivation="hmac").get_signature(session.id).decode()


def token_matches(given: str, session: Session, secret: str) -> bool:
    """Whether a token belongs to the session."""
    return hmac.compare_digest(given.encode(), token(session, secret).encode())


def _cookies(secret: str) -> URLSafeSerializer:
    return URLSafeSerializer(secret, salt="iscore session")
