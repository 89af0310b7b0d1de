"""What became of each edition's mail, as the database holds it. Every change is on disk before the next step.

    (nothing) ─► waiting ─► sending ─► sent, sent by hand
                  ▲  │         ├─► waiting (refused for now), failed (refused for good)
                  └──┤         └─► uncertain (no answer, or this process died)
                     └─► failed, empty, missed

From *sending* on, the server may have accepted the message; so there is no way back from *uncertain* but the person's
own word.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from iscore.jobs.mail.errors import MailError
from storage import deliveries, mail_log
from storage.database import Database
from storage.records import Mailing, MailState

BACK_OFF = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 30, 60))
"""Between attempts; the last one is repeated. Greylisting wants some minutes, a server that is down some hours."""

DONE = frozenset({MailState.SENT, MailState.SENT_BY_HAND})
IN_TROUBLE = frozenset({MailState.WAITING, MailState.UNCERTAIN, MailState.FAILED, MailState.MISSED})


class Outbox:
    """The mail of one person. Only one process at a time may write here: see ``iscore.core.file_lock``."""

    def __init__(self, database: Database, user_id: int) -> None:
        self._database = database
        self._user_id = user_id

    def newest(self, limit: int, until: str = "") -> list[Mailing]:
        """List what became of the mail of the last editions, or of those up to one, the newest first."""
        with self._database.read() as tx:
            return mail_log.newest(tx, self._user_id, limit, until)

    def get(self, edition: str) -> Mailing | None:
        """Return what became of an edition's mail; None when none was ever to be sent."""
        with self._database.read() as tx:
            return mail_log.get(tx, self._user_id, edition)

    def is_made(self, edition: str) -> bool:
        """Whether there is such a digest: then its articles are in no other."""
        with self._database.read() as tx:
            if deliveries.content(tx, self._user_id, edition) is not None:
                return True
            return bool(deliveries.edition(tx, self._user_id, edition))

    def settle_the_dead(self, now: datetime) -> list[Mailing]:
        """Call uncertain what was being sent by a process that is no more; return it. Call this alone."""
        dead = [each for each in self.newest(31) if each.state is MailState.SENDING]
        return [
            self._change(each, MailState.UNCERTAIN, now, error="iscore was ended while the server was answering")
            for each in dead
        ]

    def open(self, edition: str, recipient: str, message_id: str, now: datetime) -> Mailing:
        """Begin an edition's mail; one that was begun keeps its Message-ID."""
        known = self.get(edition)
        after = Mailing(self._user_id, edition, message_id, recipient, MailState.WAITING, 0, now, None, "")
        if known is not None:
            after = replace(after, message_id=known.message_id, attempts=known.attempts)
        return self._put(known, after)

    def sending(self, mailing: Mailing, recipient: str, now: datetime) -> Mailing:
        """The message is with the server, all but its end."""
        after = replace(mailing, recipient=recipient, state=MailState.SENDING, attempts=mailing.attempts + 1, at=now)
        return self._put(mailing, replace(after, next_attempt=None, error=""))

    def sent(self, mailing: Mailing, now: datetime, *, by_hand: bool) -> Mailing:
        """The server has accepted it."""
        return self._change(mailing, MailState.SENT_BY_HAND if by_hand else MailState.SENT, now)

    def not_sent(self, mailing: Mailing, now: datetime, error: MailError, *, again: bool) -> Mailing:
        """It was surely not accepted; with ``again`` it is tried later."""
        attempts = mailing.attempts + (mailing.state is not MailState.SENDING)  # there it was counted
        return self._change(
            mailing,
            MailState.WAITING if again else MailState.FAILED,
            now,
            attempts=attempts,
            next_attempt=now + BACK_OFF[min(attempts, len(BACK_OFF)) - 1] if again else None,
            error=str(error),
        )

    def uncertain(self, mailing: Mailing, now: datetime, error: MailError) -> Mailing:
        """Nobody knows whether it was accepted."""
        return self._change(mailing, MailState.UNCERTAIN, now, error=error.problem)

    def close(self, mailing: Mailing, state: MailState, now: datetime) -> Mailing:
        """Nothing is to be sent: it is empty, or was missed, for the reason that stands there."""
        return self._change(mailing, state, now, error=mailing.error if state is MailState.MISSED else "")

    def back(self, mailing: Mailing, before: Mailing) -> Mailing:
        """It was surely not accepted, and is what it was before it was tried."""
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
        with self._database.write(durable=True) as tx:
            if not mail_log.put(tx, before, after):
                raise MailError(f"another process has changed the mail of {after.edition} meanwhile", "try again")
        return after
