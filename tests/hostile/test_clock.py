"""A system clock that jumps a year and comes back: every feed is asked once after each jump, verdicts are kept."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks import homes
from benchmarks.attacked import serving
from tests.hostile.attacks import USER, kept, people, signed_in
from tests.hostile.crash_checks import Memory, examine
from tests.hostile.crash_victim import Step, victim
from tests.iscore.web.client import Client

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


def jumping(clock: Path) -> dict[str, str]:
    """Return the environment of a process whose clock is as far from the right time as this new file says."""
    clock.write_text("+0d\n")
    return {
        "LD_PRELOAD": str(FAKETIME),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }


@pytest.mark.skipif(FAKETIME is None, reason="there is no libfaketime")
def test_a_server_whose_clock_jumps_keeps_verdicts_and_locks_nobody_out(tmp_path: Path) -> None:
    clock, home, given = tmp_path / "clock", tmp_path / "home", list[tuple[str, str]]()
    homes.make(home, "summary", 100, days=2, verdicts=10)
    people(home)
    with serving(home, **jumping(clock)) as (server, address, log):
        for jump in ("+365d", "+0d", "-1d", "+0d"):
            clock.write_text(f"{jump}\n")
            user = signed_in(address, USER)
            page = user.get("/all")
            story, kind = page.ids[len(given)], ("like", "dislike")[len(given) % 2]
            assert user.vote(page, story, kind).status == 303, jump
            given.append((story, kind))
            stranger = Client(address)
            form = {"token": stranger.get("/login").hidden("token"), "name": USER, "password": "wrong"}
            statuses = [stranger.post("/login", form).status for _ in range(7)]
            assert statuses[-1] == 429
        assert kept(home, given) == []
        server.terminate()
        assert server.wait(60) == 0
        log.seek(0)
        assert log.read() == ""


@pytest.mark.skipif(FAKETIME is None, reason="there is no libfaketime")
def test_a_year_ahead_and_a_year_back_bring_no_storm_and_no_starvation(tmp_path: Path) -> None:
    clock = tmp_path / "clock"
    environment = jumping(clock)
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
