"""Mails each digest once.

    lock ─► outbox: waiting ─► login ─► digest made ─► message sent up to its end ─► outbox: sending ─► its end
                                                                 outbox: sent, failed or uncertain ◄───────┘

The digest is made after the login: without a network no articles are used up.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from datetime import date, datetime, time, timedelta, tzinfo
from typing import TYPE_CHECKING, Self

from iscore.core.errors import DigestError
from iscore.core.file_access import LockedError, exclusive_lock
from iscore.core.translation import use_language
from iscore.jobs.mail.account import (
    Account,
    MailDelayedError,
    MailError,
    MailNotSetUpError,
    MailRefusedError,
    MailSentError,
    MailUncertainError,
)
from iscore.jobs.mail.outbox import DONE, IN_TROUBLE, Outbox
from iscore.services.people.mail_address import LIFETIME, MailAddress
from iscore.services.session.user_session import UserSession
from iscore.services.views.digests import DigestView, MailingView, TrialMailView
from storage.records.deliveries import Mailing, MailState

if TYPE_CHECKING:
    from iscore.services.news_filter import NewsFilter

LONGEST_SENDING = timedelta(minutes=15)
"""On another machine, of which it is not known whether it is still sending."""
KEEP_TRYING = timedelta(days=3)
"""A digest that cannot be sent for so long is given up."""


class MailSender:
    """Mails a user's digests. ``digest`` returns the digest of a day and makes it if needed."""

    def __init__(self, session: UserSession, digest: Callable[[date], DigestView]) -> None:
        self._database = session.database
        self._context = session.context
        self._folder = session.context.folder
        self._address = session.service(MailAddress)
        self._digest = digest

    @classmethod
    def of(cls, news: NewsFilter) -> Self:
        """Return the sender of an open news filter's digests."""
        return cls(news.session, news.digest)

    def is_wanted(self) -> bool:
        """Whether the settings name a recipient who wants digests, as far as is known."""
        return bool(self._context.settings.mail_to) and self._address.is_confirmed()

    def code_due(self, now: datetime) -> datetime | None:
        """Return when a code that confirms the recipient is to be mailed, ``now`` for at once; None: never."""
        return self._address.due(now)

    @property
    def digest_at(self) -> time:
        """The time of day at which the digest is mailed."""
        return time.fromisoformat(self._context.settings.digest_at)

    @property
    def zone(self) -> tzinfo | None:
        """The time zone of ``digest_at``; None is the system's."""
        return self._context.zone

    def today(self) -> date:
        """Return the current date in the user's time zone."""
        return self._context.today()

    def mailings(self, limit: int = 10, until: date | None = None) -> list[MailingView]:
        """Return the mail of the last digests, or of those up to a day, newest first. Sends nothing."""
        outbox, last = self._outbox(), until.isoformat() if until else ""
        found = outbox.newest(limit, last)
        if any(each.state is MailState.SENDING for each in found):
            # Another process is sending right now, or was killed while sending.
            with suppress(LockedError, OSError), self._locked():
                self._mark_interrupted(outbox)
            found = outbox.newest(limit, last)
        return [_view(outbox, each) for each in found]

    def problem(self) -> str:
        """Return what prevents mail, and what to do; empty without a problem, or if no mail is wanted."""
        if not self._context.settings.mail_to:
            return ""
        try:
            self._account()
        except MailNotSetUpError as error:
            return str(error)
        newest = next(iter(self.mailings(1)), None)
        if newest is None or newest.state not in IN_TROUBLE or not newest.error:
            return ""
        outcome = "may not have been mailed" if newest.state is MailState.UNCERTAIN else "has not been mailed"
        return f"the digest of {newest.digest} {outcome}: {newest.error}; {newest.advice}"

    def require_account(self) -> None:
        """Raise ``MailNotSetUpError`` unless mail is set up, and its recipient confirmed."""
        self._account()

    def send(self, on: date | None = None, *, again: bool = False, by_hand: bool = True) -> MailingView:
        """Mail the digest of a day, today's by default, unless it was or may have been sent before.

        ``again`` sends it again, with the same Message-ID. For the scheduler (``by_hand`` false), an empty digest is
        sent only if the settings say so.

        Raises ``MailSentError`` and ``MailUncertainError`` if it was or may have been sent before; ``MailDelayedError``
        and ``MailRefusedError`` if the server did not accept it; ``MailNotSetUpError``, ``LockedError``,
        ``DigestError``. The outcome is recorded in each case.
        """
        account = self._account()
        day = on or self.today()
        if day > self.today():
            raise DigestError(f"{day} is in the future; a digest needs articles that have arrived")
        outbox = self._outbox()
        with self._locked():
            self._mark_interrupted(outbox)
            known = outbox.get(day.isoformat())
            if known is not None and known.state is MailState.SENDING:
                raise MailError(f"the digest of {day} is being sent by another machine", "look again in a while")
            if known is None or not _may_have_arrived(known):
                identity = self._message_id(account, day)
                known = outbox.open(day.isoformat(), account.recipient, identity, self._context.clock())
            elif not again:
                raise _sent_before(known)
            mailing = self._transmit(outbox, known, account, day, by_hand=by_hand)
            return _view(outbox, mailing)

    def miss(self, digest: str) -> None:
        """Give up a digest that was never made. Raises ``LockedError``."""
        outbox = self._outbox()
        with self._locked():
            known = outbox.get(digest)
            if known is not None and known.state is MailState.WAITING and not outbox.is_made(digest):
                outbox.close(known, MailState.MISSED, self._context.clock())

    def test(self) -> TrialMailView:
        """Send a test message. Raises ``MailError``."""
        from iscore.jobs.mail.message import trial_message
        from iscore.jobs.mail.smtp import Connection

        settings = self._context.settings
        account = self._account()
        now = self._context.clock().astimezone(self._context.zone)
        identity = _random_id("test", account)
        text = (
            "If you read this, iScore can send you mail.\n\n"
            f"`iscore run` mails the digest at {settings.digest_at} ({settings.time_zone or 'system time'}).\n"
            "`iscore mail send` mails it at once.\n"
        )
        with Connection(account) as server:
            answer = server.transmit(trial_message(text, account, message_id=identity, at=now), lambda: None)
        return TrialMailView(account.recipient, account.sender, account.server, account.security, answer)

    def confirm(self) -> bool:
        """Mail a code that confirms the recipient, if one is due; return whether it was sent.

        Raises ``MailError``; unless it may have arrived, or was refused, it is due again later.
        """
        taken = self._address.take()
        if taken is None:
            return False
        from iscore.jobs.mail.account import account_of
        from iscore.jobs.mail.message import code_message
        from iscore.jobs.mail.smtp import Connection

        code, mail = taken
        settings, zone = self._context.settings, self._context.zone
        now = self._context.clock().astimezone(zone)
        try:
            account = account_of(settings, self._folder.path)
            with use_language(settings.language):
                until = (mail.asked + LIFETIME).astimezone(zone)
                message = code_message(
                    code, account, settings.serve_address, message_id=_random_id("code", account), until=until, at=now
                )
            server = Connection(account)
            with server:
                server.transmit(message, lambda: None)
        except (MailDelayedError, MailNotSetUpError, MailRefusedError) as error:
            self._address.put_back(mail, again=not isinstance(error, MailRefusedError))
            raise
        if server.interrupted:
            raise KeyboardInterrupt
        return True

    def _account(self) -> Account:
        """Return the account for digests. Raises ``MailNotSetUpError``, also without a confirmed recipient."""
        from iscore.jobs.mail.account import account_of

        account = account_of(self._context.settings, self._folder.path)
        if not self._address.is_confirmed():
            advice = "enter the code that is mailed there in the settings, or with `iscore mail confirm`"
            raise MailNotSetUpError(f"{account.recipient} is not confirmed, so no digest is mailed", advice)
        return account

    def _transmit(self, outbox: Outbox, before: Mailing, account: Account, day: date, *, by_hand: bool) -> Mailing:
        """Send one digest, and record each step before it has an effect."""
        from iscore.jobs.mail.smtp import Connection

        mailing = before

        def before_end() -> None:
            nonlocal mailing
            mailing = outbox.sending(mailing, account.recipient, self._context.clock())

        server = Connection(account)
        try:
            with server:
                message = self._message(before, account, day, even_empty=by_hand)
                if message is None:
                    return outbox.close(before, MailState.EMPTY, self._context.clock())
                server.transmit(message, before_end)
                mailing = outbox.sent(mailing, self._context.clock(), by_hand=by_hand)
        except MailUncertainError as error:
            outbox.uncertain(mailing, self._context.clock(), error)
            raise MailUncertainError(error.problem, f"{error.advice}; if not, {resend(before.digest)}") from error
        except (MailDelayedError, MailRefusedError, MailNotSetUpError) as error:
            self._not_accepted(outbox, before, mailing, error, day)
            raise
        except BaseException:
            if mailing.state is MailState.SENDING and not server.ended:
                outbox.undo(mailing, before)
            raise
        finally:
            if server.interrupted:
                raise KeyboardInterrupt  # now that the outcome is recorded
        return mailing

    def _not_accepted(self, outbox: Outbox, before: Mailing, mailing: Mailing, error: MailError, day: date) -> None:
        if before.state is not MailState.WAITING:  # sent before, and sent again
            if mailing is not before:
                outbox.undo(mailing, before)
            return
        recent = self.today() - day < KEEP_TRYING
        outbox.not_sent(mailing, self._context.clock(), error, again=recent and not isinstance(error, MailRefusedError))

    def _message(self, mailing: Mailing, account: Account, day: date, *, even_empty: bool) -> bytes | None:
        """Return the message; None for an empty digest that is not to be sent."""
        from iscore.jobs.mail.message import digest_message
        from iscore.presentation.digest.layout import build_digest
        from iscore.presentation.digest.render import render_mail, render_text

        zone = self._context.zone
        with use_language(self._context.settings.language):  # English for "automatic": no browser asks for one
            digest = build_digest(self._digest(day), zone=zone)
            if not digest.sections and not even_empty and not self._context.settings.mail_empty:
                return None
            now = self._context.clock().astimezone(zone)
            return digest_message(
                digest, render_text(digest), render_mail(digest), account, message_id=mailing.message_id, at=now
            )

    def _message_id(self, account: Account, day: date) -> str:
        from iscore.jobs.mail.message import message_id, origin_of

        return message_id(account, origin_of(self._folder.path, self._context.user_id), day.isoformat())

    def _outbox(self) -> Outbox:
        return Outbox(self._database, self._context.user_id)

    def _mark_interrupted(self, outbox: Outbox) -> None:
        after = LONGEST_SENDING if self._folder.database_address else timedelta(0)
        outbox.mark_interrupted(self._context.clock(), after)

    def _locked(self) -> AbstractContextManager[None]:
        """Keep other processes of this machine out; those of other machines are known by the database."""
        name = f"mail-{self._context.user_id}.lock" if self._folder.database_address else "mail.lock"
        return exclusive_lock(self._folder.path / name, "mail is being sent")


def _random_id(kind: str, account: Account) -> str:
    import secrets

    return f"<iscore.{kind}.{secrets.token_hex(16)}@{account.sender.rpartition('@')[2]}>"


def _view(outbox: Outbox, mailing: Mailing) -> MailingView:
    return mailing_view(mailing, made=mailing.state in DONE or outbox.is_made(mailing.digest))


def _may_have_arrived(mailing: Mailing) -> bool:
    return mailing.state in DONE or mailing.state is MailState.UNCERTAIN


def _sent_before(mailing: Mailing) -> MailError:
    when = f"{mailing.at:%Y-%m-%d %H:%M} UTC"
    if mailing.state is MailState.UNCERTAIN:
        return MailUncertainError(
            f"the digest of {mailing.digest} may have arrived on {when}", f"if it has not, {resend(mailing.digest)}"
        )
    return MailSentError(f"the digest of {mailing.digest} was mailed on {when}", resend(mailing.digest))


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
