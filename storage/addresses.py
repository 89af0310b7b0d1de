"""Addresses of feeds and articles, as readers see them."""

from __future__ import annotations

import re

_HOST = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://(?:[^/?#]*@)?(\[[^\]/?#]*\]|[^/?#:]*)")


def site(url: str) -> str:
    """Return the host of an address in lower case, without ``www.`` and port; empty when it has none."""
    match = _HOST.match(url)
    return match[1].lower().removeprefix("www.") if match else ""


def address_without_password(url: str) -> str:
    """Remove user name and password from an address, so that it can be shown."""
    return re.sub(r"^([a-zA-Z][a-zA-Z0-9+.-]*://)[^/?#]*@", r"\1", url)
