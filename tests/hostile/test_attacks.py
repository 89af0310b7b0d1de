"""Everybody attacks a server at once, for some seconds; ``benchmarks/attacked.py`` does it for minutes."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

import pytest

from benchmarks.attacked import besiege
from tests.hostile.attacks import ATTACKS

pytestmark = pytest.mark.long

WAITING = {"waiting at the end", "closed"}
ANSWERS = {
    "hostile_rule": {"200", "303", "400"},
    "slow_previews": {"200", "400"},
    "silent_strangers": {"408"},
    "silent_user": {"408"},
    "large_body_to_api": {"400", "401", "403", "413"},
    "addresses_that_never_answer": {"200"},
    "very_many_parts": {"403"},
    "brackets_of_an_app": {"400"},
    "cross_site": {"403"},
    "made_up_names": {"401", "403", "429"},
}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a whole network of loopback addresses, and /proc")
def test_a_user_reads_and_judges_while_everybody_attacks(tmp_path: Path) -> None:
    siege = besiege(tmp_path / "home", articles=300, alone=4.0, seconds=10.0)
    assert siege.lost == siege.attacked.wrong == siege.alone.wrong == []
    assert siege.attacked.given
    assert siege.log == ""
    unexpected = {name: set(siege.answers[name]) - ANSWERS[name] - WAITING for name in ANSWERS}
    assert unexpected == {each.__name__: set() for each in ATTACKS}
    # What held the server up took it for half a minute and more, and gigabytes.
    alone, attacked = siege.alone.seconds, siege.attacked.seconds
    assert median(attacked) < 20 * median(alone) + 1.0
    assert max(attacked) < 20 * max(alone) + 4.0
    assert siege.peak - siege.idle < 500 << 20
    assert siege.ended < 30.0
