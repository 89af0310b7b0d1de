"""Growing delays after failed logins."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime, timedelta
from ipaddress import IPv6Address

from iscore.web.security.client_address import parsed

FREE_ATTEMPTS = 5
"""Failed attempts before delays start."""
MAX_DELAY = 300
"""Seconds."""
MAX_ADDRESSES = 1000
"""Addresses in memory."""


class FailedLogins:
    """Failed logins by address: after a few, each doubles the delay."""

    def __init__(self) -> None:
        self._wrong: OrderedDict[str, tuple[int, datetime]] = OrderedDict()

    def wait(self, address: str, now: datetime) -> int:
        """Return the seconds until this address may try again; 0 for now."""
        wrong, last = self._wrong.get(_network(address), (0, now))
        if wrong < FREE_ATTEMPTS:
            return 0
        until = last + timedelta(seconds=min(MAX_DELAY, 2 ** (wrong - FREE_ATTEMPTS + 1)))
        return max(0, -(-(until - now) // timedelta(seconds=1)))

    def note(self, address: str, now: datetime, *, right: bool) -> None:
        """Record an attempt; a successful one clears the failures."""
        place = _network(address)
        wrong, _ = self._wrong.pop(place, (0, now))
        if not right:
            self._wrong[place] = (min(wrong + 1, 64), now)
            if len(self._wrong) > MAX_ADDRESSES:
                self._wrong.popitem(last=False)


def _network(address: str) -> str:
    """Return the key of an address: for IPv6 its /64 network, since one client has all of it."""
    found = parsed(address)
    if isinstance(found, IPv6Address):
        return str(IPv6Address(int(found) >> 64 << 64))
    return str(found or address[:100])
