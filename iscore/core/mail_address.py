"""Mail addresses, as SMTP takes them."""

from __future__ import annotations

import re

_FORM = re.compile(r"[!#-'*+/-9=?A-Z^-~-]+(?:\.[!#-'*+/-9=?A-Z^-~-]+)*@[^\s@\[\]<>(),;:\\\"]+", re.ASCII)


def plain_address(text: str) -> str:
    """Return an address with its domain in ASCII. Raises ``ValueError``.

    >>> plain_address("ines@münchen.example")
    'ines@xn--mnchen-3ya.example'
    """
    problem = ValueError(f"{text!r} is not a mail address")
    local, at, domain = text.strip().rpartition("@")
    try:
        plain = f"{local}{at}{domain.encode('idna').decode('ascii')}" if domain else ""
    except UnicodeError:
        raise problem from None
    if not _FORM.fullmatch(plain) or len(plain) > 254:
        raise problem
    return plain
