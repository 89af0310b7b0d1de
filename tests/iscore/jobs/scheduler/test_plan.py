"""What is due: single cases, and weeks of sleep, jumping clocks, summer time and failing servers lived through."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from iscore.jobs.mail.outbox import BACK_OFF
from iscore.jobs.scheduler.plan import POLL_INTERVAL, Due, Known, due, local_time
from iscore.services.views.digests import MailingView
from storage.records.deliveries import MailState

ROME = ZoneInfo("Europe/Rome")
EIGHT = datetime(2026, 3, 30, 6, tzinfo=UTC)
"""In Rome, on a Monday."""
MONDAY, SUNDAY = date(2026, 3, 30), date(2026, 3, 29)
HOUR, MINUTE, DAY = timedelta(hours=1), timedelta(minutes=1), timedelta(days=1)


def known(**changes: object) -> Known:
    usual = Known(EIGHT, False, HOUR, True, time(7), ROME, ())
    return replace(usual, **changes)  # type: ignore[arg-type]


def mailed(state: MailState = MailState.SENT, day: date = MONDAY, at: datetime = EIGHT, **more: object) -> MailingView:
    usual = MailingView(day.isoformat(), state, "you@example.org", "<x@y>", 1, at, None, "", "", made=True)
    return replace(usual, **more)  # type: ignore[arg-type]


# Feeds


@pytest.mark.parametrize(
    ("changes", "poll"),
    [
        ({}, False),
        ({"feeds_due": True}, True),
        ({"feeds_due": True, "since_poll": None}, True),
        ({"feeds_due": True, "since_poll": POLL_INTERVAL - MINUTE}, False),
    ],
)
def test_feeds_that_are_due_are_gathered(changes: dict[str, object], poll: bool) -> None:
    assert due(known(wants_mail=False, **changes)) == Due(poll, None, (), EIGHT + POLL_INTERVAL)


def test_before_the_digest_feeds_are_asked_without_waiting_for_more() -> None:
    assert due(known(feeds_due=True, since_poll=MINUTE)).poll
    assert not due(known(feeds_due=False, since_poll=MINUTE)).poll


# The hour


def test_the_digest_is_due_from_its_hour_on() -> None:
    assert due(known(now=EIGHT - HOUR - timedelta(seconds=1))).mail is None
    assert due(known(now=EIGHT - HOUR)).mail == MONDAY
    assert due(known()).mail == MONDAY
    assert due(known(wants_mail=False)).mail is None
    assert due(known(now=EIGHT - HOUR - 2 * MINUTE)).check_again == EIGHT - HOUR


@pytest.mark.parametrize("state", [state for state in MailState if state not in (MailState.WAITING, MailState.FAILED)])
def test_what_is_settled_is_not_mailed(state: MailState) -> None:
    assert due(known(mailings=[mailed(state)])).mail is None


def test_what_waits_is_tried_after_its_pause() -> None:
    again = EIGHT + 5 * MINUTE
    waiting = mailed(MailState.WAITING, next_attempt=again, made=False)
    assert due(known(mailings=[waiting])).mail is None
    assert due(known(mailings=[waiting], now=again - MINUTE)).check_again == again
    assert due(known(mailings=[waiting], now=again)).mail == MONDAY
    assert due(known(mailings=[replace(waiting, next_attempt=None)])).mail == MONDAY
    ahead = replace(waiting, next_attempt=EIGHT + 300 * DAY)  # when the clock was wrong
    assert due(known(mailings=[ahead])).mail == MONDAY
    longest = replace(waiting, next_attempt=EIGHT + BACK_OFF[-1])
    assert due(known(mailings=[longest])).mail is None


def test_a_failure_by_hand_before_the_hour_does_not_cost_the_digest() -> None:
    early = mailed(MailState.FAILED, at=EIGHT - 2 * HOUR, made=False)
    assert due(known(mailings=[early])).mail == MONDAY
    assert due(known(mailings=[replace(early, at=EIGHT)])).mail is None


def test_a_delayed_digest_goes_first_and_is_todays_mail() -> None:
    stuck = mailed(MailState.WAITING, SUNDAY, EIGHT - DAY, next_attempt=EIGHT)
    assert due(known(mailings=[stuck])).mail == SUNDAY
    assert due(known(mailings=[replace(stuck, next_attempt=EIGHT + MINUTE)])).mail is None
    went_out = replace(stuck, state=MailState.SENT, at=EIGHT, next_attempt=None)
    assert due(known(mailings=[went_out], now=EIGHT + HOUR)).mail is None
    assert due(known(mailings=[went_out], now=EIGHT + DAY)).mail == MONDAY + DAY


def test_what_somebody_sent_by_hand_is_their_own_wish() -> None:
    resent = mailed(MailState.SENT_BY_HAND, SUNDAY, EIGHT - 2 * HOUR)
    assert due(known(mailings=[resent])).mail == MONDAY


@pytest.mark.parametrize(("of_code", "code", "next_look"), [(0, True, 5), (-1, True, 5), (2, False, 2), (7, False, 5)])
def test_a_code_is_mailed_when_it_is_due_though_no_digest_is_wanted(of_code: int, code: bool, next_look: int) -> None:
    plan = due(known(wants_mail=False, code_due=EIGHT + of_code * MINUTE))
    assert (plan.mail, plan.code, plan.check_again) == (None, code, EIGHT + next_look * MINUTE)


def test_what_was_never_made_and_is_over_is_missed() -> None:
    never = mailed(MailState.WAITING, SUNDAY, EIGHT - DAY, made=False, next_attempt=EIGHT - DAY)
    plan = due(known(mailings=[never]))
    assert (plan.missed, plan.mail) == (("2026-03-29",), MONDAY)
    assert due(known(mailings=[never], wants_mail=False)).missed == ()


def test_an_hour_late_in_the_evening_is_made_up_for_on_the_next_day() -> None:
    saturdays = [mailed(day=SUNDAY - DAY, at=EIGHT - 2 * DAY)]
    evening = {"digest_at": time(23, 30), "mailings": saturdays}
    assert due(known(**evening)).mail == MONDAY
    assert due(known(**evening, now=EIGHT + 5 * HOUR)).mail is None  # tonight's comes in 10.5 hours
    assert due(known(digest_at=time(23, 30))).mail == MONDAY  # nothing was ever mailed: it may always sleep by then
    morning = {"mailings": saturdays, "now": EIGHT - 3 * HOUR}
    assert due(known(**morning)).mail is None  # at five in the morning it waits for seven


# Weeks


@dataclass
class Life:
    """A machine that is awake now and then, with a mail server that is up now and then."""

    zone: ZoneInfo
    hour: time
    now: datetime
    mailings: dict[str, MailingView] = field(default_factory=dict)
    arrived: list[tuple[date, str]] = field(default_factory=list)
    """The local date at which a mail arrived, and its digest."""

    def turn(self, *, up: bool, breaks: bool = False) -> datetime:
        """Do what is due; return when to look again."""
        tomorrow = (local_time(self.now, self.zone) + DAY).date().isoformat()
        past = (each for each in self.mailings.values() if each.digest <= tomorrow)
        newest = sorted(past, key=lambda each: each.digest, reverse=True)[:31]
        plan = due(Known(self.now, False, None, True, self.hour, self.zone, newest))
        assert plan.check_again > self.now
        for digest in plan.missed:
            self.mailings[digest] = replace(self.mailings[digest], state=MailState.MISSED)
        if plan.mail is None:
            return plan.check_again
        digest = plan.mail.isoformat()
        before = self.mailings.get(digest)
        attempts = (before.attempts if before else 0) + 1
        made = up or (before is not None and before.made)
        base = mailed(MailState.WAITING, plan.mail, self.now, made=made, attempts=attempts)
        if up and not breaks:
            self.arrived.append((local_time(self.now, self.zone).date(), digest))
            base = replace(base, state=MailState.SENT)
        else:
            pause = BACK_OFF[min(attempts, len(BACK_OFF)) - 1]
            base = replace(base, next_attempt=self.now + pause)
        self.mailings[digest] = base
        return plan.check_again


@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["Europe/Rome", "Australia/Lord_Howe", "Pacific/Apia", "UTC"]),
    st.times(),
)
@example(1, "Europe/Rome", time(2, 30))
def test_whatever_happens_no_digest_goes_twice_and_no_day_brings_two(seed: int, zone: str, hour: time) -> None:
    draw = random.Random(seed)
    life = Life(ZoneInfo(zone), hour.replace(second=0, microsecond=0, tzinfo=None), datetime(2026, 3, 20, tzinfo=UTC))
    for _ in range(400):
        life.turn(up=draw.random() < 0.7, breaks=draw.random() < 0.2)
        step = draw.choice([MINUTE, 20 * MINUTE, HOUR, HOUR, 9 * HOUR, 30 * HOUR])
        if draw.random() < 0.05:
            step = timedelta(hours=draw.uniform(-400, 400))  # the clock is set
        life.now += step
    assert max(Counter(digest for _, digest in life.arrived).values()) == 1
    assert max(Counter(day for day, _ in life.arrived).values()) == 1


@pytest.mark.parametrize(
    ("zone", "leap", "hour"),
    [
        *(("Europe/Rome", date(2026, 3, 29), hour) for hour in (time(0), time(2, 30), time(7))),
        *(("Europe/Rome", date(2026, 10, 25), hour) for hour in (time(2, 10), time(23, 59))),
        # By half an hour, at two.
        *(("Australia/Lord_Howe", date(2026, 4, 5), hour) for hour in (time(0), time(1, 45))),
        *(("Australia/Lord_Howe", date(2026, 10, 4), hour) for hour in (time(2, 10), time(2, 30))),
    ],
)
def test_a_machine_that_is_always_awake_mails_every_day_at_its_hour(zone: str, hour: time, leap: date) -> None:
    life = Life(ZoneInfo(zone), hour, datetime.combine(leap, time(0), UTC) - 3 * DAY)
    times: dict[date, datetime] = {}
    while life.now < datetime.combine(leap, time(0), UTC) + 3 * DAY:
        before = len(life.arrived)
        check_again = life.turn(up=True)
        if len(life.arrived) > before:
            times[life.arrived[-1][0]] = local_time(life.now, life.zone)
        life.now = min(life.now + 20 * MINUTE, check_again)
    first, *days = sorted(times)  # on the first it may be late already
    assert len(days) >= 4
    assert (days[-1] - first).days == len(days)
    assert all(day.isoformat() == digest for day, digest in life.arrived)
    assert max(times[day] - datetime.combine(day, hour) for day in days) < HOUR


def test_after_a_week_asleep_there_is_one_mail() -> None:
    life = Life(ROME, time(7), EIGHT)
    life.turn(up=True)
    life.now += 7 * DAY
    for _ in range(200):
        life.turn(up=True)
        life.now += MINUTE
    assert [digest for _, digest in life.arrived] == ["2026-03-30", "2026-04-06"]
