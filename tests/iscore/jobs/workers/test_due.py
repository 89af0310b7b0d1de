"""What is due, by the facts alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from iscore.jobs.workers.due import Facts, due
from storage.records.work import Queue, Task

NOW = datetime(2026, 3, 2, 12, 0, 30, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
NOTHING = Facts(
    now=NOW,
    hosts={},
    polled={},
    unmeasured=False,
    unlearned=(),
    waiting={},
    active=(),
    followers=(),
    readers=1,
    digests=(),
    connections=(),
    synchronised={},
    icons=False,
    asked_for_icons={},
    pruned=NOW - timedelta(hours=1),
)
SINCE = NOW - MINUTE


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, []),
        ({"hosts": {"a": NOW}}, [(Queue.POLL, "a", 0)]),
        # What is due within a minute is polled together.
        (
            {"hosts": {"a": NOW - timedelta(seconds=10), "b": NOW - MINUTE}},
            [(Queue.POLL, "a", 30), (Queue.POLL, "b", -30)],
        ),
        # A host is asked once a minute, whatever its feeds say; a poll in the future was while a clock was wrong.
        ({"hosts": {"a": NOW}, "polled": {"a": NOW - MINUTE / 2}}, [(Queue.POLL, "a", 30)]),
        ({"hosts": {"a": NOW}, "polled": {"a": NOW + timedelta(days=9)}}, [(Queue.POLL, "a", 0)]),
        ({"unmeasured": True}, [(Queue.MEASURE, "", 0)]),
        ({"unlearned": [7], "waiting": {7: SINCE}, "active": {7}}, [(Queue.VERDICTS, "7", 0)]),
        ({"unlearned": [7], "readers": 5}, [(Queue.VERDICTS, "7", 60)]),
        ({"waiting": {7: SINCE}, "active": {7}}, [(Queue.ACTIVE, "7", 0)]),
        ({"waiting": {7: SINCE}}, [(Queue.DECIDE, "7", -60)]),
        ({"waiting": {7: SINCE}, "readers": 50}, [(Queue.DECIDE, "7", 540)]),
        ({"waiting": {7: SINCE}, "readers": 100_000}, [(Queue.DECIDE, "7", 24 * 3600 - 60)]),
        ({"waiting": {7: SINCE}, "readers": 100_000, "active": {7}}, [(Queue.ACTIVE, "7", 0)]),
        # Nobody knows when somebody reads who follows their news with another program.
        ({"waiting": {7: SINCE}, "readers": 50, "followers": {7}}, [(Queue.DECIDE, "7", 540)]),
        ({"waiting": {7: SINCE}, "readers": 100_000, "followers": {7}}, [(Queue.DECIDE, "7", 3 * 3600 - 60)]),
        ({"digests": [7], "connections": [8]}, [(Queue.DIGEST, "7", 0), (Queue.CONNECT, "8", 0)]),
        ({"connections": [8], "synchronised": {"8": NOW - MINUTE / 2}}, [(Queue.CONNECT, "8", 30)]),
        ({"connections": [8], "synchronised": {"8": NOW - 5 * MINUTE}}, [(Queue.CONNECT, "8", 0)]),
        ({"icons": True}, [(Queue.ICONS, "", 0)]),
        ({"icons": True, "asked_for_icons": {"": NOW - MINUTE / 2}}, [(Queue.ICONS, "", 30)]),
        ({"pruned": None}, [(Queue.PRUNE, "", 0)]),
        ({"pruned": NOW - timedelta(days=1)}, [(Queue.PRUNE, "", 0)]),
    ],
)
def test_due(facts: dict[str, Any], expected: list[tuple[Queue, str, float]]) -> None:
    found = due(replace(NOTHING, **facts))
    assert [(each.queue, each.key, (each.due - NOW).total_seconds()) for each in found] == expected


def test_what_is_a_users_says_whose_it_is() -> None:
    facts = replace(NOTHING, unlearned=[7], waiting={8: SINCE}, digests=[9], connections=[10], hosts={"a": NOW})
    assert {each.user_id for each in due(facts) if each.task is not Task.POLL} == {7, 8, 9, 10}
    assert [each.user_id for each in due(facts) if each.task is Task.POLL] == [None]
