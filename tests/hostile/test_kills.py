"""SIGKILL at random moments of the rarer commands; ``benchmarks/crash.py`` kills all of them two hundred times.

Polls and verdicts are killed in ``tests/real_world/test_kills.py``, the sending of mail in ``test_mail_kills.py``.
"""

from __future__ import annotations

from pathlib import Path

from tests.hostile.crash_loop import Loop
from tests.hostile.crash_victim import victim

KILLS = 10
"""With this seed each command has at least two."""


def test_a_killed_digest_migration_backup_or_prune_loses_and_halves_nothing(tmp_path: Path) -> None:
    with victim(tmp_path, days=2 + KILLS) as one:
        fates = Loop(one, seed=11).live(KILLS, {"digest": 3, "migration": 2, "backup": 2, "prune": 2})
    assert fates.wrong == []
    assert fates.replays == 1
    assert min(fates.rounds[kind] for kind in ("digest", "migration", "backup", "prune")) >= 2
    assert fates.memory.editions
