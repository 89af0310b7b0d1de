"""Passwords are stored as hashes that are slow to try."""

from __future__ import annotations

import pytest

from iscore.core.errors import PasswordError
from iscore.core.passwords import hash_password, matches

PASSWORD = "a walk by the harbour"


def test_a_password_is_stored_as_argon2_and_no_other_fits() -> None:
    stored = hash_password(PASSWORD)
    assert stored.startswith("$argon2id$v=19$m=65536,t=3,p=4$")  # RFC 9106, section 4, second choice
    assert stored != hash_password(PASSWORD)
    assert matches(PASSWORD, stored)
    assert not matches(PASSWORD + " ", stored)
    assert not matches("", stored)
    assert not matches(PASSWORD, "no hash")


@pytest.mark.parametrize("odd", ["short", "x" * 5000])
def test_a_password_that_is_too_short_or_too_long_changes_nothing(odd: str) -> None:
    with pytest.raises(PasswordError, match="nothing was changed"):
        hash_password(odd)
