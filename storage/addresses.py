"""Addresses of feeds and articles, as readers see them."""

from __future__ import annotations

import re

from sqlalchemy import ColumnElement, func

_HOST = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://(?:[^/?#]*@)?(\[[^\]/?#]*\]|[^/?#:]*)")


def site(url: str) -> str:
    """Return the host of an address in lower case, without ``www.`` and port; empty when it has none."""
    match = _HOST.match(url)
    return match[1].lower().removeprefix("www.") if match else ""


def address_without_password(url: str) -> str:
    """Remove user name and password from an address, so that it can be shown."""
    return re.sub(r"^([a-zA-Z][a-zA-Z0-9+.-]*://)[^/?#]*@", r"\1", url)


def remote_address(user_id: int | None = None) -> str:
    """Return how the addresses of feeds begin that come from other reader servers, to a user or to any."""
    return "iscore:remote/" if user_id is None else f"iscore:remote/{user_id}/"


def is_remote(url: ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition that an address is that of a feed from another reader server."""
    return func.substr(url, 1, len(remote_address())) == remote_address()
