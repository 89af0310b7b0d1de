"""Users: their names, roles, time zones and passwords. A new database has one, its admin.

Two names that differ only in case are the same name. There is always an admin.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Row, delete, func, insert, select, update

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import among, chunks
from storage.engine.errors import LastAdmin, RefusedUserName, TakenUserName, UnknownUser
from storage.people import sessions
from storage.records.users import Identity, Role, User
from storage.schema import identities, users
from storage.stream import articles

MAX_NAME = 60
"""Characters of a name."""
_NAME = re.compile(r"\w(?:[\w.@' -]*[\w.])?")
_INVISIBLE = frozenset("\u115f\u1160\u3164\uffa0")
"""Letters that show nothing: fillers of Hangul."""
_ALPHABETS = frozenset({"LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC"})
"""With letters that look the same: a name has those of one."""
_ALIKE = str.maketrans(
    "01I|ıΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορικυАВЕЅІЈКМНОРСТУХЬасԁеһіјӏорԛѕуԝхγѵՕօսոհցⲞⲟ",
    "ollliABEZHlKMNOPTYXavopikuABESlJKMHOPCTYXbacdehijlopqsywxyvOounhgOo",
)
"""Digits and letters of other alphabets, and the Latin ones that look like them (of Unicode's UTS 39)."""
_FIELDS: tuple[Column[Any], ...] = (
    users.c.id,
    users.c.name,
    users.c.seed,
    users.c.role,
    users.c.time_zone,
    users.c.created,
    users.c.password,
    users.c.learns_from_reading,
)


def checked_name(text: str) -> str:
    """Return a name as it is stored: Unicode form NFKC, single blanks. Raises ``RefusedUserName``.

    >>> checked_name("  Jürgen  Smith ")
    'Jürgen Smith'
    """
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    if len(name) > MAX_NAME or not _NAME.fullmatch(name) or not _INVISIBLE.isdisjoint(name):
        raise RefusedUserName(text)
    if len(_ALPHABETS & {unicodedata.name(each, "").partition(" ")[0] for each in name}) > 1:
        raise RefusedUserName(text)
    return name


def add(
    tx: Transaction, name: str, seed: int, *, role: Role = Role.READER, time_zone: str = "", at: datetime | None = None
) -> User:
    """Add a user; the first has the id 1. What is older than their subscriptions is not decided about.

    ``at`` is the time of their creation. Raises ``RefusedUserName``, ``TakenUserName``.
    """
    name = _free_name(tx, name)
    values: dict[str, Any] = {"name": name, "name_key": _key(name), "role": role, "time_zone": time_zone}
    values |= {"created": at, "seed": seed, "decided_to": articles.last_seq(tx)}
    key = tx.connection.execute(insert(users).values(values)).inserted_primary_key
    return get(tx, key[0] if key else 0)


def get(tx: Transaction, user_id: int) -> User:
    """Return a user. Raises ``UnknownUser``."""
    row = tx.connection.execute(select(*_FIELDS).where(users.c.id == user_id)).one_or_none()
    if row is None:
        raise UnknownUser(user_id)
    return _user(row)


def find(tx: Transaction, name: str) -> User | None:
    """Return the user of this name, in any case; None if there is none."""
    row = tx.connection.execute(select(*_FIELDS).where(users.c.name_key == _key(name))).one_or_none()
    return None if row is None else _user(row)


def list_users(tx: Transaction, most: int | None = None) -> list[User]:
    """List all users, or the first ``most``, the first first."""
    return list(map(_user, tx.connection.execute(select(*_FIELDS).order_by(users.c.id).limit(most))))


def count(tx: Transaction) -> int:
    """Count all users."""
    return int(tx.connection.execute(select(func.count()).select_from(users)).scalar_one())


def first(tx: Transaction) -> User:
    """Return the first user: who is meant where nobody is named."""
    return _user(tx.connection.execute(select(*_FIELDS).order_by(users.c.id).limit(1)).one())


def only(tx: Transaction) -> User | None:
    """Return the only user; None if there are several. Reads no more than two of them."""
    rows = tx.connection.execute(select(*_FIELDS).order_by(users.c.id).limit(2)).all()
    return _user(rows[0]) if len(rows) == 1 else None


def decided_to(tx: Transaction, user_id: int) -> int:
    """Return the article up to which every story has a decision for a user.

    Queries get it as a number: to a server that has to look it up it could be anywhere, and it would read everything.
    """
    return int(tx.connection.execute(select(users.c.decided_to).where(users.c.id == user_id)).scalar_one())


def rename(tx: Transaction, user_id: int, name: str) -> None:
    """Give a user another name. Raises ``RefusedUserName``, ``TakenUserName``, ``UnknownUser``."""
    name = _free_name(tx, name, user_id)
    _set(tx, user_id, {"name": name, "name_key": _key(name)})


def set_role(tx: Transaction, user_id: int, role: Role) -> None:
    """Make a user an admin or a reader. Raises ``LastAdmin`` if no admin would be left, ``UnknownUser``."""
    if role is not Role.ADMIN:
        require_another_admin(tx, user_id)
    _set(tx, user_id, {"role": role})


def set_time_zone(tx: Transaction, user_id: int, name: str) -> None:
    """Give a user a time zone by its checked name; empty: that of the settings. Raises ``UnknownUser``."""
    _set(tx, user_id, {"time_zone": name})


def set_password(tx: Transaction, user_id: int, password_hash: str) -> None:
    """Store the hash of a new password, empty for none, and end all sessions. Raises ``UnknownUser``."""
    _set(tx, user_id, {"password": password_hash})
    sessions.end_all(tx, user_id)


def password_hash(tx: Transaction, user_id: int) -> str:
    """Return the hash of a user's password; empty without one. Raises ``UnknownUser``."""
    found = tx.connection.execute(select(users.c.password).where(users.c.id == user_id)).scalar_one_or_none()
    if found is None:
        raise UnknownUser(user_id)
    return str(found)


def require_another_admin(tx: Transaction, user_id: int) -> None:
    """Raise ``LastAdmin`` unless there is an admin beside this user."""
    others = select(func.count()).where(users.c.role == Role.ADMIN, users.c.id != user_id)
    if not tx.connection.execute(others).scalar_one():
        raise LastAdmin


def _free_name(tx: Transaction, text: str, user_id: int = 0) -> str:
    """Return the checked name if no other user has it."""
    name = checked_name(text)
    shapes = _shapes(name)
    for holder in list_users(tx):
        if holder.id != user_id and not shapes.isdisjoint(_shapes(holder.name)):
            raise TakenUserName(holder.name)
    return name


def _shapes(name: str) -> set[str]:
    """Return what a name looks like, as it is written and in small letters; two alike names share one.

    >>> _shapes("Anna1") & _shapes("anna\u006c"), _shapes("Вов") & _shapes("Anna")
    ({'annal'}, set())
    """
    written = (name, _key(name))
    return {_key(each.translate(_ALIKE)).replace("rn", "m").replace("vv", "w") for each in written}


def _set(tx: Transaction, user_id: int, values: dict[str, Any]) -> None:
    if not tx.connection.execute(update(users).where(users.c.id == user_id).values(values)).rowcount:
        raise UnknownUser(user_id)


def _key(name: str) -> str:
    return unicodedata.normalize("NFKC", " ".join(name.split())).casefold()


def _user(row: Row[Any]) -> User:
    shown = row.id, row.name, row.seed, Role(row.role), row.time_zone, row.created
    return User(*shown, bool(row.password), row.learns_from_reading)


def feeds_key(tx: Transaction, user_id: int) -> str:
    """Return the key from which the addresses of a user's personal feeds are made.

    Empty if they have no addresses, or there is no such user.
    """
    query = select(users.c.feeds_key).where(users.c.id == user_id)
    return tx.connection.execute(query).scalar_one_or_none() or ""


def with_feeds_key(tx: Transaction, user_ids: Collection[int]) -> set[int]:
    """Return which of some users have addresses."""
    found: set[int] = set()
    for piece in chunks(sorted(user_ids)):
        query = select(users.c.id).where(among(users.c.id, piece), users.c.feeds_key != "")
        found |= set(tx.connection.execute(query).scalars())
    return found


def set_feeds_key(tx: Transaction, user_id: int, value: str) -> None:
    """Give a user another key for their feeds, or with an empty one none: earlier addresses lead nowhere then."""
    tx.connection.execute(update(users).where(users.c.id == user_id).values(feeds_key=value))


def holder_of_identity(tx: Transaction, issuer: str, subject: str) -> int | None:
    """Return the number of the user who signs in with an account; None if nobody does."""
    c = identities.c
    found = tx.connection.execute(select(c.user_id).where(c.issuer == issuer, c.subject == subject))
    return found.scalar_one_or_none()


def identity(tx: Transaction, user_id: int, issuer: str) -> Identity | None:
    """Return a user's account at a provider; None if they have none there."""
    c = identities.c
    row = tx.connection.execute(select(identities).where(c.user_id == user_id, c.issuer == issuer)).one_or_none()
    return None if row is None else Identity(row.user_id, row.issuer, row.subject, row.created)


def put_identity(tx: Transaction, identity: Identity) -> None:
    """Let a user sign in with an account, in place of another at the same provider."""
    remove_identity(tx, identity.user_id, identity.issuer)
    values = {name: getattr(identity, name) for name in ("user_id", "issuer", "subject", "created")}
    tx.connection.execute(insert(identities).values(values))


def remove_identity(tx: Transaction, user_id: int, issuer: str) -> bool:
    """Let a user sign in with their account at a provider no longer; return whether they could."""
    mine = identities.c.user_id == user_id, identities.c.issuer == issuer
    return bool(tx.connection.execute(delete(identities).where(*mine)).rowcount)


def list_views(tx: Transaction, user_id: int) -> str:
    """Return how a user's lists are shown, as JSON; empty if they changed nothing."""
    return str(tx.connection.execute(select(users.c.list_views).where(users.c.id == user_id)).scalar_one())


def set_list_views(tx: Transaction, user_id: int, text: str) -> None:
    """Store how a user's lists are shown. Raises ``UnknownUser``."""
    _set(tx, user_id, {"list_views": text})
