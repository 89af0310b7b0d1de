"""Links from feeds: only safe ones, in a form that every output format accepts."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

MAX_LENGTH = 2000
"""Characters; browsers and servers reject longer ones."""

_NO_HOST = re.compile(r"""[<>"{}|\\^`%']""")
_NO_IRI = re.compile(r"""[<>"{}|\\^`#\[\]]|%(?![0-9A-Fa-f]{2})""")


def web_address(url: str) -> str:
    """Return the URL as an IRI if it is safe (http or https, a host, no blanks or control characters), else empty.

    Characters that an IRI cannot contain are percent-encoded. User name and password, which can make one site look
    like another, are removed.
    """
    if len(url) > MAX_LENGTH or not url.isprintable() or any(map(str.isspace, url)):
        return ""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        if "xn--" in host:
            host.encode("ascii").decode("idna")
    except ValueError:  # unbalanced brackets, an invalid port, invalid punycode
        return ""
    if parts.scheme not in ("http", "https") or not host or port == 0 or _NO_HOST.search(parts.netloc):
        return ""
    encoded = {name: _encoded(getattr(parts, name)) for name in ("path", "query", "fragment")}
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], **encoded))


def _encoded(part: str) -> str:
    return _NO_IRI.sub(lambda found: f"%{ord(found[0]):02X}", part)
