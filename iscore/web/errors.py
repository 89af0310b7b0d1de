"""Errors of ``iscore serve``."""

from __future__ import annotations

from iscore.core.errors import IscoreError


class ServeError(IscoreError):
    """The server cannot start with these settings."""
