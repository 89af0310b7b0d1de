"""Password hashing with argon2."""

from __future__ import annotations

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from iscore.core.errors import PasswordError
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
