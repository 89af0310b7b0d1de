"""Kernels as they are compiled, here, against the same as ordinary Python, all in one process without the compiler."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from iscore.learners import SubsetNaiveBayes
from tests.iscore.learners import linear_learners as linear
from tests.iscore.learners.linear import test_many_classes as many_classes

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[3]
PROGRAM = "import json; from tests.iscore.learners.test_interpreted import WAYS; print(json.dumps([w() for w in WAYS]))"


def of_two_classes() -> dict[str, Any]:
    """Return what every linear learner has learned of forty examples, and their scores."""
    X, y = linear.stream(40)
    found = {}
    for name, make in sorted(linear.LINEAR.items()):
        learner = make(n_features=X.shape[1])
        learner.learn_many(X, y, 0.5 + np.arange(len(y)) % 3)
        state = {key: str(value) for key, value in linear.bits(learner).items()}
        found[name] = [state, learner.score_many(X).tolist()]
    return found


def of_many_classes() -> dict[str, Any]:
    """Return what every learner of several classes has learned of forty examples, and their scores."""
    X, y = many_classes.stream(40)
    found = {}
    for name, make in sorted(many_classes.LEARNERS.items()):
        learner = make().expect(many_classes.K)
        learner.learn_many(X, y, 0.5 + np.arange(len(y)) % 3)
        state = {key: str(value) for key, value in many_classes.numbers(learner).items()}
        found[name] = [state, learner.score_many(X).tolist()]
    return found


def of_naive_bayes() -> dict[str, Any]:
    """Return the scores of naive Bayes by both sums of kernels."""
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3)) * [1, 9, 1e5]
    y = X[:, 0] > 0
    return {
        mode: SubsetNaiveBayes(mode=mode, n_nodes=64).fit(X, y).score_many(X[:20]).tolist()
        for mode in ("grid", "exact")
    }


WAYS: tuple[Callable[[], dict[str, Any]], ...] = (of_two_classes, of_many_classes, of_naive_bayes)


@pytest.fixture(scope="module")
def interpreted() -> dict[str, dict[str, Any]]:
    """What all of them give without the compiler."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return dict(zip((way.__name__ for way in WAYS), json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("way", [of_two_classes, of_many_classes])
def test_linear_kernels_give_the_same_bits(interpreted, way: Callable[[], dict[str, Any]]) -> None:
    learned = way()
    assert len(learned) == len(linear.LINEAR if way is of_two_classes else many_classes.LEARNERS)
    assert interpreted[way.__name__] == learned


def test_kernels_of_naive_bayes_give_the_same(interpreted) -> None:
    learned = of_naive_bayes()
    for mode, scores in learned.items():
        np.testing.assert_allclose(interpreted["of_naive_bayes"][mode], scores, rtol=1e-12, atol=1e-12)
    assert len({score for scores in learned.values() for score in scores}) == 40
