"""Errors of mail. Each message is one line: what happened, and what to do."""

from __future__ import annotations

from iscore.core.errors import IscoreError


class MailError(IscoreError):
    """Mail was not, or may not have been, sent."""

    def __init__(self, problem: str, advice: str = "") -> None:
        super().__init__(f"{problem}; {advice}" if advice else problem)
        self.problem = problem
        self.advice = advice


class MailNotSetUpError(MailError):
    """The mail settings are missing or invalid."""


class MailDelayedError(MailError):
    """The server did not accept the message now; a later attempt may succeed."""


class MailRefusedError(MailError):
    """The server did not accept the message, and will not until something is changed."""


class MailUncertainError(MailError):
    """The server may have accepted the message: its answer is missing."""


class MailSentError(MailError):
    """The digest was sent before."""
