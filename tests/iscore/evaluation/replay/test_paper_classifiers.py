"""The paper's classifiers decide in the full protocol, article by article, as they did before the filter of today."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import pytest

from iscore.evaluation.replay.feature_cache import FeatureCache
from iscore.evaluation.replay.protocol_full import run_full

DECISIONS = {
    "simulated": {
        "uncalibrated-subset-naive-bayes": "9d5fb54d95cd1f7a",
        "subset-naive-bayes": "87c2b0bec3042958",
        "kernel-naive-bayes": "a70bb131c2f45529",
    },
    "wire ∧ short": {
        "uncalibrated-subset-naive-bayes": "ba093812d96590b9",
        "subset-naive-bayes": "636ff038cbc15976",
        "kernel-naive-bayes": "026a0174c806c736",
    },
}
"""Reader → classifier → hash of what was recommended. They change only if features or the sample news do."""


@pytest.mark.parametrize("reader", DECISIONS)
def test_decisions_are_those_of_before(cached_week: FeatureCache, reader: str) -> None:
    outcomes = run_full(cached_week, reader, list(DECISIONS[reader])).outcomes
    found = {each.classifier: _hash(each.recommended) for each in outcomes}
    assert found == DECISIONS[reader]


def _hash(decisions: np.ndarray) -> str:
    return blake2b(np.packbits(decisions).tobytes(), digest_size=8).hexdigest()
