"""What is refused is refused in words fit to be shown."""

from __future__ import annotations


def refused(error: Exception) -> bool:
    """Return False, for "not accepted". Raises ``AssertionError`` for an error that is not told in one line."""
    message = str(error)
    assert message
    assert len(message.splitlines()) == 1
    return False
