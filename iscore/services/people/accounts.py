"""Accounts: who is signed in where, who is invited, and passwords of client apps.

Secrets are random, so a plain SHA-256 of each is stored; passwords that people choose are hashed by
``iscore.core.passwords``. Everything that the server decides about a request, ``Accounts`` reads in one transaction.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from iscore.core.clock import Clock
from iscore.core.errors import IscoreError
from iscore.core.translation import gettext
from storage.engine.base_database import Transaction
from storage.engine.errors import StorageError
from storage.log import reading_events
from storage.opening.database import ARRIVALS, Database
from storage.people import app_passwords, documents, invitations, sessions, users
from storage.records.users import AppOption, AppPassword, BrowserSession, Invitation, LoginAttempt, Role, User

SESSION_LIFETIME = timedelta(days=30)
INVITATION_LIFETIME = timedelta(days=7)
TOUCH = timedelta(minutes=5)
"""How exactly the last use of a session or an app's password is recorded. Workers decide about what waits for a user
when they see that they are reading."""
MAX_AGENT = 200
"""Characters stored of what a browser calls itself."""
MAX_APP_NAME = 60
FEEDS = "feeds.yaml"
"""The text of a user's subscriptions."""


class AccountError(IscoreError):
    """What was asked of an account is not possible."""


@dataclass(frozen=True, slots=True)
class Present:
    """What the database knows about who sends a request."""

    only: User | None
    """The only user; None if there are several."""
    signed_in: User | None
    """The user of the session."""
    named: User | None
    """The user whom a proxy names."""
    due: bool = False
    """Whether the session's last use should be recorded."""


