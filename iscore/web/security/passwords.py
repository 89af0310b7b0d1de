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


ACCOUNT_ATTEMPTS = 20
"""Failed attempts on one account, from all addresses, before delays start."""
ACCOUNT_DELAY = 60
"""Seconds."""


class FailedLogins:
    """Failed logins by address: after ``free``, each doubles the delay, up to ``longest`` seconds."""

    def __init__(self, free: int = FREE_ATTEMPTS, longest: int = MAX_DELAY) -> None:
        self._free = free
        self._longest = longest
        self._wrong: OrderedDict[str, tuple[int, datetime]] = OrderedDict()

    def wait(self, address: str, now: datetime) -> int:
        """Return the seconds until this address may try again; 0 for now."""
        wrong, last = self._wrong.get(_network(address), (0, now))
        if wrong < self._free:
            return 0
        until = last + timedelta(seconds=min(self._longest, 2 ** (wrong - self._free + 1)))
        return max(0, -(-(until - now) // timedelta(seconds=1)))

    def note(self, address: str, now: datetime, *, right: bool) -> None:
        """Record an attempt; a successful one clears the failures."""
        place = _network(address)
        wrong, _ = self._wrong.pop(place, (0, now))
        if not right:
            self._wrong[place] = (min(wrong + 1, 64), now)
            if len(self._wrong) > MAX_ADDRESSES:
                self._wrong.popitem(last=False)


class LoginLimits:
    """Delays by address and by account.

    Those of an account do not hold for addresses from which its user has signed in since the server started: guessing
    from many addresses locks nobody out of their usual place.
    """

    def __init__(self) -> None:
        self._addresses = FailedLogins()
        self._accounts = FailedLogins(ACCOUNT_ATTEMPTS, ACCOUNT_DELAY)
        self._usual: OrderedDict[tuple[str, str], None] = OrderedDict()

    def wait(self, address: str, account: str, now: datetime) -> int:
        """Return the seconds until this address may try this account again; 0 for now."""
        wait = self._addresses.wait(address, now)
        if (_network(address), account) in self._usual:
            return wait
        return max(wait, self._accounts.wait(f"account {account}", now))

    def note(self, address: str, account: str, now: datetime, *, right: bool) -> None:
        """Record an attempt; a successful one clears the failures of the address and the account."""
        self._addresses.note(address, now, right=right)
        self._accounts.note(f"account {account}", now, right=right)
        if right:
            self._usual[_network(address), account] = None
            self._usual.move_to_end((_network(address), account))
            if len(self._usual) > MAX_ADDRESSES:
                self._usual.popitem(last=False)


def _network(address: str) -> str:
    """Return the key of an address: for IPv6 its /64 network, since one client has all of it."""
    found = parsed(address)
    if isinstance(found, IPv6Address):
        return str(IPv6Address(int(found) >> 64 << 64))
    return str(found or address[:100])
