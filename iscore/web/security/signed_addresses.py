"""Secret addresses of a user's feeds, signed links in their entries, and signed addresses of pictures.

    /personal/USER-SIGNATURE/…             HMAC-SHA-256 of the user's number and key, with the server's secret
    /story/USER-NUMBER-SIGNATURE           the same of a story: it reveals no address of a feed
    /picture/SIGNATURE/ARTICLE/NAME        HMAC-SHA-256 of article and name, with the server's secret

Nothing but the user's key is stored. With another key, or another secret of the server, all of them are invalid.

Without a signature nobody can make the server fetch a picture. An address of one names a picture of an article and no
address of a publisher. It works as long as the secret does, for users who are signed in and may see the article.
"""

from __future__ import annotations

import hashlib
import hmac
import re

from itsdangerous import Signer

_FEEDS = re.compile(r"([0-9]{1,12})-(.+)")
_STORY = re.compile(r"([0-9]{1,12})-([0-9]{1,18})-(.+)")


class PersonalLinks:
    """Makes and checks the secret parts of addresses. ``secret`` is that of ``serve.json``."""

    def __init__(self, secret: str) -> None:
        self._signer = Signer(secret, salt="iscore personal", key_derivation="hmac", digest_method=hashlib.sha256)

    def feeds(self, user_id: int, key: str) -> str:
        """Return the secret part of the addresses of a user's feeds."""
        return f"{user_id}-{self._signature('feeds', user_id, key)}"

    def story(self, user_id: int, key: str, number: int) -> str:
        """Return the secret part of the link to a story."""
        return f"{user_id}-{number}-{self._signature('story', user_id, key, number)}"

    def _signature(self, *parts: object) -> str:
        return self._signer.get_signature("/".join(map(str, parts))).decode()


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


def user_of_feeds(text: str) -> int:
    """Return the user whom an address names; 0 for any other text."""
    found = _FEEDS.fullmatch(text)
    return int(found[1]) if found else 0


def story_of(text: str) -> tuple[int, int]:
    """Return the user and the story that a link names; two zeros for any other text."""
    found = _STORY.fullmatch(text)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def same(given: str, right: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(given.encode(), right.encode())
