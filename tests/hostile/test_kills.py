"""SIGKILL at every step of the rarer commands; ``benchmarks/crash.py`` kills all of them two hundred times at random.

A step is where a transaction that writes begins or ends, or where a file gets its name or goes. What should be one
thing and is two comes apart between two steps, in a moment that chance seldom finds.

Polls and verdicts are killed in ``tests/real_world/test_kills.py``, the sending of mail in ``test_mail_kills.py``.
"""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.hostile.crash_loop import Loop
from tests.hostile.crash_victim import victim
from tests.servers import postgresql

pytestmark = pytest.mark.long

STEPS = {"digest": 2, "migration": 4, "backup": 3, "prune": 3, "import": 6, "move": 3}
"""Command → steps that it has at least."""


def test_a_killed_digest_migration_backup_or_prune_loses_and_halves_nothing(tmp_path: Path) -> None:
    steps = {kind: least for kind, least in STEPS.items() if kind != "move" or not postgresql.missing()}
    with victim(tmp_path, days=10) as one, nullcontext() if postgresql.missing() else postgresql.running() as server:
        fates = Loop(one, server=server).live_by_steps(list(steps))
    assert fates.wrong == []
    assert fates.replays == 1
    assert {kind: fates.kills[kind] >= least for kind, least in steps.items()} == dict.fromkeys(steps, True)
    assert fates.memory.digests
