"""Records of mail to views: what became of it, and what the person may do."""

from __future__ import annotations

from iscore.services.views.mail import MailingView
from storage.records import Mailing, MailState


def mailing_view(mailing: Mailing, *, made: bool) -> MailingView:
    """Tell what became of the mail of one digest."""
    return MailingView(
        edition=mailing.edition,
        state=mailing.state,
        recipient=mailing.recipient,
        message_id=mailing.message_id,
        attempts=mailing.attempts,
        at=mailing.at,
        next_attempt=mailing.next_attempt,
        error=mailing.error,
        advice=_advice(mailing),
        made=made,
    )


def resend(edition: str) -> str:
    """Say how a digest is sent once more."""
    return f"`iscore mail send --date {edition} --again` sends it once more"


def _advice(mailing: Mailing) -> str:
    match mailing.state:
        case MailState.UNCERTAIN:
            return f"see whether it has arrived; if not, {resend(mailing.edition)}"
        case MailState.FAILED:
            return f"when that is mended, `iscore mail send --date {mailing.edition}`"
        case MailState.MISSED:
            return "its news come with the next digest"
        case MailState.WAITING if mailing.error:
            return "`iscore run` tries it again by itself; `iscore mail send` at once"
    return ""
