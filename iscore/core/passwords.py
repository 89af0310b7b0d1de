"""Password hashing with argon2."""

from __future__ import annotations

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from iscore.core.errors import PasswordError

MIN_LENGTH = 8
MAX_LENGTH = 1000


def hash_password(password: str) -> str:
    """Hash a new password. Raises ``PasswordError`` if it is too short or too long."""
    if len(password) < MIN_LENGTH:
        raise PasswordError(f"a password needs {MIN_LENGTH} characters or more; nothing was changed")
    if len(password) > MAX_LENGTH:
        raise PasswordError(f"a password has {MAX_LENGTH} characters or fewer; nothing was changed")
    return PasswordHasher().hash(password)


def matches(password: str, password_hash: str) -> bool:
    """Whether this is the password. Takes some 50 ms either way."""
    try:
        return PasswordHasher().verify(password_hash, password[:MAX_LENGTH])
    except (VerificationError, InvalidHashError):
        return False
