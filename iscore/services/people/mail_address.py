"""Whether the address to which a user wants their digest is theirs: they enter a code that was mailed to it.

    mail_to ─► due ─► code mailed (``take``, by what polls) ─► ``enter`` ─► confirmed: digests go there
                ▲             └─► ``put_back``: tried again, or refused
                └── ``ask`` for another

Only what is in the database is confirmed: a user who has their settings in a file of their own can mail anyway. How an
address got into the settings does not matter. One to which a digest was sent before is confirmed.
"""

from __future__ import annotations

import hmac
import secrets
from base64 import b32encode
from dataclasses import replace
from datetime import datetime, timedelta

from iscore.core.sanitizing import plain_address
from iscore.services.people.accounts import digest
from iscore.services.session.user_session import UserSession
from iscore.services.views.people import AddressState, MailAddressView
from storage.engine.base_database import Transaction
from storage.people import mail_confirmations
from storage.records.deliveries import Confirmation

LIFETIME = timedelta(days=1)
"""Of a code, from when it was asked for."""
MAX_MAILS = 3
"""With codes that a user can have sent in ``PERIOD``, and that an address gets in it from all users."""
PERIOD = timedelta(days=1)
MAX_WRONG = 10
"""Wrong codes, after which the right one is not accepted either."""
FORGET = timedelta(days=30)
"""After so long, mails are deleted by which nothing was confirmed."""
SHORTEST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)
"""Before the next attempt to send a code."""
CODE_BYTES = 10
"""80 bits, so that a plain digest of a code does not give it away: 16 characters."""


class MailAddress:
    """The address of one user."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._user_id = session.context.user_id

    def is_confirmed(self) -> bool:
        """Whether digests may be mailed to the address of the settings."""
        if not self._context.personal_settings.is_stored:
            return True
        with self._database.read() as tx:
            return mail_confirmations.is_confirmed(tx, self._user_id, self._address())

    def state(self) -> MailAddressView | None:
        """Return how far it is confirmed; None without an address, and for one that is malformed."""
        address, now = self._address(), self._context.clock()
        if not address:
            return None
        if self.is_confirmed():
            return MailAddressView(self._context.settings.mail_to, AddressState.CONFIRMED, None)
        with self._database.read() as tx:
            mails = mail_confirmations.list_confirmations(tx, self._user_id, address)
            later = self._full_until(tx, address, now)
        state = AddressState.SENT if _valid(mails, now) else AddressState.LAPSED
        if mails[0].due is not None if mails else later is None:
            state = AddressState.WAITING if self._context.settings.mail_host else AddressState.NO_SERVER
        return MailAddressView(self._context.settings.mail_to, state, later)

    def ask(self) -> bool:
        """Have a code sent, in addition to earlier ones; return whether one will be: there is a limit."""
        address, now = self._address(), self._context.clock()
        if not address or self.is_confirmed():
            return False
        with self._database.write(durable=True) as tx:  # the limit of an address is over all users
            mails = mail_confirmations.list_confirmations(tx, self._user_id, address)
            if mails and mails[0].due is not None:
                return True
            if self._full_until(tx, address, now) is not None:
                return False
            mail_confirmations.add(tx, self._user_id, address, now, now - FORGET)
        return True

    def enter(self, code: str) -> bool:
        """Confirm the address by a code; return whether it is right and still valid."""
        given, now = digest("".join(filter(str.isalnum, code[:100])).upper()), self._context.clock()
        with self._database.write(self._user_id, durable=True) as tx:
            mails = _valid(mail_confirmations.list_confirmations(tx, self._user_id, self._address()), now)
            right = [hmac.compare_digest(each.key, given) for each in mails]
            for each in mails:
                changed = replace(each, key="", confirmed=now) if any(right) else replace(each, wrong=each.wrong + 1)
                mail_confirmations.put(tx, changed)
        return any(right)

    def due(self, now: datetime) -> datetime | None:
        """Return when a code is to be sent, ``now`` for at once; None: never. Raises ``ConfigError``."""
        address = self._address()
        if not address or not self._context.settings.mail_host or self.is_confirmed():
            return None
        with self._database.read() as tx:
            mails = mail_confirmations.list_confirmations(tx, self._user_id, address)
            if not mails:
                return self._full_until(tx, address, now) or now
        due = mails[0].due
        return now if due is not None and due > now + LONGEST_PAUSE else due  # a clock that was ahead has set it

    def take(self) -> tuple[str, Confirmation] | None:
        """Return a new code to be mailed now, and which mail it is; None: none is due. No other process gets one."""
        now = self._context.clock()
        due = self.due(now)
        if due is None or due > now:
            return None
        self.ask()
        code = b32encode(secrets.token_bytes(CODE_BYTES)).decode()
        with self._database.write(self._user_id, durable=True) as tx:
            mails = mail_confirmations.list_confirmations(tx, self._user_id, self._address())
            if not mails or mails[0].due is None:  # another process was faster
                return None
            mail = replace(mails[0], due=None, key=digest(code))
            if now - mail.asked >= LIFETIME:
                mail_confirmations.put(tx, replace(mail, key=""))
                return None
            mail_confirmations.put(tx, mail)
        return "-".join(code[at : at + 4] for at in range(0, len(code), 4)), mail

    def put_back(self, mail: Confirmation, *, again: bool) -> None:
        """Record that a mail was not accepted; ``again`` sends another code later."""
        now = self._context.clock()
        pause = min(max(SHORTEST_PAUSE, now - mail.asked), LONGEST_PAUSE)  # twice as long each time
        with self._database.write(self._user_id, durable=True) as tx:
            mail_confirmations.put(tx, replace(mail, user_id=self._user_id, due=now + pause if again else None, key=""))

    def _address(self) -> str:
        """Return the address as it is compared; empty for none, and for one that is malformed."""
        try:
            return plain_address(self._context.settings.mail_to).lower()
        except ValueError:
            return ""

    def _full_until(self, tx: Transaction, address: str, now: datetime) -> datetime | None:
        """Return when the next code may be asked for; None: now. Times that a wrong clock set do not count."""
        since, until = now - PERIOD, now + LONGEST_PAUSE
        mine = mail_confirmations.nth_asked(tx, self._user_id, MAX_MAILS, since, until)
        all_users = mail_confirmations.nth_to(tx, address, MAX_MAILS, since, until)
        return max((each + PERIOD for each in (mine, all_users) if each is not None), default=None)


def _valid(mails: list[Confirmation], now: datetime) -> list[Confirmation]:
    """Return the mails whose codes are accepted."""
    return [each for each in mails if each.key and now - each.asked < LIFETIME and each.wrong < MAX_WRONG]
