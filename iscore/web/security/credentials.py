"""The secret that cookies are signed with, and the password's hash: a file in the home that only its owner may read.

It is no part of a backup. A new password comes with a new secret, so that nobody stays signed in.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from iscore.web.errors import ServeError

NAME = "serve.json"


@dataclass(frozen=True, slots=True)
class Kept:
    """What the file holds."""

    secret: str
    password: str
    """The hash, as argon2 writes it; empty when there is no password."""


class Vault:
    """The file ``serve.json`` of a home."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME

    def read(self) -> Kept:
        """Return what the file holds; it is made when there is none. Raises ``ServeError``."""
        try:
            self._require_private()
            document = json.loads(self._path.read_text(encoding="utf-8"))
            kept = Kept(str(document["secret"]), str(document["password"]))
        except FileNotFoundError:
            return self._write("")
        except OSError as error:
            raise ServeError(f"{self._path} cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise ServeError(f"{self._path} is damaged; delete it, and set the password again") from error
        if len(kept.secret) < 32:
            raise ServeError(f"{self._path} is damaged; delete it, and set the password again")
        return kept

    def set_password(self, hashed: str) -> None:
        """Keep the hash of a new password; whoever is signed in is so no longer. Raises ``ServeError``."""
        self._write(hashed)

    def renew(self) -> None:
        """Make a new secret: every cookie that was given out is worthless. Raises ``ServeError``."""
        self._write(self.read().password)

    def _require_private(self) -> None:
        if os.name == "posix" and self._path.stat().st_mode & 0o077:
            raise ServeError(f"others may read {self._path}; `chmod 600` it, and set the password again")

    def _write(self, password: str) -> Kept:
        kept = Kept(secrets.token_urlsafe(32), password)
        unfinished = self._path.with_name(f"{NAME}.unfinished-{secrets.token_hex(4)}")
        try:
            place = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(place, "w", encoding="utf-8") as file:  # noqa: PTH123 -- it is open already
                json.dump({"secret": kept.secret, "password": kept.password}, file)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(self._path)
        except OSError as error:
            raise ServeError(f"{self._path} cannot be written: {error.strerror}") from error
        finally:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
        return kept
