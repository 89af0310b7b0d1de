"""The password: argon2, and patience with whoever guesses."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from iscore.web.errors import ServeError

SHORTEST = 8
LONGEST = 1000
FREE = 5
"""Wrong passwords before waiting begins: people mistype."""
LONGEST_WAIT = 300
"""Seconds."""
REMEMBERED = 1000
"""Addresses; so much memory, and no more."""


def hashed(password: str) -> str:
    """Hash a new password. Raises ``ServeError`` when it is too short to be one, or absurdly long."""
    if len(password) < SHORTEST:
        raise ServeError(f"a password needs {SHORTEST} characters or more; nothing was changed")
    if len(password) > LONGEST:
        raise ServeError(f"a password has {LONGEST} characters or fewer; nothing was changed")
    return PasswordHasher().hash(password)


def fits(password: str, kept: str) -> bool:
    """Tell whether this is the password. Takes some 50 ms, whatever it is."""
    try:
        return PasswordHasher().verify(kept, password[:LONGEST])
    except (VerificationError, InvalidHashError):
        return False


class Guesses:
    """Wrong passwords by address: after a few, each costs twice the wait of the one before."""

    def __init__(self) -> None:
        self._wrong: OrderedDict[str, tuple[int, datetime]] = OrderedDict()

    def wait(self, address: str, now: datetime) -> int:
        """Return the seconds before this address may try again; 0 when it may now."""
        wrong, last = self._wrong.get(_neighbourhood(address), (0, now))
        if wrong < FREE:
            return 0
        until = last + timedelta(seconds=min(LONGEST_WAIT, 2 ** (wrong - FREE + 1)))
        return max(0, -(-(until - now) // timedelta(seconds=1)))

    def note(self, address: str, now: datetime, *, right: bool) -> None:
        """Remember how a try went; a right one forgives all before."""
        place = _neighbourhood(address)
        wrong, _ = self._wrong.pop(place, (0, now))
        if not right:
            self._wrong[place] = (min(wrong + 1, 64), now)
            if len(self._wrong) > REMEMBERED:
                self._wrong.popitem(last=False)


def _neighbourhood(address: str) -> str:
    """Return who is behind an address: in IPv6 everybody has a whole network of them."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address) and found.ipv4_mapped is None:
        return str(IPv6Address(int(found) >> 64 << 64))
    return str(found)
