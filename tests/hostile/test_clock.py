"""A system clock that jumps a year and comes back: every feed is asked once after each jump, not more, not less."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.hostile.crash_checks import Memory, examine
from tests.hostile.crash_victim import Step, victim

pytestmark = pytest.mark.long

FAKETIME = next((path for path in Path("/usr/lib").glob("*/faketime/libfaketime.so.1")), None)


@pytest.mark.parametrize("year", [1970, 9999])
def test_row_67_a_clock_that_is_impossible_stops_no_command(tmp_path: Path, year: int) -> None:
    with victim(tmp_path, days=2) as one:
        one.work(one.home, [["poll"], ["inbox"]], inside=True)
        ((name,),) = one.rows("SELECT id FROM articles ORDER BY seq LIMIT 1")
        right, one.now = one.now, datetime(year, 12, 31, 23, 59, 59, tzinfo=UTC)
        commands = [
            ["like", str(name)],
            ["poll", "--force"],
            ["inbox"],
            ["why", str(name)],
            ["status"],
            ["stats"],
            ["digest"],
        ]
        assert one.work(one.home, commands).refused == []
        one.now = right
        assert one.work(one.home, [["poll", "--force"], ["inbox"], ["digest"]]).refused == []


@pytest.mark.skipif(FAKETIME is None, reason="there is no libfaketime")
def test_a_year_ahead_and_a_year_back_bring_no_storm_and_no_starvation(tmp_path: Path) -> None:
    clock = tmp_path / "clock"
    clock.write_text("+0d\n")
    environment = {
        "LD_PRELOAD": str(FAKETIME),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    attempts = "SELECT id, last_attempt FROM feeds ORDER BY id"
    memory = Memory()
    with victim(tmp_path, days=2, **environment) as one:
        one.own_clock = True
        one.work(one.home, [["poll"], ["inbox"]], inside=True)
        for jump in ("+365d", "+0d", "-365d", "+0d"):
            before = one.rows(attempts)
            clock.write_text(f"{jump}\n")
            work = one.work(one.home, [["poll"]])
            assert work.refused == []
            asked = one.rows(attempts)
            assert all(new[1] != old[1] for new, old in zip(asked, before, strict=True)), jump
            again = one.work(one.home, [["poll"], ["status"]])
            assert again.refused == []
            assert one.rows(attempts) == asked, jump
            assert list(examine(one, memory, again)) == []

        # A poll that dies while the clock is ahead leaves leases of next year; nobody waits for their end.
        before = one.rows(attempts)
        clock.write_text("+365d\n")
        for number in range(2, 12):
            assert one.work(one.home, [["poll"]], after=Step(number)).killed
            if one.rows("SELECT 1 FROM feeds WHERE lease_until IS NOT NULL"):
                break
        clock.write_text("+0d\n")
        work = one.work(one.home, [["poll", "--force"]])
        assert work.refused == []
        asked = one.rows(attempts)
        assert all(new[1] != old[1] for new, old in zip(asked, before, strict=True))
        assert one.rows("SELECT 1 FROM feeds WHERE lease_until IS NOT NULL") == []
        assert list(examine(one, memory, work)) == []
    assert memory.articles
