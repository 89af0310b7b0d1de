"""What may go wrong with mail. Each message is one line: what happened, and what to do."""

from __future__ import annotations

from iscore.core.errors import IscoreError


class MailError(IscoreError):
    """Mail was not sent, or perhaps not."""

    def __init__(self, problem: str, advice: str = "") -> None:
        super().__init__(f"{problem}; {advice}" if advice else problem)
        self.problem = problem
        self.advice = advice


class MailNotSetUpError(MailError):
    """The settings do not say, or not rightly, where mail goes and by which server."""


class MailDelayedError(MailError):
    """It was not accepted this time; trying again later may help by itself."""


class MailRefusedError(MailError):
    """It was not accepted, and will not be before somebody changes something."""


class MailUncertainError(MailError):
    """It may have been accepted: the answer is missing."""


class MailSentError(MailError):
    """It was sent before, and nobody has said that it should be sent twice."""
