"""What a sign-in with a provider must remember while the browser is there: in its own ``state``, signed.

The signature has the id of the browser's session, so a state of another browser is worth nothing; that id changes when
the browser comes back, so each works once. Nonce and verifier follow from the state by the server's secret: nothing is
stored, and any process of the server can go on.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from itsdangerous import BadData, URLSafeSerializer

LIFETIME = timedelta(minutes=10)
"""In which the browser has to come back."""
LONGEST = 2000
"""Characters of the page to go to afterwards."""


class Purpose(StrEnum):
    """What somebody signs in with a provider for."""

    SIGN_IN = "sign-in"
    LINK = "link"
    """To sign in with this account from now on."""
    JOIN = "join"
    """To accept an invitation."""


@dataclass(frozen=True, slots=True)
class OpenIdState:
    """What is remembered."""

    purpose: Purpose
    target: str = ""
    """The page to go to afterwards; for an invitation, its key."""


class OpenIdStates:
    """Makes and reads states. ``secret`` is that of ``serve.json``, ``session_id`` that of the browser."""

    def __init__(self, secret: str, session_id: str) -> None:
        self._secret = secret
        self._serializer = URLSafeSerializer(
            secret, salt=f"iscore openid {session_id}", signer_kwargs={"digest_method": hashlib.sha256}
        )

    def make(self, state: OpenIdState, now: datetime) -> str:
        """Return a new state."""
        target = state.target if len(state.target) <= LONGEST else ""
        return str(
            self._serializer.dumps([secrets.token_urlsafe(16), int(now.timestamp()), state.purpose.value, target])
        )

    def read(self, text: str, now: datetime) -> OpenIdState | None:
        """Read a state; None if it is another browser's, or too old."""
        try:
            _, at, purpose, target = self._serializer.loads(text)
            state, age = OpenIdState(Purpose(purpose), str(target)), now.timestamp() - int(at)
        except (BadData, ValueError, TypeError):
            return None
        return state if -1 <= age < LIFETIME.total_seconds() else None

    def nonce(self, state: str) -> str:
        """Return what the provider's token must contain."""
        return self._derived("nonce", state)

    def verifier(self, state: str) -> str:
        """Return what proves that the browser with the code began this sign-in (RFC 7636): 43 characters."""
        return self._derived("verifier", state)

    def _derived(self, what: str, state: str) -> str:
        made = hmac.new(self._secret.encode(), f"iscore openid {what} {state}".encode(), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(made).decode().rstrip("=")
