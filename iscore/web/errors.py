"""What can keep the pages from being served."""

from __future__ import annotations

from iscore.core.errors import IscoreError


class ServeError(IscoreError):
    """The pages cannot be served like this."""
