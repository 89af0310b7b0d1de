"""Asks hubs to start, renew and end subscriptions of feeds (W3C WebSub, section 5.1), and checks their signatures.

A hub answers at once and verifies later, at the callback address: ``iscore.web.api.hubs``. Hubs are checked like
feeds: no request reaches a private network, redirects included, unless the user allows all private networks. Hosts that
the user allows by name are for feeds only.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import groupby
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from iscore.feeds.http.outcomes import NETWORK_ERRORS, explain
from iscore.feeds.http.sessions import Contact, new_session
from iscore.feeds.poll_settings import PollSettings
from iscore.feeds.urls import check_url
from storage.opening.database import ARRIVALS, Database
from storage.records.feeds import HubSubscription
from storage.stream import hubs
from storage.stream.addresses import host_of

PATH = "/websub/"
"""Path of callback addresses below the server's public address; a key follows."""
MOST = 200
"""Requests after one poll; the others wait for the next poll."""
AT_ONCE = 8
"""Hubs; each gets one request at a time."""
MOST_SECONDS = 60.0
"""For all requests after a poll; the rest is asked again after an hour."""
LEASE = 10 * 24 * 3600
"""Seconds that a subscription should last. Hubs may decide otherwise."""
MAX_REDIRECTS = 3
METHODS = {"sha1": hashlib.sha1, "sha256": hashlib.sha256, "sha384": hashlib.sha384, "sha512": hashlib.sha512}


def callbacks(address: str) -> str:
    """Return the beginning of callback addresses.

    >>> callbacks("https://news.example.org/iscore/")
    'https://news.example.org/iscore/websub/'
    """
    return address.rstrip("/") + PATH


def new_key() -> str:
    """Return a new secret of 192 bits, for an address or a signature."""
    return secrets.token_urlsafe(24)


def is_signed(body: bytes, header: str, secret: str) -> bool:
    """Whether ``header``, the value of ``X-Hub-Signature``, is the body's HMAC with the secret (section 7.1).

    The comparison takes constant time.

    >>> is_signed(b"news", "sha256=" + hmac.new(b"secret", b"news", "sha256").hexdigest(), "secret")
    True
    """
    name, _, given = header.strip().partition("=")
    method = METHODS.get(name.lower())
    if method is None:
        return False
    return hmac.compare_digest(hmac.new(secret.encode(), body, method).hexdigest().encode(), given.lower().encode())


async def ask_hubs(
    database: Database,
    settings: PollSettings,
    clock: Callable[[], datetime],
    *,
    resolver: AbstractResolver | None = None,
) -> None:
    """Send the requests to hubs that are due; without a public address, forget all subscriptions.

    A hub that fails is asked again later, and the reason is stored. Raises ``StorageError``.
    """
    if not settings.websub_address:
        with database.read() as tx:
            known = hubs.any_known(tx)
        if known:
            with database.write(ARRIVALS) as tx:
                hubs.end_all(tx, clock())
        return
    with database.write(ARRIVALS) as tx:
        claimed = hubs.claim(tx, clock(), callbacks(settings.websub_address), MOST)
    if not claimed:
        return
    claimed.sort(key=lambda each: host_of(each.hub.address))
    slots = asyncio.Semaphore(AT_ONCE)
    async with new_session(settings, resolver, guarded=not settings.allow_private_networks) as session:

        async def ask_one_hub(asked: Sequence[HubSubscription]) -> None:
            async with slots:
                for each in asked:
                    error = await _ask(session, each, settings.fetch_timeout)
                    if error:
                        with database.write(ARRIVALS) as tx:
                            hubs.set_error(tx, each, error)
                    await asyncio.sleep(settings.host_spacing)

        with suppress(TimeoutError):
            async with asyncio.timeout(MOST_SECONDS), asyncio.TaskGroup() as tasks:
                for _, group in groupby(claimed, key=lambda each: host_of(each.hub.address)):
                    tasks.create_task(ask_one_hub(list(group)))


async def _ask(session: aiohttp.ClientSession, what: HubSubscription, seconds: float) -> str:
    """Send one request within ``seconds``. Return why it failed, or an empty text if the hub accepts it."""
    form = {"hub.callback": what.callback, "hub.topic": what.hub.topic, "hub.mode": "unsubscribe"}
    if not what.ending:
        form |= {"hub.mode": "subscribe", "hub.secret": what.secret, "hub.lease_seconds": str(LEASE)}
    url = what.hub.address
    try:
        async with asyncio.timeout(seconds):
            for _ in range(MAX_REDIRECTS + 1):
                status, target = await _post(session, check_url(url), form)
                if not target:
                    return "" if 200 <= status < 300 else f"the hub answered {status}"
                before, url = url, urljoin(url, target)
                if urlsplit(before).scheme == "https" != urlsplit(url).scheme:
                    return "the hub redirects to an address without HTTPS"
            return f"the hub redirects more than {MAX_REDIRECTS} times"
    except TimeoutError:
        return f"the hub did not answer within {seconds:g} seconds"
    except NETWORK_ERRORS as error:
        return f"the hub cannot be asked: {explain(error).reason}"


async def _post(session: aiohttp.ClientSession, url: str, form: dict[str, str]) -> tuple[int, str]:
    """Return the status, and the target of a redirect that keeps the form; otherwise an empty text."""
    async with session.post(
        URL(url, encoded=url.isascii()), data=form, allow_redirects=False, trace_request_ctx=Contact()
    ) as response:
        moved = response.status in (307, 308)
        return response.status, response.headers.get("Location", "") if moved else ""
