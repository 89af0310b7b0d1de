"""The digest by mail, each edition once.

    lock ─► outbox: waiting ─► server lets us in ─► the edition is made ─► handed over ─► outbox: sending ─► its end
                                                                        outbox: sent, failed, uncertain ◄─────┘

The edition is made when the server has let us in, not before: while there is no network, nothing is used up.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from datetime import date, time, timedelta, tzinfo
from typing import TYPE_CHECKING, Self

from iscore.core.errors import DigestError
from iscore.core.file_lock import LockedError, exclusive_lock
from iscore.jobs.mail.errors import (
    MailDelayedError,
    MailError,
    MailNotSetUpError,
    MailRefusedError,
    MailSentError,
    MailUncertainError,
)
from iscore.jobs.mail.outbox import DONE, IN_TROUBLE, Outbox
from iscore.jobs.mail.view_builders import mailing_view, resend
from iscore.services.user_context import UserContext
from iscore.services.views.digests import DigestView
from iscore.services.views.mail import MailingView, TrialMailView
from storage.database import Database
from storage.records import Mailing, MailState

if TYPE_CHECKING:
    from iscore.jobs.mail.account import Account
    from iscore.services.news_filter import NewsFilter

KEEP_TRYING = timedelta(days=3)
"""A digest that was made and cannot be sent for so long is given up; its news are old by then."""


class MailSender:
    """One person's mail. ``digest`` makes the edition of a day, or finds it as it was made."""

    def __init__(self, database: Database, context: UserContext, digest: Callable[[date], DigestView]) -> None:
        self._database = database
        self._context = context
        self._home = context.folder
        self._digest = digest

    @classmethod
    def of(cls, news: NewsFilter) -> Self:
        """Return the sender of an open news filter's digests."""
        return cls(news.database, news.context, news.digests.get)

    def is_wanted(self) -> bool:
        """Whether the settings name a recipient."""
        return bool(self._context.settings.mail_to)

    @property
    def digest_at(self) -> time:
        """The hour of the digest."""
        return time.fromisoformat(self._context.settings.digest_at)

    @property
    def zone(self) -> tzinfo | None:
        """Where that hour is meant; None is the machine's own."""
        return self._context.zone

    def today(self) -> date:
        """The date where the person is."""
        return self._context.today()

    def mailings(self, limit: int = 10, until: date | None = None) -> list[MailingView]:
        """List what became of the mail of the last editions, or of those up to a day, the newest first.

        Sends nothing.
        """
        outbox, last = self._outbox(), until.isoformat() if until else ""
        found = outbox.newest(limit, last)
        if any(each.state is MailState.SENDING for each in found):
            # Somebody is sending at this moment, or was ended while at it.
            with suppress(LockedError, OSError), self._alone():
                outbox.settle_the_dead(self._context.clock())
            found = outbox.newest(limit, last)
        return [_view(outbox, each) for each in found]

    def problem(self) -> str:
        """Say what keeps digests from being mailed, and what to do; empty when nothing does, or none is wanted."""
        if not self.is_wanted():
            return ""
        from iscore.jobs.mail.account import account_of

        try:
            account_of(self._context.settings, self._home.path)
        except MailNotSetUpError as error:
            return str(error)
        newest = next(iter(self.mailings(1)), None)
        if newest is None or newest.state not in IN_TROUBLE or not newest.error:
            return ""
        done = "may not have been mailed" if newest.state is MailState.UNCERTAIN else "has not been mailed"
        return f"the digest of {newest.edition} {done}: {newest.error}; {newest.advice}"

    def require_account(self) -> None:
        """Raise ``MailNotSetUpError`` where the settings name no way to send mail."""
        from iscore.jobs.mail.account import account_of

        account_of(self._context.settings, self._home.path)

    def send(self, on: date | None = None, *, again: bool = False, by_hand: bool = True) -> MailingView:
        """Mail the digest of a day, today's by default, unless it was or may have been sent before.

        ``again`` sends what was or may have been sent once more, under the same Message-ID. By the scheduler
        (``by_hand`` false), an empty digest is sent only if the settings want that.

        Raises ``MailSentError`` and ``MailUncertainError`` for what was or may have been sent; ``MailDelayedError``
        and ``MailRefusedError`` when it was not accepted now; ``MailNotSetUpError``, ``LockedError``, ``DigestError``.
        What became of it is recorded in each case.
        """
        from iscore.jobs.mail.account import account_of

        account = account_of(self._context.settings, self._home.path)
        day = on or self.today()
        if day > self.today():
            raise DigestError(f"{day} is still to come; a digest is made of news that have arrived")
        outbox = self._outbox()
        with self._alone():
            outbox.settle_the_dead(self._context.clock())
            known = outbox.get(day.isoformat())
            if known is None or not _may_have_arrived(known):
                identity = self._message_id(account, day)
                known = outbox.open(day.isoformat(), account.recipient, identity, self._context.clock())
            elif not again:
                raise _twice(known)
            mailing = self._handed_over(outbox, known, account, day, by_hand=by_hand)
            return _view(outbox, mailing)

    def miss(self, edition: str) -> None:
        """Give up the mail of a digest that was never made. Raises ``LockedError``."""
        outbox = self._outbox()
        with self._alone():
            known = outbox.get(edition)
            if known is not None and known.state is MailState.WAITING and not outbox.is_made(edition):
                outbox.close(known, MailState.MISSED, self._context.clock())

    def test(self) -> TrialMailView:
        """Send a message that says that mail arrives. Raises ``MailError``."""
        import secrets

        from iscore.jobs.mail.account import account_of
        from iscore.jobs.mail.message import trial_message
        from iscore.jobs.mail.smtp import Connection

        settings = self._context.settings
        account = account_of(settings, self._home.path)
        now = self._context.clock().astimezone(self._context.zone)
        identity = f"<iscore.test.{secrets.token_hex(16)}@{account.sender.rpartition('@')[2]}>"
        text = (
            "If you read this, iScore can send you mail.\n\n"
            f"The digest comes at {settings.digest_at} ({settings.time_zone or 'the time of the machine'}) as long as\n"
            "`iscore run` runs, or whenever you type `iscore mail send`.\n"
        )
        with Connection(account) as server:
            answer = server.transmit(trial_message(text, account, message_id=identity, at=now), lambda: None)
        return TrialMailView(account.recipient, account.sender, account.server, account.security, answer)

    def _handed_over(self, outbox: Outbox, before: Mailing, account: Account, day: date, *, by_hand: bool) -> Mailing:
        """Hand one edition to the server, and record each step before it can have an effect."""
        from iscore.jobs.mail.smtp import Connection

        mailing = before

        def about_to_end() -> None:
            nonlocal mailing
            mailing = outbox.sending(mailing, account.recipient, self._context.clock())

        server = Connection(account)
        try:
            with server:
                message = self._message(before, account, day, even_empty=by_hand)
                if message is None:
                    return outbox.close(before, MailState.EMPTY, self._context.clock())
                server.transmit(message, about_to_end)
                mailing = outbox.sent(mailing, self._context.clock(), by_hand=by_hand)
        except MailUncertainError as error:
            outbox.uncertain(mailing, self._context.clock(), error)
            raise MailUncertainError(error.problem, f"{error.advice}; if not, {resend(before.edition)}") from error
        except (MailDelayedError, MailRefusedError, MailNotSetUpError) as error:
            self._not_accepted(outbox, before, mailing, error, day)
            raise
        except BaseException:
            if mailing.state is MailState.SENDING and not server.ended:
                outbox.back(mailing, before)
            raise
        finally:
            if server.told_to_stop:
                raise KeyboardInterrupt  # now that all is written down
        return mailing

    def _not_accepted(self, outbox: Outbox, before: Mailing, mailing: Mailing, error: MailError, day: date) -> None:
        if before.state is not MailState.WAITING:  # sent before, and wished for once more
            if mailing is not before:
                outbox.back(mailing, before)
            return
        young = self.today() - day < KEEP_TRYING
        outbox.not_sent(mailing, self._context.clock(), error, again=young and not isinstance(error, MailRefusedError))

    def _message(self, mailing: Mailing, account: Account, day: date, *, even_empty: bool) -> bytes | None:
        """Make the message; None for a digest without articles that is not to be sent."""
        from iscore.jobs.mail.message import digest_message
        from iscore.presentation.digest.layout import build_digest
        from iscore.presentation.digest.render_mail import render_mail
        from iscore.presentation.digest.render_text import render_text

        zone = self._context.zone
        told = build_digest(self._digest(day), zone=zone)
        if not told.sections and not even_empty and not self._context.settings.mail_empty:
            return None
        now = self._context.clock().astimezone(zone)
        return digest_message(
            told, render_text(told), render_mail(told), account, message_id=mailing.message_id, at=now
        )

    def _message_id(self, account: Account, day: date) -> str:
        from iscore.jobs.mail.message import message_id, origin_of

        return message_id(account, origin_of(self._home.path, self._context.user_id), day.isoformat())

    def _outbox(self) -> Outbox:
        return Outbox(self._database, self._context.user_id)

    def _alone(self) -> AbstractContextManager[None]:
        return exclusive_lock(self._home.path / "mail.lock", "mail is being sent")


def _view(outbox: Outbox, mailing: Mailing) -> MailingView:
    return mailing_view(mailing, made=mailing.state in DONE or outbox.is_made(mailing.edition))


def _may_have_arrived(mailing: Mailing) -> bool:
    return mailing.state in DONE or mailing.state is MailState.UNCERTAIN


def _twice(mailing: Mailing) -> MailError:
    when = f"{mailing.at:%Y-%m-%d %H:%M} UTC"
    if mailing.state is MailState.UNCERTAIN:
        return MailUncertainError(
            f"the digest of {mailing.edition} may have arrived on {when}", f"if it has not, {resend(mailing.edition)}"
        )
    return MailSentError(f"the digest of {mailing.edition} was mailed on {when}", resend(mailing.edition))
