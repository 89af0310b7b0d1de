"""The state of each digest's mail in the database. Every change is on disk before the next step.

    (nothing) ─► waiting ─► sending ─► sent, sent by hand
                  ▲  │         ├─► waiting (refused for now), failed (refused for good)
                  └──┤         └─► uncertain (no answer, or this process died)
                     └─► failed, empty, missed

From *sending* on, the server may have accepted the message. Only the user can resolve *uncertain*, by sending again.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from iscore.jobs.mail.account import MailError
from storage.opening.database import Database
from storage.people import deliveries
from storage.records.deliveries import Mailing, MailState

BACK_OFF = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 30, 60))
"""Pauses between attempts; the last one repeats. Greylisting takes minutes, a server that is down takes hours."""

DONE = frozenset({MailState.SENT, MailState.SENT_BY_HAND})
IN_TROUBLE = frozenset({MailState.WAITING, MailState.UNCERTAIN, MailState.FAILED, MailState.MISSED})


class Outbox:
    """The mail of one user. Only one process at a time may write: see ``iscore.core.file_access``."""

    def __init__(self, database: Database, user_id: int) -> None:
        self._database = database
        self._user_id = user_id

    def newest(self, limit: int, until: str = "") -> list[Mailing]:
        """Return the mail of the last digests, or of those up to one, newest first."""
        with self._database.read() as tx:
            return deliveries.newest_mailings(tx, self._user_id, limit, until)

    def get(self, digest: str) -> Mailing | None:
        """Return a digest's mail; None if it was never to be sent."""
        with self._database.read() as tx:
            return deliveries.mailing(tx, self._user_id, digest)

    def is_made(self, digest: str) -> bool:
        """Whether the digest was made; its articles are then in no other digest."""
        with self._database.read() as tx:
            if deliveries.content(tx, self._user_id, digest) is not None:
                return True
            return bool(deliveries.digest(tx, self._user_id, digest))

    def mark_interrupted(self, now: datetime, after: timedelta = timedelta(0)) -> list[Mailing]:
        """Mark as uncertain what a killed process was sending; return it. Call this with the lock.

        ``after`` is how long a process may be sending that the lock does not keep out: it is on another machine.
        """
        sending = [each for each in self.newest(31) if each.state is MailState.SENDING]
        interrupted = [each for each in sending if not timedelta(0) <= now - each.at < after]
        return [
            self._change(each, MailState.UNCERTAIN, now, error="iscore was stopped before the server answered")
            for each in interrupted
        ]

    def open(self, digest: str, recipient: str, message_id: str, now: datetime) -> Mailing:
        """Start a digest's mail; a second attempt keeps the Message-ID."""
        known = self.get(digest)
        after = Mailing(self._user_id, digest, message_id, recipient, MailState.WAITING, 0, now, None, "")
        if known is not None:
            after = replace(after, message_id=known.message_id, attempts=known.attempts)
        return self._put(known, after)

    def sending(self, mailing: Mailing, recipient: str, now: datetime) -> Mailing:
        """Record that the server has the message except its end."""
        after = replace(mailing, recipient=recipient, state=MailState.SENDING, attempts=mailing.attempts + 1, at=now)
        return self._put(mailing, replace(after, next_attempt=None, error=""))

    def sent(self, mailing: Mailing, now: datetime, *, by_hand: bool) -> Mailing:
        """Record that the server accepted it."""
        return self._change(mailing, MailState.SENT_BY_HAND if by_hand else MailState.SENT, now)

    def not_sent(self, mailing: Mailing, now: datetime, error: MailError, *, again: bool) -> Mailing:
        """Record that the server did not accept it; ``again`` schedules the next attempt."""
        attempts = mailing.attempts + (mailing.state is not MailState.SENDING)  # counted there
        return self._change(
            mailing,
            MailState.WAITING if again else MailState.FAILED,
            now,
            attempts=attempts,
            next_attempt=now + BACK_OFF[min(attempts, len(BACK_OFF)) - 1] if again else None,
            error=str(error),
        )

    def uncertain(self, mailing: Mailing, now: datetime, error: MailError) -> Mailing:
        """Record that it is unknown whether the server accepted it."""
        return self._change(mailing, MailState.UNCERTAIN, now, error=error.problem)

    def close(self, mailing: Mailing, state: MailState, now: datetime) -> Mailing:
        """Record that nothing will be sent: the digest is empty or was missed."""
        return self._change(mailing, state, now, error=mailing.error if state is MailState.MISSED else "")

    def undo(self, mailing: Mailing, before: Mailing) -> Mailing:
        """Return to the state before an attempt that was not accepted."""
        return self._put(mailing, before)

    def _change(
        self,
        mailing: Mailing,
        state: MailState,
        now: datetime,
        *,
        attempts: int | None = None,
        next_attempt: datetime | None = None,
        error: str = "",
    ) -> Mailing:
        count = mailing.attempts if attempts is None else attempts
        changed = replace(mailing, state=state, at=now, attempts=count, next_attempt=next_attempt, error=error)
        return self._put(mailing, changed)

    def _put(self, before: Mailing | None, after: Mailing) -> Mailing:
        with self._database.write(self._user_id, durable=True) as tx:
            if not deliveries.put_mailing(tx, before, after):
                raise MailError(f"another process changed the mail of {after.digest}", "try again")
        return after
