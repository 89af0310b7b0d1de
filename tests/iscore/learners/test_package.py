"""The package: its names, what importing it loads, and the examples in the docstrings."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

from iscore import learners

MODULES = ["iscore.learners", *(found.name for found in pkgutil.walk_packages(learners.__path__, "iscore.learners."))]


PROGRAM = """
import sys
import iscore.learners
print(*sys.modules)
iscore.learners.LEARNERS["stacking"]().learn_one([0.5, 1.0], True)
print(*sys.modules)
"""


def test_scikit_learn_and_what_is_heavy_are_loaded_only_when_needed():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    imported, learned = (set(line.split()) for line in done.stdout.splitlines())
    assert not imported & {"numba", "sklearn", "scipy", "joblib", "sqlalchemy", "storage", "aiohttp", "feedparser"}
    assert "numba" in learned
    assert not learned & {"sklearn", "scipy.stats", "joblib", "sqlalchemy", "storage"}


def test_every_public_name_is_there():
    assert set(learners.__all__) <= set(dir(learners))
    for name in learners.__all__:
        assert getattr(learners, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Sklearn'"):
        learners.Sklearn  # noqa: B018 -- the access itself is tested


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_learner_has_an_example():
    for name in learners.__all__:
        value = getattr(learners, name)
        if isinstance(value, type) and hasattr(value, "learn_one") and name != "Learner":
            assert ">>>" in value.__doc__, name
