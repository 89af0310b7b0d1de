"""The secret of cookies, and whether the server has been set up, in a file that only its owner can read.

Passwords are in the database. Earlier versions had one here, which ``adopt_password`` moves there. Backups leave the
file out.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from pathlib import Path

from iscore.core.documents import replace_file
from iscore.core.errors import os_problem
from iscore.core.file_access import is_open_to_others
from iscore.services.people.accounts import Accounts
from iscore.web.errors import ServeError

NAME = "serve.json"
RESET = "set the password again with `iscore serve --set-password`"


@dataclass(frozen=True, slots=True)
class Credentials:
    """The content of the file."""

    secret: str
    set_up: bool
    """Whether the first user has chosen how to sign in, perhaps without a password. True for files of earlier versions,
    which say nothing about it."""
    password: str = ""
    """Argon2 hash in files of earlier versions."""


class CredentialStore:
    """The file ``serve.json`` of a data folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME

    def read(self) -> Credentials:
        """Return the credentials; create the file if it is missing. Raises ``ServeError``."""
        try:
            self._require_private()
            document = json.loads(self._path.read_text(encoding="utf-8"))
            found = Credentials(
                str(document["secret"]), bool(document.get("set_up", True)), str(document.get("password", ""))
            )
        except FileNotFoundError:
            return self._write(Credentials(secrets.token_urlsafe(32), set_up=False))
        except OSError as error:
            raise ServeError(f"{self._path} cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ServeError(f"{self._path} is damaged; delete it and {RESET}") from error
        if len(found.secret) < 32:
            raise ServeError(f"{self._path} is damaged; delete it and {RESET}")
        return found

    def mark_set_up(self) -> None:
        """Record that the server has been set up, and drop an earlier version's password. Raises ``ServeError``."""
        found = self.read()
        if not found.set_up or found.password:
            self._write(Credentials(found.secret, set_up=True))

    def adopt_password(self, accounts: Accounts) -> None:
        """Move the password of an earlier version to the first user, unless they have one. Raises ``ServeError``."""
        password = self.read().password
        if password:
            first = accounts.first()
            if not first.has_password:
                accounts.set_password(first.id, password)
            self.mark_set_up()

    def _require_private(self) -> None:
        if is_open_to_others(self._path):
            raise ServeError(f"other users can read {self._path}; run `chmod 600` on it, then {RESET}")

    def _write(self, credentials: Credentials) -> Credentials:
        try:
            replace_file(self._path, json.dumps({"secret": credentials.secret, "set_up": credentials.set_up}))
        except OSError as error:
            raise ServeError(f"{self._path} cannot be written: {os_problem(error)}") from error
        return credentials
