"""Addresses in texts: they are no words, and of the hosts that an article links to one is a term."""

from __future__ import annotations

import re
import zlib
from typing import Final

from extractors.article import Document
from extractors.text.terms import N_TERMS

MAX_HOSTS: Final = 8
"""Different hosts of an article that are considered."""
_MAX_ADDRESSES: Final = 64
"""Addresses of an article whose hosts are considered; all are taken out."""

_BEGINNINGS = ("://", "www.", "WWW.")
_ADDRESS = re.compile(r"(?:https?://|www\.)([^\W_][^\s<>\"]*)(?<![.,:;!?'’)\]}])", re.IGNORECASE)
"""Without the punctuation behind it. Its end is looked for backwards once, so it takes linear time."""
_HOST = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?(?:[^/?#@]*@)?(?:www\.)?([\w-]+(?:\.[\w-]+)+)", re.IGNORECASE)


def without_addresses(text: str) -> tuple[str, list[str]]:
    """Return a text with a space instead of each address, and the hosts of these.

    >>> without_addresses("See https://www.example.org/a?b=c, or www.example.com.")
    ('See  , or  .', ['example.org', 'example.com'])
    """
    if not any(each in text for each in _BEGINNINGS):
        return text, []
    found: list[str] = []

    def blank(match: re.Match[str]) -> str:
        if len(found) < _MAX_ADDRESSES:
            found.append(_host(match[1]))
        return " "

    return _ADDRESS.sub(blank, text), [host for host in found if host]


def hosts(document: Document, in_text: list[str]) -> list[str]:
    """Return the different hosts that an article links to, that of its own address first.

    Of an article without any address it is the feed's name, if that is a host.
    """
    link = _host(document.url) or document.site
    found = [*dict.fromkeys([link, *in_text] if link else in_text)][:MAX_HOSTS]
    return found or ([own] if (own := _host(document.source)) == document.source.lower() and own else [])


def host_term(host: str) -> int:
    """Return the bucket of a host, the same on every machine and in every process."""
    return zlib.crc32(f"H:{host}".encode("utf-8", "surrogatepass")) & (N_TERMS - 1)


def _host(address: str) -> str:
    match = _HOST.match(address[:1000])
    return match[1].lower() if match else ""
