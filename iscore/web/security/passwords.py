"""Growing delays after failed logins. They are counted in memory, and stored so that a restart forgets none."""

from __future__ import annotations

import hashlib
import hmac
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from ipaddress import IPv6Address

from iscore.web.security.client_address import parsed
from storage.records.users import LoginAttempt

FREE_ATTEMPTS = 5
"""Failed attempts before delays start."""
MAX_DELAY = 300
"""Seconds."""
MAX_ADDRESSES = 1000
"""Addresses in memory."""
ACCOUNT_DIGITS = 3
"""Hexadecimal ones of what accounts are counted under. These 4,096 counters are all kept, so made-up names push out
none; names that share one wait together, at most ``ACCOUNT_DELAY``, and not where their users have signed in."""
ACCOUNT_ATTEMPTS = 20
"""Failed attempts on one account, from all addresses, before delays start."""
ACCOUNT_DELAY = 60
"""Seconds."""
CLOCK_AHEAD = timedelta(hours=1)
"""Failures that are later than now by more than this are of a clock that was ahead: they lock nobody out until then."""
KINDS = ("address", "account", "usual")
"""What attempts are stored as: by address, by account, and where a user has signed in recently."""
OF_APPS = "app "
"""Begins the kinds of attempts of client apps."""


class FailedLogins:
    """Failed logins by a key: after ``free``, each doubles the delay, up to ``longest`` seconds."""

    def __init__(self, free: int = FREE_ATTEMPTS, longest: int = MAX_DELAY, most: int = MAX_ADDRESSES) -> None:
        self._free = free
        self._longest = longest
        self._most = most
        self._wrong: OrderedDict[str, tuple[int, datetime]] = OrderedDict()

    def wait(self, key: str, now: datetime) -> int:
        """Return the seconds until the next try; 0 for now."""
        wrong, last = self._wrong.get(key, (0, now))
        if wrong < self._free or last - now > CLOCK_AHEAD:
            return 0
        until = last + timedelta(seconds=min(self._longest, 2 ** (wrong - self._free + 1)))
        return max(0, -(-(until - now) // timedelta(seconds=1)))

    def note(self, key: str, now: datetime, *, right: bool) -> int:
        """Record an attempt, and return the failures in a row; a successful one clears them."""
        wrong, _ = self._wrong.pop(key, (0, now))
        return self.put(key, 0 if right else min(wrong + 1, 64), now)

    def is_clear(self, key: str) -> bool:
        """Whether there are no failures."""
        return key not in self._wrong

    def put(self, key: str, wrong: int, last: datetime) -> int:
        """Set and return the failures in a row."""
        if wrong:
            self._wrong[key] = wrong, last
            if len(self._wrong) > self._most:
                self._wrong.popitem(last=False)
        return wrong


class LoginLimits:
    """Delays by address and by account.

    Those of an account do not hold for addresses from which its user has signed in recently: guessing from many
    addresses locks nobody out of their usual place.

    ``known`` are the attempts of before; ``save`` gets each new one. Neither has an address or a name: their keys are
    digests with ``secret``. Limits with another ``prefix`` count apart; it begins the kinds of attempts.
    """

    def __init__(
        self,
        secret: str = "",
        known: Iterable[LoginAttempt] = (),
        save: Callable[[Sequence[LoginAttempt]], object] = lambda _: None,
        *,
        prefix: str = "",
    ) -> None:
        self._secret = secret
        self._save = save
        self._addresses = FailedLogins()
        self._accounts = FailedLogins(ACCOUNT_ATTEMPTS, ACCOUNT_DELAY, 16**ACCOUNT_DIGITS)
        self._usual: OrderedDict[str, None] = OrderedDict()
        self._address, self._account, self._usual_place = (f"{prefix}{kind}" for kind in KINDS)
        for each in known:
            if each.kind == self._address:
                self._addresses.put(each.key, each.wrong, each.at)
            elif each.kind == self._account and len(each.key) == ACCOUNT_DIGITS:
                self._accounts.put(each.key, each.wrong, each.at)
            elif each.kind == self._usual_place:
                self._add_usual(each.key)

    def wait(self, address: str, account: str, now: datetime) -> int:
        """Return the seconds until this address may try this account again; 0 for now."""
        place, name, usual = self._keys(address, account)
        wait = self._addresses.wait(place, now)
        return wait if usual in self._usual else max(wait, self._accounts.wait(name, now))

    def is_usual(self, address: str, account: str) -> bool:
        """Whether another sign-in changes nothing: there was one recently from the address, and no failure since."""
        place, name, usual = self._keys(address, account)
        return usual in self._usual and self._addresses.is_clear(place) and self._accounts.is_clear(name)

    def note(self, address: str, account: str, now: datetime, *, right: bool) -> None:
        """Record an attempt; a successful one clears the failures of the address and the account."""
        place, name, usual = self._keys(address, account)
        attempts = [
            LoginAttempt(self._address, place, self._addresses.note(place, now, right=right), now),
            LoginAttempt(self._account, name, self._accounts.note(name, now, right=right), now),
        ]
        if right:
            self._add_usual(usual)
            attempts.append(LoginAttempt(self._usual_place, usual, 0, now))
        self._save(attempts)

    def _add_usual(self, key: str) -> None:
        self._usual[key] = None
        self._usual.move_to_end(key)
        if len(self._usual) > MAX_ADDRESSES:
            self._usual.popitem(last=False)

    def _keys(self, address: str, account: str) -> tuple[str, str, str]:
        """Return what address, account, and both together are counted under."""
        place = network(address)
        name = self._key(f"account {account}")[:ACCOUNT_DIGITS]
        return self._key(place), name, self._key(f"{place} and {account}")

    def _key(self, text: str) -> str:
        return hmac.new(self._secret.encode(), text.encode(), hashlib.sha256).hexdigest()[:32]


def network(address: str) -> str:
    """Return the network of an address: for IPv6 its /64, since one client has all of it."""
    found = parsed(address)
    if isinstance(found, IPv6Address):
        return str(IPv6Address(int(found) >> 64 << 64))
    return str(found or address[:100])
