"""Decides what is due. Pure: does nothing and reads no clock.

Due feeds are collected for a few minutes, since every poll costs a second. The digest is mailed once a day at its time
of day, or as soon as the machine is awake again. There are never two on a day: a delayed digest that is sent today is
today's mail.

The digest's time of day is in the user's time zone, also when daylight saving time starts or ends. Local times may not
exist (clocks go forward) or exist twice (clocks go back). So the digest is due at the first moment whose local time is
the digest's time of day, or later on the same day.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from iscore.jobs.mail.outbox import BACK_OFF
from iscore.services.views.digests import MailingView
from storage.records.deliveries import MailState

SECOND = timedelta(seconds=1)


def local_time(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return the naive local time of an aware ``moment``; ``zone`` None is the system's."""
    return moment.astimezone(zone).replace(tzinfo=None, fold=0)


def moment_of(day: date, hour: time, zone: tzinfo | None) -> datetime:
    """Return the first moment (UTC, to the second) whose local time is ``hour`` of ``day`` or later.

    For a day that a time zone skips, that is the start of the next day.
    """
    shown = datetime.combine(day, hour)
    # They differ only around a change: the two moments of an ambiguous time, or the moments before and after a gap
    # (PEP 495).
    early, late = sorted(_moment(shown.replace(fold=fold), zone) for fold in (0, 1))
    if local_time(early, zone) == shown:
        return early
    while late - early > SECOND:
        middle = (early + (late - early) / 2).replace(microsecond=0)
        if local_time(middle, zone) >= shown:
            late = middle
        else:
            early = middle
    return late


def _moment(shown: datetime, zone: tzinfo | None) -> datetime:
    aware = shown.replace(tzinfo=zone) if zone is not None else shown
    return aware.astimezone(UTC)


def last_due(now: datetime, hour: time, zone: tzinfo | None) -> datetime:
    """Return the last moment, not after ``now``, at which a digest was due."""
    day = local_time(now, zone).date()
    return next(moment for back in range(4) if (moment := moment_of(day - timedelta(days=back), hour, zone)) <= now)


def next_due_after(now: datetime, hour: time, zone: tzinfo | None) -> datetime:
    """Return the next moment after ``now`` at which a digest is due."""
    day = local_time(now, zone).date()
    return next(moment for on in range(4) if (moment := moment_of(day + timedelta(days=on), hour, zone)) > now)


POLL_INTERVAL = timedelta(minutes=5)
"""Between the starts of two polls."""
CATCH_UP_LIMIT = timedelta(hours=12)
"""A digest missed on another day is skipped if the next is due within this time."""

_PENDING = frozenset({MailState.WAITING, MailState.SENDING})
_AUTOMATIC = frozenset({MailState.SENT, MailState.UNCERTAIN, MailState.EMPTY, MailState.SENDING})
"""States of digests that the scheduler has (perhaps) mailed, or found empty. Digests sent by hand do not count."""


@dataclass(frozen=True, slots=True)
class Known:
    """The facts for a decision."""

    now: datetime
    feeds_due: bool
    since_poll: timedelta | None
    """Since the last poll of this process started, by the monotonic clock; None before the first."""
    wants_mail: bool
    digest_at: time
    zone: tzinfo | None
    mailings: Sequence[MailingView]
    """The mail of the last digests, newest first."""
    sync_due: bool = False
    """Whether a connection to another reader server is due."""
    next_sync: datetime | None = None
    """When it is; None without one, and when it is to be synchronised at once."""
    code_due: datetime | None = None
    """When a code that confirms the user's address is to be mailed; None: never."""


@dataclass(frozen=True, slots=True)
class Due:
    """What to do now, and when to check again."""

    poll: bool
    mail: date | None
    """The date of the digest to mail."""
    missed: tuple[str, ...]
    """Dates of digests that were never made and never will be."""
    check_again: datetime
    sync: bool = False
    """Whether to synchronise with another reader server."""
    code: bool = False
    """Whether to mail a code that confirms the user's address."""


def due(known: Known) -> Due:
    """Decide what to do."""
    mail = _digest_to_mail(known) if known.wants_mail else None
    may_poll = known.since_poll is None or known.since_poll >= POLL_INTERVAL
    poll = known.feeds_due and (may_poll or mail is not None)
    code = known.code_due is not None and known.code_due <= known.now
    return Due(poll, mail, _missed(known) if known.wants_mail else (), _check_again(known), known.sync_due, code)


def next_mail(known: Known) -> datetime | None:
    """Return when the next mail is due; None if no mail is wanted."""
    return min(_moments(known), default=None)


def _digest_to_mail(known: Known) -> date | None:
    """Return the date of the digest to mail now, if any."""
    today = local_time(known.now, known.zone).date()
    if any(each.state in _AUTOMATIC and _day_of(each, known) == today for each in known.mailings):
        return None
    for each in reversed(known.mailings):  # the oldest first
        day = date.fromisoformat(each.digest)
        if each.state in _PENDING and each.made and day < today:
            return day if _may_try(each, known.now) else None
    todays = next((each for each in known.mailings if each.digest == today.isoformat()), None)
    if todays is not None and todays.state is MailState.WAITING:
        return today if _may_try(todays, known.now) else None
    hour = last_due(known.now, known.digest_at, known.zone)
    if todays is not None:  # failed by hand before its time: try once more
        return today if todays.state is MailState.FAILED and todays.at < hour <= known.now else None
    return today if _is_time(known, today, hour) else None


def _is_time(known: Known, today: date, hour: datetime) -> bool:
    """Whether the digest is due today, or was due on another day and nothing was mailed since."""
    if local_time(hour, known.zone).date() == today:
        return True
    last = max((each.at for each in known.mailings if each.at <= known.now), default=None)
    missed = last is None or last < hour
    return missed and next_due_after(known.now, known.digest_at, known.zone) - known.now > CATCH_UP_LIMIT


def _day_of(mailing: MailingView, known: Known) -> date:
    return local_time(mailing.at, known.zone).date()


def _may_try(mailing: MailingView, now: datetime) -> bool:
    """Whether the pause after an attempt is over. A pause that is too long was set while the clock was ahead."""
    again = mailing.next_attempt
    return again is None or again <= now or again > now + BACK_OFF[-1]


def _missed(known: Known) -> tuple[str, ...]:
    """Return the dates of digests of past days that were never made."""
    today = local_time(known.now, known.zone).date().isoformat()
    return tuple(
        each.digest
        for each in known.mailings
        if each.state is MailState.WAITING and not each.made and each.digest < today
    )


def _check_again(known: Known) -> datetime:
    later = [] if known.next_sync is None or known.next_sync <= known.now else [known.next_sync]
    return min([known.now + POLL_INTERVAL, *later, *_moments(known)])


def _moments(known: Known) -> list[datetime]:
    """Return when mail is due: a code, the next digest, and further attempts."""
    moments = [] if known.code_due is None else [known.code_due]
    if known.wants_mail:
        moments.append(next_due_after(known.now, known.digest_at, known.zone))
        moments += [each.next_attempt for each in known.mailings if each.next_attempt is not None]
    return [moment for moment in moments if moment > known.now]