class Accounts:
    """The accounts of a data folder."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def present(self, session_id: str = "", name: str = "") -> Present:
        """Return who has the session of this id, and who has this name."""
        now = self._clock()
        with self._database.read() as tx:
            session = sessions.find(tx, digest(session_id), now - SESSION_LIFETIME) if session_id else None
            signed_in = users.get(tx, session.user_id) if session else None
            named = users.find(tx, name) if name else None
            only = users.only(tx)
        due = session is not None and now - session.used >= TOUCH
        return Present(only, signed_in, named, due)

    def touch(self, user_id: int, session_id: str) -> None:
        """Record that a session of a user was used."""
        with self._database.write(user_id) as tx:
            sessions.touch(tx, digest(session_id), self._clock())

    def start_session(self, user_id: int, session_id: str, agent: str) -> None:
        """Record that a user has signed in."""
        now = self._clock()
        session = BrowserSession(user_id, digest(session_id), now, now, agent[:MAX_AGENT])
        with self._database.write(user_id) as tx:
            sessions.add(tx, session, now - SESSION_LIFETIME)

    def end_session(self, user_id: int, session_id: str) -> None:
        """Sign out a browser of a user."""
        with self._database.write(user_id, durable=True) as tx:
            sessions.end(tx, digest(session_id))

    def end_sessions(self, user_id: int, *, programs: bool = False) -> None:
        """Sign out all browsers of a user; with ``programs`` also their apps and readers of their feeds."""
        with self._database.write(user_id, durable=True) as tx:
            sessions.end_all(tx, user_id)
            if programs:
                _shut_out_programs(tx, user_id)

    def sessions(self, user_id: int) -> Sequence[BrowserSession]:
        """List where a user is signed in."""
        with self._database.read() as tx:
            return sessions.list_sessions(tx, user_id, self._clock() - SESSION_LIFETIME)

    def users(self) -> Sequence[User]:
        """List all users, the first first."""
        with self._database.read() as tx:
            return users.list_users(tx)

    def get(self, user_id: int) -> User:
        """Return a user. Raises ``UnknownUser``."""
        with self._database.read() as tx:
            return users.get(tx, user_id)

    def password_hash(self, name: str) -> tuple[User | None, str]:
        """Return the user of this name, or without a name the only one, and the hash of their password, or nothing."""
        with self._database.read() as tx:
            found = users.find(tx, name) if name else users.only(tx)
            return found, users.password_hash(tx, found.id) if found else ""

    def set_password(self, user_id: int, password_hash: str, *, programs: bool = False) -> None:
        """Store a new password, which signs out all browsers of its user, as ``end_sessions``.

        Raises ``UnknownUser``.
        """
        with self._database.write(user_id, durable=True) as tx:
            users.set_password(tx, user_id, password_hash)
            if programs:
                _shut_out_programs(tx, user_id)

    def set_up(self, name: str, password_hash: str) -> User:
        """Give the first user a name, and a password unless it is empty.

        Raises ``RefusedUserName``, ``TakenUserName``; ``AccountError`` if there is a password or a second user.
        """
        with self._database.write(durable=True) as tx:
            only = users.only(tx)
            if only is None or only.has_password:
                raise AccountError(gettext("this server has been set up; nothing was changed"))
            first = only.id
            users.rename(tx, first, name)
            if password_hash:
                users.set_password(tx, first, password_hash)
            return users.get(tx, first)

    def learn_from_reading(self, user_id: int, on: bool) -> None:
        """Let the filter learn from what a user does while they read, or no longer; see ``ReadingEvents``."""
        with self._database.write(user_id, durable=True) as tx:
            reading_events.switch(tx, user_id, on=on)

    def invite(self, by: int, name: str = "", role: Role = Role.READER) -> str:
        """Return the token of a new invitation by the user ``by``. Raises ``RefusedUserName``, ``AccountError``."""
        token, now = secrets.token_urlsafe(32), self._clock()
        with self._database.write(durable=True) as tx:
            if name:
                name = users.checked_name(name)
                if users.find(tx, name) is not None:
                    raise AccountError(gettext("%(name)s is a user already; nobody was invited", name=name))
            invitations.add(tx, Invitation(by, digest(token), name, role, now), now - INVITATION_LIFETIME)
        return token

    def invitation(self, token: str) -> Invitation | None:
        """Return the invitation of a token, if it can be accepted."""
        with self._database.read() as tx:
            return invitations.find(tx, digest(token), self._clock() - INVITATION_LIFETIME)

    def invitations(self) -> Sequence[Invitation]:
        """List the invitations that nobody has accepted."""
        with self._database.read() as tx:
            return invitations.list_invitations(tx, self._clock() - INVITATION_LIFETIME)

    def withdraw(self, key: str) -> None:
        """Delete the invitation of this key."""
        with self._database.write(durable=True) as tx:
            invitations.remove(tx, key)

    def accept(self, token: str, name: str, password_hash: str) -> User:
        """Make a guest a user, once.

        Raises ``AccountError`` for an invitation that is not valid, ``RefusedUserName``, ``TakenUserName``; then
        nothing is changed.
        """
        now = self._clock()
        with self._database.write(durable=True) as tx:
            found = invitations.find(tx, digest(token), now - INVITATION_LIFETIME)
            if found is None:
                raise AccountError(gettext("this invitation is not valid any more; ask for another"))
            invitations.remove(tx, found.key)
            user = new_user(tx, name, found.role, now)
            users.set_password(tx, user.id, password_hash)
            return users.get(tx, user.id)

    def add_reader(self, name: str) -> User:
        """Make a user without a password, whom a proxy signs in. Raises ``RefusedUserName``, ``TakenUserName``."""
        with self._database.write(durable=True) as tx:
            return new_user(tx, name, Role.READER, self._clock())

    def set_role(self, user_id: int, role: Role) -> None:
        """Give a user another role. Raises ``LastAdmin``, ``UnknownUser``."""
        with self._database.write(durable=True) as tx:
            users.set_role(tx, user_id, role)

    def make_app_password(self, user_id: int, app: str, options: Collection[AppOption] = ()) -> str:
        """Return a new password for an app, in place of an earlier one. Raises ``AccountError`` for a bad name.

        ``options``: what marks of the app mean.
        """
        name = " ".join(app.split())
        if not name or len(name) > MAX_APP_NAME or not name.isprintable():
            raise AccountError(gettext("name the app in %(number)s characters or fewer", number=MAX_APP_NAME))
        password = secrets.token_urlsafe(24)  # 192 bits
        with self._database.write(user_id, durable=True) as tx:
            key = fever_key(users.get(tx, user_id).name, password)
            wanted = tuple(sorted(options))
            made = AppPassword(user_id, name, digest(password), self._clock(), None, wanted, fever_key=digest(key))
            app_passwords.put(tx, made)
        return password

    def app_passwords(self, user_id: int) -> Sequence[AppPassword]:
        """List the apps of a user that have a password."""
        with self._database.read() as tx:
            return app_passwords.list_passwords(tx, user_id)

    def app(self, name: str, password: str) -> AppPassword | None:
        """Return the app of the user of this name that has this password; None if there is none."""
        with self._database.read() as tx:
            user = users.find(tx, name)
            found = app_passwords.list_passwords(tx, user.id) if user else []
        key = digest(password)
        return next((each for each in found if hmac.compare_digest(each.key, key)), None)

    def app_of_password(self, password: str) -> AppPassword | None:
        """Return the app, of whatever user, that has this password; None if there is none."""
        with self._database.read() as tx:
            return app_passwords.find_key(tx, digest(password))

    def app_of_fever_key(self, key: str) -> AppPassword | None:
        """Return the app whose password and user make this key of the Fever API; None if there is none."""
        with self._database.read() as tx:
            return app_passwords.find_fever_key(tx, digest(key.lower()))

    def touch_app(self, app: AppPassword) -> None:
        """Record that an app has used its password."""
        with self._database.write(app.user_id) as tx:
            app_passwords.touch(tx, app.user_id, app.name, self._clock())

    def set_app_options(self, user_id: int, app: str, options: Collection[AppOption]) -> bool:
        """Choose what marks of an app mean; return whether the app has a password."""
        with self._database.write(user_id, durable=True) as tx:
            return app_passwords.set_options(tx, user_id, app, tuple(sorted(options)))

    def feeds_key(self, user_id: int) -> str:
        """Return the key of a user's personal feeds; empty without any, and for a user who does not exist."""
        with self._database.read() as tx:
            return users.feeds_key(tx, user_id)

    def revoke_app_password(self, user_id: int, app: str) -> bool:
        """Delete the password of an app; return whether it was there."""
        with self._database.write(user_id, durable=True) as tx:
            return app_passwords.revoke(tx, user_id, app)


