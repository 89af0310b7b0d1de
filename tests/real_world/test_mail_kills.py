"""SIGKILL around the moment at which the digest is mailed; ``benchmarks/restarts.py`` does it sixty times."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.restarts import live, victim

pytestmark = pytest.mark.long

KILLS = 4


def test_no_digest_is_ever_sent_twice_and_none_is_lost_in_silence(tmp_path: Path) -> None:
    with victim(tmp_path, days=KILLS, feeds=0) as one:
        fates = live(one, KILLS, days=KILLS)
    assert fates.kills.total() >= KILLS // 2
    assert fates.digests.total() == fates.arrived(1, "sent", "uncertain") + fates.arrived(0, "uncertain")
