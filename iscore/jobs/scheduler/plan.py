"""What is due: decided from what is known, without doing anything and without reading the clock.

Feeds that are due are gathered for some minutes, since a round costs a second however few they are. The digest is
mailed once a day, at its hour or, when the machine slept through that, as soon as it is awake. No day brings two: an
edition that was held up and goes out today is today's mail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo

from iscore.jobs.mail.outbox import BACK_OFF
from iscore.jobs.scheduler.daily_time import last_hour, next_hour, on_the_wall
from iscore.services.views.mail import MailingView
from storage.records import MailState

GATHER = timedelta(minutes=5)
"""Between the beginnings of two rounds."""
WORTH_WAITING = timedelta(hours=12)
"""A digest whose hour passed on another day is not made up for when the next comes within so long."""

_BEGUN = frozenset({MailState.WAITING, MailState.SENDING})
_BY_ITSELF = frozenset({MailState.SENT, MailState.UNCERTAIN, MailState.EMPTY, MailState.SENDING})
"""What the scheduler has mailed, perhaps, or found not worth mailing. What was sent by hand is somebody's own wish."""


@dataclass(frozen=True, slots=True)
class Known:
    """All that the decision rests on."""

    now: datetime
    feeds_due: bool
    since_poll: timedelta | None
    """Since the last round of this process began; None: there was none. By a clock that nobody sets."""
    wants_mail: bool
    digest_at: time
    zone: tzinfo | None
    mailings: Sequence[MailingView]
    """Of the last editions, the newest first."""


@dataclass(frozen=True, slots=True)
class Due:
    """What to do now, and when to look again at the latest."""

    poll: bool
    mail: date | None
    """The edition to be mailed."""
    missed: tuple[str, ...]
    """Editions that were never made and never will be."""
    check_again: datetime


def due(known: Known) -> Due:
    """Decide. Pure."""
    mail = _edition(known) if known.wants_mail else None
    gathered = known.since_poll is None or known.since_poll >= GATHER
    poll = known.feeds_due and (gathered or mail is not None)
    return Due(poll, mail, _missed(known) if known.wants_mail else (), _check_again(known))


def next_mail(known: Known) -> datetime | None:
    """Return when the next mail is to be sent, as far as is known; None when none is wanted. Pure."""
    return min(_moments(known), default=None)


def _edition(known: Known) -> date | None:
    """Return the edition to be mailed now, if any."""
    today = on_the_wall(known.now, known.zone).date()
    if any(each.state in _BY_ITSELF and _day_of(each, known) == today for each in known.mailings):
        return None
    for each in reversed(known.mailings):  # what is held up the longest goes first
        day = date.fromisoformat(each.edition)
        if each.state in _BEGUN and each.made and day < today:
            return day if _may_try(each, known.now) else None
    todays = next((each for each in known.mailings if each.edition == today.isoformat()), None)
    if todays is not None and todays.state is MailState.WAITING:
        return today if _may_try(todays, known.now) else None
    hour = last_hour(known.now, known.digest_at, known.zone)
    if todays is not None:  # what was tried by hand before its hour gets its chance; all else is settled
        return today if todays.state is MailState.FAILED and todays.at < hour <= known.now else None
    return today if _hour_has_come(known, today, hour) else None


def _hour_has_come(known: Known, today: date, hour: datetime) -> bool:
    """Whether the digest's hour has come today, or came on another day and nothing was mailed since."""
    if on_the_wall(hour, known.zone).date() == today:
        return True
    last = max((each.at for each in known.mailings if each.at <= known.now), default=None)
    slept_through = last is None or last < hour
    return slept_through and next_hour(known.now, known.digest_at, known.zone) - known.now > WORTH_WAITING


def _day_of(mailing: MailingView, known: Known) -> date:
    return on_the_wall(mailing.at, known.zone).date()


def _may_try(mailing: MailingView, now: datetime) -> bool:
    """Whether the pause after an attempt is over; one that is too long was made while the clock was ahead."""
    again = mailing.next_attempt
    return again is None or again <= now or again > now + BACK_OFF[-1]


def _missed(known: Known) -> tuple[str, ...]:
    """List what was to be mailed on a day that is over and was never made."""
    today = on_the_wall(known.now, known.zone).date().isoformat()
    return tuple(
        each.edition
        for each in known.mailings
        if each.state is MailState.WAITING and not each.made and each.edition < today
    )


def _check_again(known: Known) -> datetime:
    return min([known.now + GATHER, *_moments(known)])


def _moments(known: Known) -> list[datetime]:
    """List when something is to be mailed: the next digest's hour, and what is to be tried again."""
    if not known.wants_mail:
        return []
    moments = [next_hour(known.now, known.digest_at, known.zone)]
    moments += [each.next_attempt for each in known.mailings if each.next_attempt is not None]
    return [moment for moment in moments if moment > known.now]