def _shut_out_programs(tx: Transaction, user_id: int) -> None:
    """Revoke the passwords of a user's apps, and give their feeds new addresses if they have any."""
    for app in app_passwords.list_passwords(tx, user_id):
        app_passwords.revoke(tx, user_id, app.name)
    if users.feeds_key(tx, user_id):
        users.set_feeds_key(tx, user_id, secrets.token_urlsafe(24))


def new_user(tx: Transaction, name: str, role: Role, now: datetime) -> User:
    """Add a user who follows nothing. ``People.move_documents`` has made room for their texts.

    Raises ``RefusedUserName``, ``TakenUserName``.
    """
    # Articles' features are the same for all, so the seed is.
    user = users.add(tx, name, users.first(tx).seed, role=role, at=now)
    documents.put(tx, user.id, FEEDS, "feeds: []\n", now)
    return user


def digest(secret: str) -> str:
    """Return what is stored of a random secret.

    >>> digest("a")[:8]
    'ca978112'
    """
    return hashlib.sha256(secret.encode()).hexdigest()


def fever_key(name: str, password: str) -> str:
    """Return the key that the Fever API makes of a user's name and an app's password.

    >>> fever_key("Anna", "secret")[:8]
    '2990d68c'
    """
    return hashlib.md5(f"{name}:{password}".encode(), usedforsecurity=False).hexdigest()


def expires(invitation: Invitation) -> datetime:
    """Return until when an invitation can be accepted."""
    return invitation.created + INVITATION_LIFETIME


ATTEMPT_LIFETIME = timedelta(days=30)


class LoginAttempts:
    """The attempts of a data folder."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def list(self) -> Sequence[LoginAttempt]:
        """List them, the oldest first."""
        with self._database.read() as tx:
            return sessions.list_attempts(tx, self._clock() - ATTEMPT_LIFETIME)

    def save(self, attempts: Sequence[LoginAttempt]) -> None:
        """Store attempts in place of earlier ones; when that cannot be done now, a restart forgets them."""
        with suppress(StorageError), self._database.write(ARRIVALS) as tx:
            sessions.put_attempts(tx, attempts, self._clock() - ATTEMPT_LIFETIME)
