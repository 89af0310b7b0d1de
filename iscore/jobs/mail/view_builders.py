"""Builds views of the mail of digests, with advice."""

from __future__ import annotations

from iscore.services.views.digests import MailingView
from storage.records.deliveries import Mailing, MailState


def mailing_view(mailing: Mailing, *, made: bool) -> MailingView:
    """Return the view of one digest's mail."""
    return MailingView(
        digest=mailing.digest,
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


def resend(digest: str) -> str:
    """Return how to send a digest again."""
    return f"`iscore mail send --date {digest} --again` sends it again"


def _advice(mailing: Mailing) -> str:
    match mailing.state:
        case MailState.UNCERTAIN:
            return f"check whether it has arrived; if not, {resend(mailing.digest)}"
        case MailState.FAILED:
            return f"when that is fixed, `iscore mail send --date {mailing.digest}`"
        case MailState.MISSED:
            return "its articles are in the next digest"
        case MailState.WAITING if mailing.error:
            return "`iscore run` tries again automatically; `iscore mail send` tries at once"
    return ""
