"""Signing in with an account at a provider of OpenID Connect: which user it belongs to, and new users."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice

from iscore.core.clock import Clock
from iscore.core.translation import gettext
from iscore.services.people.accounts import INVITATION_LIFETIME, AccountError, new_user
from storage.engine.base_database import Transaction
from storage.engine.errors import RefusedUserName
from storage.opening.database import Database
from storage.people import invitations, users
from storage.records.users import Identity, Role, User

MOST_NUMBERED = 50
"""Names such as Anna 2 that are tried."""


@dataclass(frozen=True, slots=True)
class ProvenIdentity:
    """An account at a provider that has proven itself."""

    issuer: str
    subject: str
    names: tuple[str, ...] = ()
    """What the provider calls its owner, the best first; may be anything."""


class Identities:
    """The accounts with which the users of a data folder sign in."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def user_of(self, proven: ProvenIdentity) -> User | None:
        """Return the user who signs in with an account; None if nobody does."""
        with self._database.read() as tx:
            found = users.holder_of_identity(tx, proven.issuer, proven.subject)
            return None if found is None else users.get(tx, found)

    def of_user(self, user_id: int, issuer: str) -> Identity | None:
        """Return a user's account at a provider; None if they have none there."""
        with self._database.read() as tx:
            return users.identity(tx, user_id, issuer)

    def link(self, user_id: int, proven: ProvenIdentity) -> None:
        """Let a user sign in with an account. Raises ``AccountError`` if another user does."""
        with self._database.write(durable=True) as tx:
            holder = users.holder_of_identity(tx, proven.issuer, proven.subject)
            if holder not in (None, user_id):
                raise AccountError(gettext("another user signs in with this account; nothing was changed"))
            self._put(tx, user_id, proven)

    def unlink(self, user_id: int, issuer: str) -> None:
        """Let a user sign in with their account no longer. Raises ``AccountError`` for one without a password."""
        with self._database.write(user_id, durable=True) as tx:
            if not users.get(tx, user_id).has_password:
                raise AccountError(gettext("set a password first, or you could not sign in any more"))
            users.remove_identity(tx, user_id, issuer)

    def add_reader(self, proven: ProvenIdentity) -> User:
        """Make the owner of an account a reader who signs in with it, or return who does already."""
        with self._database.write(durable=True) as tx:
            return self._known(tx, proven) or self._add(tx, proven, Role.READER)

    def accept(self, invitation: str, proven: ProvenIdentity) -> User:
        """Make the owner of an account a user by an invitation, once; ``invitation`` is its key.

        A user who signs in with the account already is returned, and the invitation stays. Raises ``AccountError`` for
        an invitation that is not valid any more.
        """
        since = self._clock() - INVITATION_LIFETIME
        with self._database.write(durable=True) as tx:
            known = self._known(tx, proven)
            if known is not None:
                return known
            found = invitations.find(tx, invitation, since)
            if found is None:
                raise AccountError(gettext("this invitation is not valid any more; ask for another"))
            invitations.remove(tx, found.key)
            return self._add(tx, proven, found.role, found.name)

    def _known(self, tx: Transaction, proven: ProvenIdentity) -> User | None:
        holder = users.holder_of_identity(tx, proven.issuer, proven.subject)
        return None if holder is None else users.get(tx, holder)

    def _add(self, tx: Transaction, proven: ProvenIdentity, role: Role, proposed: str = "") -> User:
        name = _free_name(tx, [proposed, *proven.names])
        user = new_user(tx, name, role, self._clock())
        self._put(tx, user.id, proven)
        return user

    def _put(self, tx: Transaction, user_id: int, proven: ProvenIdentity) -> None:
        users.put_identity(tx, Identity(user_id, proven.issuer, proven.subject, self._clock()))


def _free_name(tx: Transaction, proposed: Sequence[str]) -> str:
    """Return the first name that may be used and that nobody has, with a number if need be."""
    return next(name for name in _names(proposed) if users.find(tx, name) is None)


def _names(proposed: Sequence[str]) -> Iterator[str]:
    for text in (each for each in proposed if each.strip()):
        try:
            name = users.checked_name(text)
        except RefusedUserName:
            continue
        yield name
        for number in islice(count(2), MOST_NUMBERED):
            if len(name) + 4 <= users.MAX_NAME:
                yield f"{name} {number}"
    while True:
        yield f"reader {secrets.token_hex(4)}"
