"""The passwords of connections, in a file that only its owner can read: ``connections.json``.

Like the password for mail it is stored as it is, or a command prints it. It is neither in the database nor in backups,
exports or logs.
"""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from iscore.core.documents import replace_file
from iscore.core.errors import IscoreError, os_problem
from iscore.core.file_access import exclusive_lock, is_open_to_others
from iscore.core.passwords import PasswordCommandError, printed_password


class ConnectError(IscoreError):
    """A connection cannot be made, is missing, or has no password."""


NAME = "connections.json"
AGAIN = "connect again with `iscore connect`"
LOCK_SECONDS = 10.0
"""The file of all users is written in a few milliseconds."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A password, or the command that prints it. Its repr shows neither."""

    password: str = field(default="", repr=False)
    command: str = field(default="", repr=False)

    def read(self) -> str:
        """Return the password. Raises ``ConnectError``."""
        if not self.password and not self.command:
            raise ConnectError("no password was given; type it, or use --password-file or --password-command")
        try:
            return self.password or printed_password(self.command)
        except PasswordCommandError as error:
            raise ConnectError(f"the password command {error}; run it by hand as the user who runs iscore") from error


class PasswordFile:
    """The file of a data folder, for all its users. All methods raise ``ConnectError``.

    Those that write raise ``LockedError`` if others write all the time.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME

    def get(self, user_id: int) -> Secret:
        """Return the secret of a user's connection."""
        found = self._read().get(str(user_id))
        if not isinstance(found, dict):
            raise ConnectError(f"the password of the connection is not in {self._path}; {AGAIN}")
        return Secret(str(found.get("password", "")), str(found.get("command", "")))

    def put(self, user_id: int, secret: Secret) -> None:
        """Store a secret in place of an earlier one."""
        given = {"password": secret.password} if secret.password else {"command": secret.command}
        with self._locked():
            self._write({**self._read(), str(user_id): given})

    def remove(self, user_id: int) -> bool:
        """Delete the secret of a user; return whether there was one."""
        with self._locked():
            known = self._read()
            found = known.pop(str(user_id), None) is not None
            if found:
                self._write(known)
            return found

    def _locked(self) -> AbstractContextManager[None]:
        return exclusive_lock(self._path.with_suffix(".lock"), "a password is being stored", wait=LOCK_SECONDS)

    def _read(self) -> dict[str, Any]:
        try:
            if is_open_to_others(self._path):
                raise ConnectError(f"other users can read {self._path}; run `chmod 600` on it, then {AGAIN}")
            found = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise ConnectError(f"{self._path} cannot be read: {os_problem(error)}") from error
        except ValueError as error:
            raise ConnectError(f"{self._path} is damaged; delete it and {AGAIN}") from error
        return found if isinstance(found, dict) else {}

    def _write(self, content: dict[str, Any]) -> None:
        try:
            replace_file(self._path, json.dumps(content))
        except OSError as error:
            raise ConnectError(f"{self._path} cannot be written: {os_problem(error)}") from error
