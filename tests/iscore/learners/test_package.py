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


def loaded(code: str) -> set[str]:
    """Return the names of the modules that are loaded after running ``code`` in a new process."""
    code += "; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    heavy = {"numba", "sklearn", "scipy", "joblib", "sqlalchemy", "storage", "aiohttp", "feedparser"}
    assert not loaded("import iscore.learners") & heavy


def test_learning_loads_no_scikit_learn():
    code = "from iscore.learners import LEARNERS; LEARNERS['two-opinions']().learn_one([0.5, 1.0], True)"
    found = loaded(code)
    assert "numba" in found
    assert not found & {"sklearn", "scipy.stats", "joblib", "sqlalchemy", "storage"}


def test_without_scikit_learn_the_adapter_names_the_extra():
    code = "import sys; sys.modules['sklearn'] = None; from iscore.learners import as_estimator"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'pip install "iscore-news[scikit-learn]"' in done.stderr


def test_every_public_name_is_there():
    assert set(learners.__all__) <= set(dir(learners))
    for name in learners.__all__:
        assert getattr(learners, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Sklearn'"):
        learners.Sklearn  # noqa: B018 -- the access itself is tested


def test_former_names_are_the_same_classes():
    assert learners.TwoOpinions is learners.Stacking
    assert learners.Standardised is learners.StandardScaled


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_learner_has_an_example():
    for name in learners.__all__:
        value = getattr(learners, name)
        if isinstance(value, type) and hasattr(value, "learn_one") and name != "Learner":
            assert ">>>" in value.__doc__, name
