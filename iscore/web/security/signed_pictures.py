"""Signed addresses of pictures: without one, nobody can make the server fetch anything.

    /picture/SIGNATURE/ARTICLE/NAME        HMAC-SHA-256 of article and name, with the server's secret

An address names a picture of an article and no address of a publisher. It works as long as the secret does, for
whoever is signed in and may see the article.
"""

from __future__ import annotations

import hashlib
import hmac

from itsdangerous import Signer


class SignedPictures:
    """Makes and checks addresses. ``secret`` is that of ``serve.json``, ``base`` the path below which the app is."""

    def __init__(self, secret: str, base: str = "") -> None:
        self._base = base
        self._signer = Signer(secret, salt="iscore picture", key_derivation="hmac", digest_method=hashlib.sha256)

    def address(self, article_id: str, name: str) -> str:
        """Return what a page loads."""
        return f"{self._base}/picture/{self._signature(article_id, name)}/{article_id}/{name}"

    def matches(self, signature: str, article_id: str, name: str) -> bool:
        """Whether an address was made here."""
        return hmac.compare_digest(signature.encode(), self._signature(article_id, name).encode())

    def _signature(self, article_id: str, name: str) -> str:
        return self._signer.get_signature(f"{article_id}/{name}").decode()
