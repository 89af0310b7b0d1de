"""Finds the hub that a feed names, and whether the feed may be subscribed there (W3C WebSub, section 4). Pure.

A hub learns the feed's address and that this server follows it. Private feeds are therefore only polled: feeds behind a
login, feeds in a private network, and feeds whose address seems to contain a secret.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from iscore.feeds.http.outcomes import Fetched
from iscore.feeds.http.private_networks import is_private_literal
from iscore.feeds.http.sessions import host_and_port
from iscore.feeds.parsing.jobs import ParsedFeed
from iscore.feeds.poll_settings import PollSettings
from iscore.feeds.urls import safe_url, without_password
from storage.records.feeds import Hub

_RELATION = re.compile(r';\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))', re.IGNORECASE)
_SECRET_NAME = re.compile(
    r"access|auth|code|cred|hash|jwt|key|pass|private|pwd|secret|session|sig|^s?id$|sid$|token|^u$|uid|user", re.I
)
"""Names of parameters whose values may be secret."""
_ENDING = re.compile(r"\.(?:atom|json|php|rdf|rss|xml)$", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_RANDOM_LENGTH = 16
"""Characters; shorter texts can be guessed, and are more often words or numbers."""


def hub_of(url: str, fetched: Fetched, parsed: ParsedFeed, settings: PollSettings) -> Hub | None:
    """Return the hub at which the feed at ``url`` may be subscribed; None if it names none, or is private.

    Headers of the answer have precedence over its document. A hub without HTTPS is asked by HTTPS, since nobody on the
    way may read the subscription's secret. In a private network that the user allows, it is asked as it is named.
    """
    linked = links(fetched.links, fetched.final_url)
    named = linked.get("hub") or parsed.hub
    topic = linked.get("self") or parsed.self_url or without_password(fetched.final_url)
    if not named or any(is_private(each, settings) for each in (url, fetched.final_url, topic)):
        return None
    return Hub(_by_https(named, settings), topic, without_password(fetched.final_url))


def links(header: str, base: str) -> dict[str, str]:
    """Return the first address of each relation in Link headers (RFC 8288), http or https.

    >>> links('<https://hub.example/>; rel="hub", </feed>; rel=self', "https://a.example/x")
    {'hub': 'https://hub.example/', 'self': 'https://a.example/feed'}
    """
    found: dict[str, str] = {}
    for part in re.split(r",\s*(?=<)", header):
        target, _, parameters = part.strip().removeprefix("<").partition(">")
        relation = _RELATION.search(parameters)
        address = safe_url(target, base) if relation else ""
        if relation and address:
            for name in (relation[1] or relation[2] or "").lower().split():
                found.setdefault(name, address)
    return found


def is_private(url: str, settings: PollSettings) -> bool:
    """Whether others should not learn the address of a feed, or could not use it.

    This is a guess: an address counts as secret if it has a parameter with a name such as ``token``, or a part that
    looks random. If the guess is wrong, the feed is polled as usual.
    """
    parts = urlsplit(url)
    if "@" in parts.netloc or host_and_port(url) in settings.private_hosts:
        return True
    if is_private_literal(url) and not settings.allow_private_networks:
        return True
    parameters = parse_qsl(parts.query, keep_blank_values=True)
    if any(_SECRET_NAME.search(name) for name, _ in parameters):
        return True
    values = [value for name, value in parameters if not name.lower().endswith("id")]
    return any(_is_random(each) for each in (*parts.path.split("/"), *values))


def _is_random(text: str) -> bool:
    """Whether a part of an address looks random: long, with letters and digits mixed unlike in a word."""
    text = _ENDING.sub("", text)
    if _UUID.search(text):
        return True
    for piece in re.findall(rf"[A-Za-z0-9_-]{{{_RANDOM_LENGTH},}}", text):
        digits = sum(map(str.isdigit, piece))
        mixed = digits and any(map(str.isupper, piece)) and any(map(str.islower, piece))
        hexadecimal = re.fullmatch("[0-9a-fA-F]+", piece) and 0 < digits < len(piece)
        if mixed or hexadecimal or (digits >= 4 and re.fullmatch("[a-z0-9]+", piece) and digits < len(piece)):
            return True
    return False


def _by_https(hub: str, settings: PollSettings) -> str:
    if settings.allow_private_networks and is_private_literal(hub):
        return hub
    parts = urlsplit(hub)
    return urlunsplit(parts._replace(scheme="https", netloc=parts.netloc.removesuffix(":80")))
