"""Every claim about hostile bytes on more of them; the other tests try a few. ``benchmarks.fuzzing`` goes on."""

from __future__ import annotations

from contextlib import ExitStack
from random import Random

import pytest

from tests.hostile.fuzz.mutations import mutated
from tests.hostile.fuzz.targets import TARGETS, target

INPUTS = 80


@pytest.mark.long
@pytest.mark.parametrize("name", TARGETS)
def test_the_claim_holds(name: str) -> None:
    chance = Random(name)
    with ExitStack() as process:
        tried = target(name, process)
        for _ in range(INPUTS):
            start = chance.choice(tried.starts)
            if tried.spoil is not None and chance.random() < 0.7:
                tried.claim(tried.spoil(start, chance))
            else:
                tried.claim(mutated(start, chance, chance.choice(tried.starts)))
