"""What a user of the library imports, and what importing it loads."""

from __future__ import annotations

import doctest
import subprocess
import sys

import pytest

import iscore

HEAVY = {"sqlalchemy", "alembic", "sqlite3", "numba", "sklearn", "scipy", "aiohttp", "matplotlib"}


@pytest.mark.parametrize("name", iscore.__all__)
def test_every_public_name_resolves(name: str) -> None:
    assert getattr(iscore, name) is not None
    assert name in dir(iscore)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        iscore.nothing  # noqa: B018 -- the access itself is tested


@pytest.mark.parametrize("module", ["iscore"])
def test_importing_the_library_loads_nothing_heavy(module: str) -> None:
    code = f"import {module}, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert module in loaded
    assert HEAVY.intersection(loaded) == set()


def test_the_example_of_the_package_runs() -> None:
    assert doctest.testmod(iscore) == (0, 6)
