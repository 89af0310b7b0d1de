"""Errors of connections to other reader servers."""

from __future__ import annotations

from iscore.core.errors import IscoreError


class ConnectError(IscoreError):
    """A connection cannot be made, is missing, or has no password."""
