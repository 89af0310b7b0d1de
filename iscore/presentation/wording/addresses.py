"""Strangers' addresses as links: only such as are safe to follow, and in a form that every format can hold."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

LONGEST = 2000
"""Characters; longer ones are refused by browsers or servers."""

_NO_HOST = re.compile(r"""[<>"{}|\\^`%']""")
_NO_IRI = re.compile(r"""[<>"{}|\\^`#\[\]]|%(?![0-9A-Fa-f]{2})""")


def web_address(url: str) -> str:
    """Return the address as an IRI if it is safe to follow (http, https, a host, no blanks, no controls), else nothing.

    What an IRI may not have is percent-encoded, as browsers do it when they follow; a name and a password before the
    host, which make one site look like another, are left out.
    """
    if len(url) > LONGEST or not url.isprintable() or any(map(str.isspace, url)):
        return ""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        if "xn--" in host:
            host.encode("ascii").decode("idna")
    except ValueError:  # brackets that close nothing, a port that is no number, a name that stands for no letters
        return ""
    if parts.scheme not in ("http", "https") or not host or port == 0 or _NO_HOST.search(parts.netloc):
        return ""
    encoded = {name: _encoded(getattr(parts, name)) for name in ("path", "query", "fragment")}
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], **encoded))


def _encoded(part: str) -> str:
    return _NO_IRI.sub(lambda found: f"%{ord(found[0]):02X}", part)
