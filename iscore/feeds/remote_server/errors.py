"""What can go wrong with another reader server. Each message is one line that says what to do."""

from __future__ import annotations

from datetime import datetime

from iscore.core.errors import IscoreError


class ReaderServerError(IscoreError):
    """Another reader server did not do what it was asked."""


class SignInRefusedError(ReaderServerError):
    """It does not accept the name and the password."""


class NotAReaderServerError(ReaderServerError):
    """There is no Google Reader API at the address."""


class ReaderServerBusyError(ReaderServerError):
    """It asks to wait."""

    def __init__(self, message: str, until: datetime | None) -> None:
        super().__init__(message)
        self.until = until
        """None: it does not say how long."""


class RequestRefusedError(ReaderServerError):
    """It refuses this request, and would refuse it again."""
