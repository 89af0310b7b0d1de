"""Decides what is due, by the facts that the database has. Pure: does nothing and reads no clock."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from storage.records.work import DueWork, Queue, Task

READERS_A_MINUTE = 5
"""Articles wait a minute for this many readers of the database, so that deciding again and again about few articles of
people who are not reading takes about a twentieth of one processor. With fewer readers they are decided about at once.
"""
LONGEST_PAUSE = timedelta(days=1)
FEED_PAUSE = timedelta(hours=3)
"""The same for users who follow their news as feeds in other programs: it is not known when these people read."""
VERDICT_PAUSE = timedelta(minutes=1)
"""Verdicts wait for so long at most, so that those of a few moments are learned together. Pages learn them at once."""
HOST_PAUSE = timedelta(minutes=1)
"""Between two polls of a host: what could not be fetched in one is not asked for again at once. Also between two
synchronisations: the first worker may have had no password."""
POLL_STEP = timedelta(minutes=1)
"""Feeds that are due within the same minute are polled together: a poll starts parsers, which costs as much as asking
hundreds of feeds."""
EVERY_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known."""

    now: datetime
    hosts: Mapping[str, datetime]
    """Hosts of which feeds are due, and since when; ``now`` for feeds that were never asked."""
    polled: Mapping[str, datetime]
    """When hosts were polled last."""
    unmeasured: bool
    """Whether articles wait for their features."""
    unlearned: Collection[int]
    """Users who have given verdicts."""
    waiting: Mapping[int, datetime]
    """Users for whom articles wait, and since when; of those for whom that is planned already, who are reading."""
    active: Collection[int]
    """Users who are reading, and who have opened something since their articles were decided about last."""
    followers: Collection[int]
    """Users among those for whom articles wait who have addresses of feeds of their news."""
    readers: int
    """How many users there are."""
    digests: Collection[int]
    """Users whose digest nobody has looked after yet, or who have changed their settings since."""
    connections: Collection[int]
    """Users whose account on another server is due."""
    synchronised: Mapping[str, datetime]
    """When a worker last had something to do with an account, by the user's number."""
    icons: bool
    """Whether sites are to be asked for icons."""
    asked_for_icons: Mapping[str, datetime]
    """When they were asked last; the key is empty."""
    pruned: datetime | None
    """When what is old was deleted last."""


def due(facts: Facts) -> list[DueWork]:
    """Return all that is due or will be."""
    now = facts.now
    rows = [DueWork(Task.POLL, host, Queue.POLL, _poll(facts, host, since)) for host, since in facts.hosts.items()]
    if facts.unmeasured:
        rows.append(DueWork(Task.MEASURE, "", Queue.MEASURE, now))
    learned = now + min(pause(facts.readers), VERDICT_PAUSE)
    rows += [_of_user(Task.DECIDE, user, Queue.VERDICTS, learned) for user in facts.unlearned]
    rows += [_decide(facts, user, found) for user, found in facts.waiting.items() if user not in facts.unlearned]
    rows += [_of_user(Task.DIGEST, user, Queue.DIGEST, now) for user in facts.digests]
    rows += [_of_user(Task.CONNECT, user, Queue.CONNECT, _connect(facts, user)) for user in facts.connections]
    if facts.icons:
        rows.append(DueWork(Task.ICONS, "", Queue.ICONS, _after_pause(facts, now, facts.asked_for_icons.get(""))))
    if facts.pruned is None or not timedelta(0) <= now - facts.pruned < EVERY_DAY:
        rows.append(DueWork(Task.PRUNE, "", Queue.PRUNE, now))
    return rows


def _poll(facts: Facts, host: str, since: datetime) -> datetime:
    due = since if since == facts.now else _next_step(since)
    return _after_pause(facts, due, facts.polled.get(host))


def _connect(facts: Facts, user: int) -> datetime:
    return _after_pause(facts, facts.now, facts.synchronised.get(str(user)))


def _after_pause(facts: Facts, due: datetime, last: datetime | None) -> datetime:
    return due if last is None or last > facts.now else max(due, last + HOST_PAUSE)


def _next_step(at: datetime) -> datetime:
    """Return the next full minute."""
    start = at.replace(second=0, microsecond=0)
    return at if at == start else start + POLL_STEP


def pause(readers: int) -> timedelta:
    """Return how long articles wait for one of ``readers``, unless they are reading."""
    return min(timedelta(minutes=readers // READERS_A_MINUTE), LONGEST_PAUSE)


def _decide(facts: Facts, user: int, since: datetime) -> DueWork:
    if user in facts.active:
        return _of_user(Task.DECIDE, user, Queue.ACTIVE, facts.now)
    longest = FEED_PAUSE if user in facts.followers else LONGEST_PAUSE
    return _of_user(Task.DECIDE, user, Queue.DECIDE, min(since, facts.now) + min(pause(facts.readers), longest))


def _of_user(task: Task, user: int, queue: Queue, due: datetime) -> DueWork:
    return DueWork(task, str(user), queue, due, user)
