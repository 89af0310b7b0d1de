"""Tokens that client apps get when they sign in.

    USER/SIGNATURE        HMAC-SHA-256 of the user's number and of the digest of the app's password, with the secret

Nothing is stored: a token is valid as long as its password is, and as the server's secret. It contains no ``=``.
"""

from __future__ import annotations

import hashlib
import hmac

from itsdangerous import Signer

from storage.records.accounts import AppPassword


class AppTokens:
    """Makes and checks tokens. ``secret`` is that of ``serve.json``."""

    def __init__(self, secret: str) -> None:
        self._signer = Signer(secret, salt="iscore app", key_derivation="hmac", digest_method=hashlib.sha256)

    def make(self, app: AppPassword) -> str:
        """Return the token of an app."""
        return f"{app.user_id}/{self._signer.get_signature(f'{app.user_id}/{app.key}').decode()}"

    def matches(self, token: str, app: AppPassword) -> bool:
        """Whether a token is that of an app."""
        return hmac.compare_digest(token.encode(), self.make(app).encode())


def user_of(token: str) -> int:
    """Return the number of the user whom a token names; 0 for what is no token.

    >>> user_of("12/c2lnbmF0dXJl"), user_of("twelve")
    (12, 0)
    """
    number = token.partition("/")[0]
    return int(number) if number.isascii() and number.isdigit() and len(number) < 12 else 0
