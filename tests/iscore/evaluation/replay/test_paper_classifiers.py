"""The paper's classifiers decide in the full protocol, article by article, as they did before the filter of today."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import pytest

from iscore.evaluation.replay.feature_cache import FeatureCache
from iscore.evaluation.replay.protocol_full import run_full

DECISIONS = {
    "simulated": {
        "uncalibrated-subset-naive-bayes": "290009059b2bf6ec",
        "subset-naive-bayes": "875157c3683950cc",
        "kernel-naive-bayes": "a70bb131c2f45529",
    },
    "wire ∧ short": {
        "uncalibrated-subset-naive-bayes": "bd0936586caacf4b",
        "subset-naive-bayes": "fb53de8e7880d6a7",
        "kernel-naive-bayes": "c9220bf9e4b66483",
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
