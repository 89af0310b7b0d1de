"""A worker believes in its leases as long as it renews all of them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep

import pytest

from iscore.jobs.workers import loop
from iscore.jobs.workers.loop import LEASE, Held
from storage.records.work import DueWork, Queue, Task
from storage.work import work
from tests.new_database import new_database


def test_who_has_lost_a_claim_believes_in_none_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "RENEWED_EVERY", timedelta(milliseconds=1))
    with new_database(tmp_path / "iscore.db") as database:
        with database.write_work() as tx:
            now = work.now(tx)
            work.put(tx, [DueWork(Task.POLL, f"{name}.example", Queue.POLL, now) for name in "ab"], now)
            claims = work.claim(tx, now, LEASE, holder="stopped", most={Task.POLL: 2})
            assert len(claims) == 2
        with Held(database, claims) as held:
            assert held.is_good()
            with database.write_work() as tx:
                assert len(work.claim(tx, now + 2 * LEASE, LEASE, holder="other", most={})) == 1
            end = monotonic() + 10
            while held.is_good() and monotonic() < end:
                sleep(0.01)
            assert not held.is_good()
