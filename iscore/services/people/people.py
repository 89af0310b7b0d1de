"""The people who share a data folder: list, add, change and remove them.

With one user, feeds.yaml, rules.yaml and config.toml are files. The first person who is added moves them into the
database: then each person has their own, and config.toml keeps the settings of the server.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from iscore.core import documents as texts
from iscore.core.clock import zone_named
from iscore.core.errors import ConfigError, UnknownUserError
from iscore.core.settings_text import parted, values_of
from iscore.services.connections.passwords import PasswordFile
from iscore.services.reading.pictures import PictureCache
from iscore.services.session.user_session import UserContext, UserSession, postponed_file
from iscore.services.views.people import AddedPerson, PersonView
from storage.engine.base_database import Transaction
from storage.engine.errors import DatabaseBusy, DiskFull
from storage.exchange.user_removal import remove_user
from storage.people import documents, users
from storage.records.users import Role, User
from storage.stream import feeds


class People:
    """The people who share a data folder."""

    def __init__(self, session: UserSession) -> None:
        folder = self._folder = session.context.folder
        self._database = session.database
        self._clock = session.context.clock
        self._files = (folder.feeds, folder.rules, folder.config)

    def list(self, most: int | None = None) -> list[PersonView]:
        """List them, or the first ``most`` of them, the first first."""
        with self._database.read() as tx:
            found = users.list_users(tx, most)
            counts = feeds.count_listed(tx, None if most is None else [each.id for each in found])
        return [_view(each, counts.get(each.id, 0)) for each in found]

    def names(self) -> dict[int, str]:
        """Return their names by number, the first first."""
        with self._database.read() as tx:
            return {each.id: each.name for each in users.list_users(tx)}

    def contexts(self) -> Sequence[UserContext]:
        """Return the settings, time zone and texts of each of them, the first first."""
        with self._database.read() as tx:
            found = users.list_users(tx)
        return [UserContext(self._folder, self._database, self._clock, each.id) for each in found]

    def add(
        self, name: str, *, role: Role = Role.READER, time_zone: str = "", password: str | None = None
    ) -> AddedPerson:
        """Add a person, who follows nothing yet. The first one moves the files of the only user into the database.

        Raises ``RefusedUserName``, ``TakenUserName``, ``PasswordError``, ``ConfigError``, ``OSError`` with nothing
        changed.
        """
        _check_time_zone(time_zone)
        password_hash = "" if password is None else _hashed(password)
        now, left = self._clock(), None
        with self._database.write(durable=True) as tx:
            first = users.first(tx)
            if not documents.are_stored(tx, first.id):
                left = self._move(tx, first, now)
            # Articles' features are the same for all, so the seed is.
            added = users.add(tx, name, first.seed, role=role, time_zone=time_zone, at=now)
            users.set_password(tx, added.id, password_hash)
            documents.put(tx, added.id, self._folder.feeds.name, "feeds: []\n", now)
            view = _view_of(tx, added.id)
        return AddedPerson(view, () if left is None else self._set_aside(left, now))

    def move_documents(self) -> tuple[Path, ...]:
        """Move the files of the only user into the database, as ``add`` does; return their copies, if any.

        Raises ``ConfigError``, ``OSError`` with nothing changed.
        """
        now = self._clock()
        with self._database.write(durable=True) as tx:
            first = users.first(tx)
            if documents.are_stored(tx, first.id):
                return ()
            left = self._move(tx, first, now)
        return self._set_aside(left, now)

    def set_password(self, name: str, password: str) -> PersonView:
        """Give a person another password. Raises ``UnknownUserError``, ``PasswordError``."""
        password_hash = _hashed(password)
        with self._database.write(durable=True) as tx:
            user = _found(tx, name)
            users.set_password(tx, user.id, password_hash)
            return _view_of(tx, user.id)

    def set_role(self, name: str, role: Role) -> PersonView:
        """Give a person another role. Raises ``UnknownUserError``, ``LastAdmin``."""
        with self._database.write(durable=True) as tx:
            user = _found(tx, name)
            users.set_role(tx, user.id, role)
            return _view_of(tx, user.id)

    def set_time_zone(self, name: str, time_zone: str) -> None:
        """Give a person a time zone; empty: that of their settings. Raises ``UnknownUserError``, ``ConfigError``."""
        _check_time_zone(time_zone)
        with self._database.write(durable=True) as tx:
            users.set_time_zone(tx, _found(tx, name).id, time_zone)

    def rename(self, name: str, new: str) -> PersonView:
        """Give a person another name. Raises ``UnknownUserError``, ``RefusedUserName``, ``TakenUserName``."""
        with self._database.write(durable=True) as tx:
            user = _found(tx, name)
            users.rename(tx, user.id, new)
            return _view_of(tx, user.id)

    def remove(self, name: str) -> PersonView:
        """Remove a person with all that is theirs; see ``storage.exchange.user_removal``. There is no way back.

        Then the database is rewritten, so that the file has nothing of it either, unless another process uses it.
        Raises ``UnknownUserError``, ``LastAdmin``.
        """
        with self._database.write(durable=True) as tx:
            user = _found(tx, name)
            view, was_first = _view_of(tx, user.id), user.id == users.first(tx).id
            remove_user(tx, user.id)
        postponed_file(self._folder, user.id).unlink(missing_ok=True)
        PasswordFile(self._folder.path).remove(user.id)
        PictureCache(self._folder.pictures).purge()
        if was_first:
            for file in self._files:
                for copy in file.parent.glob(f"{file.name}.moved-*"):
                    copy.unlink()
        with suppress(DatabaseBusy, DiskFull):
            self._database.rewrite()
        return view

    def _move(self, tx: Transaction, user: User, now: datetime) -> str:
        """Store the texts of the only user; return what is left of config.toml."""
        from iscore.core.settings import PERSONAL, load_settings  # loads pydantic

        content = {file: texts.read(file).decode("utf-8-sig") if file.exists() else "" for file in self._files}
        config = self._folder.config
        settings = load_settings(config)
        try:
            left, personal = parted(content[config], PERSONAL)
            whole = values_of(left) | values_of(personal) == values_of(content[config])
        except ValueError as error:
            raise ConfigError(str(config), str(error)) from error
        if not whole:
            raise ConfigError(str(config), "is not a plain list of settings; nothing was changed")
        given = {name for name in PERSONAL if any(each.upper() == f"ISCORE_{name.upper()}" for each in os.environ)}
        personal = parted(personal, given)[0]
        personal += "".join(f"{name} = {json.dumps(getattr(settings, name))}\n" for name in sorted(given))
        for file, text in {**content, config: personal}.items():
            documents.put(tx, user.id, file.name, text, now)
        return left

    def _set_aside(self, config: str, now: datetime) -> tuple[Path, ...]:
        """Rename the files that were moved; config.toml keeps the settings of the server."""
        copies = []
        for file in self._files:
            if file.exists():
                copy = file.with_name(f"{file.name}.moved-{now:%Y-%m-%d-%H%M%S}")
                if file == self._folder.config:
                    shutil.copy2(file, copy)
                    texts.replace_file(file, config)
                else:
                    file.rename(copy)
                copies.append(copy)
        return tuple(copies)


def _found(tx: Transaction, name: str) -> User:
    user = users.find(tx, name)
    if user is None:
        raise UnknownUserError(name, [each.name for each in users.list_users(tx)])
    return user


def _hashed(password: str) -> str:
    from iscore.core.passwords import hash_password

    return hash_password(password)


def _check_time_zone(name: str) -> None:
    try:
        zone_named(name)
    except ValueError as error:
        raise ConfigError("time zone", str(error)) from error


def _view_of(tx: Transaction, user_id: int) -> PersonView:
    return _view(users.get(tx, user_id), feeds.count_listed(tx, [user_id]).get(user_id, 0))


def _view(user: User, followed: int) -> PersonView:
    return PersonView(user.name, user.role, user.time_zone, user.created, user.has_password, followed)
