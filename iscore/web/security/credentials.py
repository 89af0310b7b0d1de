"""The cookie secret and the password hash, in a file that only its owner can read.

Backups leave it out. A new password comes with a new secret, which ends all sessions.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from iscore.core.errors import os_problem
from iscore.web.errors import ServeError

NAME = "serve.json"
RESET = "set the password again with `iscore serve --set-password`"


@dataclass(frozen=True, slots=True)
class Credentials:
    """The content of the file."""

    secret: str
    password: str
    """Argon2 hash; empty without a password."""


class CredentialStore:
    """The file ``serve.json`` of a data folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME

    def read(self) -> Credentials:
        """Return the credentials; create the file if it is missing. Raises ``ServeError``."""
        try:
            self._require_private()
            document = json.loads(self._path.read_text(encoding="utf-8"))
            credentials = Credentials(str(document["secret"]), str(document["password"]))
        except FileNotFoundError:
            return self._write("")
        except OSError as error:
            raise ServeError(f"{self._path} cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise ServeError(f"{self._path} is damaged; delete it and {RESET}") from error
        if len(credentials.secret) < 32:
            raise ServeError(f"{self._path} is damaged; delete it and {RESET}")
        return credentials

    def set_password(self, password_hash: str) -> None:
        """Store a new password hash and end all sessions. Raises ``ServeError``."""
        self._write(password_hash)

    def renew(self) -> None:
        """Replace the secret, which ends all sessions. Raises ``ServeError``."""
        self._write(self.read().password)

    def _require_private(self) -> None:
        if os.name == "posix" and self._path.stat().st_mode & 0o077:
            raise ServeError(f"other users can read {self._path}; run `chmod 600` on it, then {RESET}")

    def _write(self, password: str) -> Credentials:
        credentials = Credentials(secrets.token_urlsafe(32), password)
        unfinished = self._path.with_name(f"{NAME}.unfinished-{secrets.token_hex(4)}")
        try:
            descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 -- a file descriptor
                json.dump({"secret": credentials.secret, "password": credentials.password}, file)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(self._path)
        except OSError as error:
            raise ServeError(f"{self._path} cannot be written: {os_problem(error)}") from error
        finally:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
        return credentials
