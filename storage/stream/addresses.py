"""Addresses of feeds and articles, as readers see them."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import urlsplit

from sqlalchemy import ColumnElement, func

IMPORTED_ITEMS = "iscore:imported-items/"
"""How the addresses of the feeds of imported items begin; the user's number follows."""
_HOST = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://(?:[^/?#]*@)?(\[[^\]/?#]*\]|[^/?#:]*)")


def site(url: str) -> str:
    """Return the host of an address in lower case, without ``www.`` and port; empty when it has none."""
    match = _HOST.match(url)
    return match[1].lower().removeprefix("www.") if match else ""


def host_of(url: str) -> str:
    """Return the host of an address in lower case, without port: who is asked. Empty when it has none.

    >>> host_of("https://anna:secret@News.example.org:8080/feed")
    'news.example.org'
    """
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def login_of(url: str) -> str:
    """Return a digest of the user name and password in an address; empty when it has none."""
    try:
        login = urlsplit(url).netloc.rpartition("@")[0]
    except ValueError:
        return ""
    return hashlib.sha256(login.encode()).hexdigest()[:16] if login else ""


def address_without_password(url: str) -> str:
    """Remove user name and password from an address, so that it can be shown."""
    return re.sub(r"^([a-zA-Z][a-zA-Z0-9+.-]*://)[^/?#]*@", r"\1", url)


def remote_address(user_id: int | None = None) -> str:
    """Return how the addresses of feeds begin that come from other reader servers, to a user or to any."""
    return "iscore:remote/" if user_id is None else f"iscore:remote/{user_id}/"


def is_remote(url: ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition that an address is that of a feed from another reader server."""
    return func.substr(url, 1, len(remote_address())) == remote_address()
