"""Addresses that feeds name: which are safe to show, and which mean the same page."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit, urlunsplit

LONGEST = 4000
"""Characters; browsers and mail programs stop earlier."""

_PLAIN = re.compile(r"https?://[a-z0-9][a-z0-9.-]*(?::[0-9]{1,5})?(?:[/?#][A-Za-z0-9/?#.,;:~=&%+_!*()-]*)?")
"""Addresses that are their own safe form; most are."""

_UNSAFE = re.compile(r"""["<>^`{|}]""")

_TRACKING = re.compile(
    r"utm_\w+|(?:fb|g|dc|ms|y|tw)clid|g?braid|wbraid|igshid|mc_[ce]id|_hs(?:enc|mi)|mkt_tok|xtor|ncid|cmpid|src_rss"
    r"|guccounter|ns_(?:campaign|mchannel|source|linkname)",
    re.IGNORECASE,
)
"""Parameters that say where a reader came from and never which page they get."""


def safe_url(url: str, base: str = "") -> str:
    """Return the absolute http or https address that ``url`` means, or an empty string for anything else.

    White space, control and invisible characters are removed before the scheme is judged, as browsers do, and
    user names and passwords are left out. What may not stand in an attribute or a header is percent-encoded;
    letters beyond ASCII stay.
    """
    if _PLAIN.fullmatch(url) and len(url) <= LONGEST:
        return url
    try:
        absolute = urljoin(base, _visible(url)) if url.strip() else ""
        if not absolute or len(absolute) > LONGEST:
            return ""
        scheme, netloc, path, query, fragment = urlsplit(absolute.replace("\\", "/"))
        host = netloc.rpartition("@")[2].lower()
        if scheme not in ("http", "https") or not urlsplit(f"//{host}").hostname:
            return ""
        address = urlunsplit((scheme, host, path, query, fragment))
        return _UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", address)
    except ValueError:
        # A port that is no number, a bracket without its partner.
        return ""


def _visible(url: str) -> str:
    if url.isascii() and url.isprintable():
        return url.replace(" ", "")
    return "".join(c for c in url if c.isprintable() and not c.isspace() and c not in "\ufffc\ufffd")


def canonical_url(url: str) -> str:
    """Return a safe address without the parameters that only say where the reader came from."""
    page, mark, fragment = url.partition("#")
    if mark and _TRACKING.match(fragment):
        mark = fragment = ""
    address, question, query = page.partition("?")
    if question:
        kept = [part for part in query.split("&") if part and not _TRACKING.fullmatch(part.partition("=")[0])]
        address += "?" + "&".join(kept) if kept else ""
    return address + mark + fragment


def same_page(url: str) -> str:
    """Return what addresses of the same page have in common: no scheme, no ``www.``, no trailing slash."""
    return canonical_url(url).partition("://")[2].removeprefix("www.").rstrip("/")


def without_password(url: str) -> str:
    """Return ``url`` without user name and password, for display and as a base."""
    scheme, separator, rest = url.partition("://")
    authority = re.match(r"[^/?#]*", rest)
    end = authority.end() if authority else 0
    return scheme + separator + rest[:end].rpartition("@")[2] + rest[end:] if separator else url
