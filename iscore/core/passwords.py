"""Password hashing with argon2, and passwords that a command of the user prints, such as that of a password manager."""

from __future__ import annotations

import shlex
import subprocess

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from iscore.core.errors import IscoreError, PasswordError
from iscore.core.translation import gettext

MIN_LENGTH = 8
MAX_LENGTH = 1000


def hash_password(password: str) -> str:
    """Hash a new password. Raises ``PasswordError`` if it is too short or too long."""
    if len(password) < MIN_LENGTH:
        raise PasswordError(
            gettext("a password needs %(number)s characters or more; nothing was changed", number=MIN_LENGTH)
        )
    if len(password) > MAX_LENGTH:
        raise PasswordError(
            gettext("a password has %(number)s characters or fewer; nothing was changed", number=MAX_LENGTH)
        )
    return PasswordHasher().hash(password)


def matches(password: str, password_hash: str) -> bool:
    """Whether this is the password. Takes some 50 ms either way."""
    try:
        return PasswordHasher().verify(password_hash, password[:MAX_LENGTH])
    except (VerificationError, InvalidHashError):
        return False


TIMEOUT = 60.0
"""Seconds; the command may ask the user to unlock something."""


class PasswordCommandError(IscoreError):
    """A command printed no password. The message says why, without a subject."""


def printed_password(command: str) -> str:
    """Return the first line that a command prints. It runs without a shell. Raises ``PasswordCommandError``.

    >>> printed_password("echo secret")
    'secret'
    """
    try:
        done = subprocess.run(  # noqa: S603 -- the user's own command, without a shell
            shlex.split(command), stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False
        )
    except (OSError, ValueError, IndexError) as error:
        raise PasswordCommandError(f"cannot be run: {error}") from error
    except subprocess.TimeoutExpired as error:
        raise PasswordCommandError(f"took more than {TIMEOUT:.0f} s") from error
    if done.returncode != 0:
        output = " ".join(done.stderr.decode("utf-8", "replace").split())[:200]
        raise PasswordCommandError(f"failed with exit code {done.returncode}{f' ({output})' if output else ''}")
    first = done.stdout.decode("utf-8", "replace").partition("\n")[0].strip("\r")
    if not first:
        raise PasswordCommandError("printed nothing")
    return first
